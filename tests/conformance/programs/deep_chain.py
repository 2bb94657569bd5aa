"""Chains of 20,000 operations and more: no recursion limit, forward, backward or when freed."""

import sys

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x
for _ in range(20000):
    y = y + 1
y.sum().backward()
print(y, x.grad)

x.grad = None
y = x
for i in range(20000):
    y = y * (2.0 if i % 2 else 0.5)
y.backward(torch.tensor([1.0, 10.0]))
print(y, x.grad)
del y

x.grad = None
total = torch.zeros(())
for i in range(5000):
    total = total + x[i % 2] * (i % 3)
total.backward()
print(total, x.grad)

# every value used twice: 2 ** 60 paths, 60 steps
x.grad = None
y = x
for _ in range(60):
    y = (y + y) / 2
y.sum().backward()
print(x.grad)

# in place, ten thousand times
x.grad = None
y = x * 1
for _ in range(10000):
    y.add_(1)
y.mul_(x)
y.sum().backward()
print(y, x.grad)

# a deep graph dropped without a backward
y = x
for _ in range(20000):
    y = y.neg()
depth, node = 0, y.grad_fn
while node.next_functions:
    node = node.next_functions[0][0]
    depth += 1
print(depth, node.variable is x, sys.getrecursionlimit() < 20000)
del y, node

# a long chain twice differentiated
t = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = t
for _ in range(1000):
    y = y * 1.0 + t * 0.001
(g,) = torch.autograd.grad(y * y, t, create_graph=True)
(h,) = torch.autograd.grad(g, t)
print(f"{g.item():.6f} {h.item():.6f}")
