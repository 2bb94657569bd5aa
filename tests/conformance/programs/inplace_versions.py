"""Version counters: what bumps them, who shares them."""

import torch

x = torch.zeros(4)
print(x._version)
x += 1
x.mul_(2)
x[0] = 5
x[1:] = 0
print(x._version, x)
view = x[1:3]
other = x.view(2, 2)
view.fill_(7)
print(x._version, view._version, other._version, x)
x.data.zero_()
print(x._version, x.detach()._version)
x.detach().add_(1)
print(x._version, x)
copy = x.clone()
print(copy._version)
x.zero_().add_(1).sub_(1)
print(x._version)
torch.add(x, 1, out=x)
print(x._version)
y = x * 2
print(y._version)
y *= 3
y **= 2
y /= 4
y -= 1
y //= 2
print(y._version, y)
x.requires_grad_()
print(x._version)
with torch.no_grad():
    x.copy_(torch.arange(4.0))
print(x._version, x)
a = torch.arange(6).reshape(2, 3)
b = a.t()
b[0] = -1
print(a, a._version, b._version)
a[a < 0] = 9
print(a, b, b._version)
e = torch.zeros(1).expand(3)
print(e._version, e.clone().add_(1)._version)
n = a.numpy()
n[0, 0] = 100
print(a[0, 0], a._version)
print(x._base is None, view._base is not None, view._base.shape, other._base is view._base, b._base.shape)
c = torch.zeros(2, 2)
first, second = c
first += 1
print(c, c._version, second._version)
for row in c:
    row.mul_(2)
print(c, c._version)
c.t_()
c.unsqueeze_(0)
print(c.shape, c._version)

# A node keeps its result whichever input needs a gradient, and of some inputs more than their shape.
p, q = torch.tensor([1.5, 2.0]), torch.tensor([2.0, 3.0])
system = torch.eye(2) * 2
for name, f, source in (
    ("copysign", lambda t: torch.copysign(p, t), q),
    ("ldexp", lambda t: torch.ldexp(t, q), p),
    ("solve", lambda t: torch.linalg.solve(system, t), q),
    ("triangular", lambda t: torch.linalg.solve_triangular(system, t[:, None], upper=True), q),
    ("cholesky", lambda t: torch.cholesky_solve(t[:, None], system), q),
    ("quantile", lambda t: t.quantile(0.25), p),
    ("exponent", lambda t: t**q, p),
):
    made = f(source.clone().requires_grad_())
    made.mul_(made.detach() * 0 + 2)
    try:
        made.sum().backward()
        print(name, "may be written into")
    except RuntimeError as error:
        print(name, str(error).split(": ", 1)[1].split(". ")[0])
for name, f in (
    ("take", lambda t: torch.take(t, torch.tensor([0, -1]))),
    ("masked_select", lambda t: t.masked_select(t > 1)),
    ("index_add", lambda t: p.index_add(0, torch.tensor([0, 1]), t)),
    ("index_copy", lambda t: p.index_copy(0, torch.tensor([0, 1]), t)),
    ("put", lambda t: p.put(torch.tensor([0, 1]), t)),
    ("index_select", lambda t: t.index_select(0, torch.tensor([0]))),
):
    source = q.clone().requires_grad_() * 1
    made = f(source)
    source.fill_(3.0)
    try:
        made.sum().backward()
        print(name, "reads nothing of it")
    except RuntimeError as error:
        print(name, str(error).split(": ", 1)[1].split(". ")[0])
