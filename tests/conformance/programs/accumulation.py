"""Gradients add up in leaves until somebody zeroes them."""

import torch

w = torch.ones(4, requires_grad=True)
for epoch in range(3):
    (w * 3).sum().backward()
    print(epoch, w.grad)
w.grad.zero_()
print(w.grad)
(w * 3).sum().backward()
print(w.grad)
w.grad = None
print(w.grad)
(w * 2).sum().backward()
print(w.grad)
w.grad.data.zero_()
w.grad.detach_()
print(w.grad)

# the same leaf used many times in one graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x + x * 3 + x
(y * x).sum().backward()
print(x.grad)

# the grad object stays, its values change
held = x.grad
(x * 1.0).sum().backward()
print(held is x.grad, held)

# two leaves fed by one gradient do not share memory
a = torch.zeros(3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
(a + b).backward(torch.tensor([1.0, 2.0, 3.0]))
a.grad[0] = 50
print(a.grad, b.grad)
c = torch.zeros(3, requires_grad=True)
c.sum().backward()
c.grad[1] = 9
print(c.grad, c.grad.is_contiguous(), c.grad.stride())

# .grad can be set, if it fits
c.grad = torch.tensor([1.0, 1.0, 2.0])
c.sum().backward()
print(c.grad)
for wrong in (torch.zeros(2), torch.zeros(3, dtype=torch.float64), 1.0):
    try:
        c.grad = wrong
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error))
del c.grad
print(c.grad)

# big batches in pieces: the sum of pieces is the whole
data = torch.arange(8.0).reshape(4, 2)
v = torch.tensor([1.0, -1.0], requires_grad=True)
(data @ v).pow(2).sum().backward()
whole = v.grad.clone()
v.grad = None
for piece in data.split(1):
    (piece @ v).pow(2).sum().backward()
print(whole, v.grad, torch.equal(whole, v.grad))
