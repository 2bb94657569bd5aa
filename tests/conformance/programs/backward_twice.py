"""Backward through the same graph more than once: kept, freed, and what each part still answers."""

import torch


def attempt(label, action):
    try:
        action()
        print(label, "fine")
    except RuntimeError as error:
        print(label, type(error).__name__, str(error))


x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
g = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
z.backward(g, retain_graph=True)
print(x.grad)
out.backward()
print(x.grad)
attempt("third", out.backward)

# what was freed is what was saved: an addition saves nothing
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a + 1
b.backward(torch.ones(2))
attempt("sum of nothing saved", lambda: b.backward(torch.ones(2)))
print(a.grad)

a = torch.tensor([1.0, 2.0], requires_grad=True)
c = (a * a).sum()
c.backward()
attempt("product", c.backward)
print(a.grad)

c = (a * a).sum()
for _ in range(3):
    c.backward(retain_graph=True)
print(a.grad)
c.backward()
attempt("after the last", c.backward)

# half of a graph freed by another output
a = torch.tensor([1.0, 2.0], requires_grad=True)
shared = a.exp()
left, right = shared.sum(), (shared * 2).sum()
left.backward()
attempt("the other half", right.backward)

# a multiplication by a number keeps the number only
a = torch.tensor([1.0, 2.0], requires_grad=True)
d = (a * 3).sum()
d.backward()
attempt("times three", d.backward)
print(a.grad)

# create_graph keeps the graph too
a = torch.tensor([1.0, 2.0], requires_grad=True)
e = (a**3).sum()
(first,) = torch.autograd.grad(e, a, create_graph=True)
attempt("once more", lambda: torch.autograd.grad(e, a))
attempt("and again", lambda: torch.autograd.grad(e, a))
print(first)

# Through views made in no_grad nothing flows, but what nodes keep whichever input needs it is freed all the same.
x = torch.ones(2, 2, requires_grad=True) * 1
with torch.no_grad():
    view = x.unsqueeze(0)
for name in ("mul", "div", "atan2", "maximum", "hypot", "pow", "lerp", "where"):
    if name == "lerp":
        y = torch.lerp(view, view, view)
    elif name == "where":
        y = torch.where(view > 2, view, torch.tensor(1.0))
    else:
        y = getattr(torch, name)(view, view)
    y.sum().backward()
    try:
        y.sum().backward()
        print(name, "again")
    except RuntimeError as error:
        print(name, str(error))
