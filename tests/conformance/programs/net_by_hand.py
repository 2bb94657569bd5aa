"""A two-layer net without autograd, with matrix products and a mask, against the same with autograd."""

import torch

dtype = torch.float
n, d_in, hidden, d_out = 16, 20, 12, 4
torch.manual_seed(0)
x = torch.randn(n, d_in, dtype=dtype)
y = torch.randn(n, d_out, dtype=dtype)
w1 = torch.randn(d_in, hidden, dtype=dtype)
w2 = torch.randn(hidden, d_out, dtype=dtype)
start = w1.clone(), w2.clone()
rate = 1e-4
for t in range(100):
    h = x.mm(w1)
    h_relu = h.clamp(min=0)
    y_pred = h_relu.mm(w2)
    loss = (y_pred - y).pow(2).sum().item()
    if t % 20 == 19:
        print(t, f"{loss:.2f}")
    grad_y_pred = 2.0 * (y_pred - y)
    grad_w2 = h_relu.t().mm(grad_y_pred)
    grad_h_relu = grad_y_pred.mm(w2.t())
    grad_h = grad_h_relu.clone()
    grad_h[h < 0] = 0
    grad_w1 = x.t().mm(grad_h)
    w1 -= rate * grad_w1
    w2 -= rate * grad_w2
print(f"{w1.sum().item():.3f} {w2.abs().max().item():.3f}")

v1, v2 = (w.clone().requires_grad_(True) for w in start)
for t in range(100):
    y_pred = x.mm(v1).clamp(min=0).mm(v2)
    loss = (y_pred - y).pow(2).sum()
    if t % 20 == 19:
        print(t, f"{loss.item():.2f}")
    loss.backward()
    with torch.no_grad():
        v1 -= rate * v1.grad
        v2 -= rate * v2.grad
        v1.grad.zero_()
        v2.grad.zero_()
print(torch.allclose(w1, v1, rtol=1e-3, atol=1e-4), torch.allclose(w2, v2, rtol=1e-3, atol=1e-4))
print(v1.grad.abs().sum().item(), v1.requires_grad, v1.grad_fn)
