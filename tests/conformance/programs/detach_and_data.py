"""detach, detach_ and .data: what they share, what they cut, and what the graph notices."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
d = y.detach()
print(d, d.requires_grad, d.is_leaf, d.grad_fn)
print(d.data_ptr() == y.data_ptr())
d[0] = 50
print(y)

# detach shares the version counter, .data has its own
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.sigmoid()
d = y.detach()
d.zero_()
print(y._version, d._version)
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error))
y = x.sigmoid()
c = y.data
c.zero_()
print(y._version, c._version)
y.sum().backward()
print(x.grad)

# detach_ cuts in place
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
print(y.grad_fn is None)
z = y.detach_()
print(z is y, y.requires_grad, y.grad_fn, y.is_leaf)
y.requires_grad_()
(y * x).sum().backward()
print(x.grad, y.grad)

# a step by hand through .data leaves no trace
w = torch.tensor([1.0, -1.0], requires_grad=True)
(w * w).sum().backward()
w.data -= 0.5 * w.grad
print(w, w.is_leaf, w._version)
w.data = torch.tensor([9.0, 8.0, 7.0])
print(w, w.shape, w.grad is None or w.grad.shape)
w.data.fill_(4.0)
print(w)

# stop a gradient halfway
a = torch.tensor(3.0, requires_grad=True)
b = a * a
c = b.detach() * a
c.backward()
print(a.grad, b.detach() == a.grad)

# a view cannot be cut in place
v = (x * 2)[0:1]
try:
    v.detach_()
except RuntimeError as error:
    print(type(error).__name__, str(error))
