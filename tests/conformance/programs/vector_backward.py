"""A vector at the end: the gradient passed in weighs its elements."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.backward(torch.tensor([1.0, 0.5, 0.25]))
print(x.grad)

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x**2
y.backward(gradient=torch.ones_like(y))
print(x.grad)

x = torch.tensor([2.0, 4.0, 8.0], requires_grad=True)
y = x * x + 1
y.sum().backward()
by_sum = x.grad.clone()
x.grad = None
(x * x + 1).backward(torch.ones(3))
print(by_sum, torch.equal(by_sum, x.grad))

# a matrix of outputs, weighed by a matrix
w = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
(m @ m).backward(w)
print(m.grad)

# the Jacobian, row by row
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[1] * x[2], x[2] * x[0]])
rows = []
for i in range(3):
    x.grad = None
    seed = torch.zeros(3)
    seed[i] = 1
    y.backward(seed, retain_graph=True)
    rows.append(x.grad.clone())
print(torch.stack(rows))

# one element: a gradient of one element is as good as none
x = torch.tensor([3.0], requires_grad=True)
y = x * x
y.backward(torch.tensor([10.0]))
print(x.grad)
s = (x * 4).sum()
s.backward(torch.tensor(0.5))
print(x.grad)
