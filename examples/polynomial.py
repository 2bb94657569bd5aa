"""Fit a cubic to sin(x) by gradient descent, a step at a time."""

import math

import torch

x = torch.linspace(-math.pi, math.pi, 200, dtype=torch.float64)
y = torch.sin(x)
powers = torch.stack([(x / math.pi) ** n for n in range(4)], dim=1)
weights = torch.zeros(4, dtype=torch.float64, requires_grad=True)

for step in range(501):
    loss = (powers @ weights - y).square().mean()
    loss.backward()
    with torch.no_grad():
        weights -= 0.8 * weights.grad
    weights.grad = None
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}")

a, b, c, d = (weights.detach() / math.pi ** torch.arange(4, dtype=torch.float64)).tolist()
print(f"sin(x) is about {b:.3f} x {d:+.4f} x^3")
print("the even terms vanish:", abs(a) < 1e-6 and abs(c) < 1e-6)
