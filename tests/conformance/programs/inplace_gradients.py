"""In-place operations in a graph: allowed ones, the node that replaces the old one, the gradients."""

import torch


def attempt(label, action):
    try:
        action()
        print(label, "fine")
    except RuntimeError as error:
        print(label, "|", str(error))


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.add_(1)
print(y, y._version)
y.mul_(x)
print(y.grad_fn.name(), y)
y.sum().backward()
print(x.grad)

x.grad = None
y = x.clone()
y += x
y *= 3
y -= 1
y /= 2
y.neg_()
y.relu_()
print(y)
y.sum().backward()
print(x.grad)

# exp saves its result, so changing the result is an error; sin saves its input
y = x.exp()
y += 1
attempt("exp", lambda: y.sum().backward())
y = x * 1
s = y.sin()
s += 1
attempt("sin, result changed", lambda: s.sum().backward())
y = x * 1
s = y.sin()
y += 1
attempt("sin, input changed", lambda: s.sum().backward())
w = torch.ones(3, requires_grad=True)
p = x * w
with torch.no_grad():
    w += 1
attempt("product, factor changed", lambda: p.sum().backward())
with torch.no_grad():
    x += 0
attempt("sum keeps nothing", lambda: (x + w).sum().backward())

attempt("leaf", lambda: x.add_(1))
attempt("leaf element", lambda: x.__setitem__(0, 1.0))
attempt("view of a leaf", lambda: x[0].zero_())
attempt("view of a view of a leaf", lambda: x.view(3, 1)[0].zero_())

# detached values may be changed, if nobody saved them
z = (x * 2).detach()
z.zero_()
print(z, z.requires_grad)

# a plain tensor joins the graph by being written to
buffer = torch.zeros(3)
buffer += x
print(buffer.requires_grad, buffer.is_leaf, buffer.grad_fn.name())
buffer.zero_()
print(buffer.requires_grad, buffer.grad_fn.name(), buffer)
x.grad = None
(buffer * 2).sum().backward()
print(x.grad)
total = torch.zeros(())
for i in range(3):
    total += x[i] * i
total.backward()
print(total, x.grad)

out = torch.zeros(3)
attempt("out= with grad", lambda: torch.mul(x, 2, out=out))
c = torch.zeros(3)
c.copy_(x * 5)
c.backward(torch.tensor([1.0, 2.0, 3.0]))
print(c, x.grad)
c = (x * 1).masked_fill_(x > 2, -1.0).clamp_(max=1.5)
x.grad = None
c.sum().backward()
print(c, x.grad)
h = x * 1
h.copy_(x).fill_(3)
attempt("filled", lambda: h.sum().backward())
print(x.grad, h.grad_fn.name())
