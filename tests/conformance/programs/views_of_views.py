"""Views of views, written at every level; the base and all the rest keep up."""

import torch

x = torch.arange(1.0, 9.0).requires_grad_()
base = x * 1
a = base.view(2, 4)
b = a[1]
c = b[1:3]
print(c._base is base, b._base is a._base, c.storage_offset(), c.stride())
c.mul_(10)
print(base)
print(a.grad_fn.name(), b.grad_fn.name(), c.grad_fn.name(), base.grad_fn.name())
base.sum().backward()
print(x.grad)

x.grad = None
base = x * 1
a = base.view(2, 4)
b = a.t()
c = b[1:3]
d = c.transpose(0, 1)
d[0] = x[:2] * 100
a[1] += 1
print(base, b, d, sep="\n")
(d * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward(retain_graph=True)
print(x.grad)
x.grad = None
base.backward(torch.arange(8.0))
print(x.grad)

# AsStridedBackward0: a view whose base was rewritten
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
v = y.as_strided((2, 2), (3, 1), 1)
print(v.grad_fn.name(), v)
v.mul_(3)
print(v.grad_fn.name(), y.grad_fn.name(), y)
y.sum().backward()
print(x.grad)

x = torch.ones(2, 3, requires_grad=True)
y = x * 2
p, q = y[:, 0], y[0, :]
p.add_(1)
print(q.grad_fn.name(), q)
q.mul_(2)
print(p.grad_fn.name(), p, y)
(p.sum() + q.sum()).backward()
print(x.grad)

# views through expand, diagonal, unfold, real
m = torch.zeros(3, 3, requires_grad=True)
n = m * 1
n.diagonal().add_(torch.arange(3.0))
n.diagonal(1)[0] = 7
print(n)
n.backward(torch.ones(3, 3))
print(m.grad)
e = torch.ones(3, 1, requires_grad=True)
f = (e * 1).expand(3, 2)
try:
    f.mul_(2)
except RuntimeError as error:
    print(type(error).__name__, str(error))
w = torch.arange(6.0).requires_grad_()
u = (w * 1).unfold(0, 3, 1)
print(u, u.grad_fn.name())
u.sum().backward()
print(w.grad)
s = torch.zeros(4)
s.view(2, 2)[0].unsqueeze(0).squeeze(0)[1:].add_(5)
print(s)
s[::2].neg_().sub_(1)
s.view(2, 2).t().view_as(torch.zeros(2, 2))[0].mul_(3)
print(s)
