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
