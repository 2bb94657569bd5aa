"""The first lesson: a scalar at the end, backward, and the gradients at the leaves."""

import torch

x = torch.ones(2, 2, requires_grad=True)
print(x)
y = x + 2
print(y)
print(y.grad_fn is not None)
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = c + b**2
d.backward()
print(d, a.grad, b.grad)

# one element in any number of dimensions needs no gradient either
p = torch.tensor([[4.0]], requires_grad=True)
q = p * p
q.backward()
print(q, p.grad)

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (w * torch.tensor([4.0, 5.0, 6.0])).sum()
loss.backward()
print(loss.item(), w.grad.tolist())

x = torch.arange(4.0, requires_grad=True)
y = 2 * torch.dot(x, x)
print(x.grad)
y.backward()
print(x.grad, x.grad == 4 * x)

a = torch.randn(2, 2)
a = (a * 3) / (a - 1)
print(a.requires_grad)
a.requires_grad_(True)
print(a.requires_grad)
b = (a * a).sum()
print(type(b.grad_fn).__name__)
