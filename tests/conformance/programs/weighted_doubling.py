"""Doubling until the norm passes 1000, then weights from 0.0001 to 1."""

import torch

x = torch.tensor([0.5, -1.25, 2.0], requires_grad=True)
y = x * 2
turns = 0
while y.data.norm() < 1000:
    y = y * 2
    turns += 1
print(turns, y)

gradients = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(gradients)
print(x.grad)

torch.manual_seed(7)
x = torch.randn(3, requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)
print(x.grad)
print(y.data.norm() >= 1000)

x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
y = x * 2
while y.norm() < 1000:
    y = y * 2
print(y)
y.backward(torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float64))
print(x.grad)


def crazy(x, steps):
    y = x
    for i in range(steps):
        y = y * 3 if i % 2 else y + x
    return y


for steps in range(5):
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = crazy(x, steps)
    y.backward(torch.tensor([1.0, 10.0]))
    print(steps, y.tolist(), x.grad.tolist())
