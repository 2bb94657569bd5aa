"""Fit sin(x) with a cubic, gradients first by hand and then by autograd; both must agree."""

import math

import torch

dtype = torch.double
x = torch.linspace(-math.pi, math.pi, 200, dtype=dtype)
y = torch.sin(x)

torch.manual_seed(3)
start = torch.randn(4, dtype=dtype)
rate = 1e-6

a, b, c, d = (value.clone() for value in start)
for t in range(300):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum().item()
    if t % 100 == 99:
        print(t, f"{loss:.4f}")
    grad_y_pred = 2.0 * (y_pred - y)
    grad_a = grad_y_pred.sum()
    grad_b = (grad_y_pred * x).sum()
    grad_c = (grad_y_pred * x**2).sum()
    grad_d = (grad_y_pred * x**3).sum()
    a -= rate * grad_a
    b -= rate * grad_b
    c -= rate * grad_c
    d -= rate * grad_d
print(f"Result: y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")
by_hand = torch.stack([a, b, c, d])

a, b, c, d = (value.clone().requires_grad_() for value in start)
for t in range(300):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    if t % 100 == 99:
        print(t, f"{loss.item():.4f}")
    loss.backward()
    with torch.no_grad():
        a -= rate * a.grad
        b -= rate * b.grad
        c -= rate * c.grad
        d -= rate * d.grad
        a.grad = None
        b.grad = None
        c.grad = None
        d.grad = None
print(f"Result: y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")
print(torch.allclose(by_hand, torch.stack([a, b, c, d]).detach()))

# the same in one tensor of powers
w = start.clone().requires_grad_()
powers = x.unsqueeze(-1).pow(torch.arange(4, dtype=dtype))
for _ in range(300):
    loss = (powers @ w - y).square().sum()
    loss.backward()
    with torch.no_grad():
        w -= rate * w.grad
        w.grad.zero_()
print(torch.allclose(w.detach(), by_hand), w.is_leaf, w._version)
