"""Derivatives of derivatives, each a graph of its own."""

import torch

x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
y = x**5
order = 0
while y.requires_grad:
    print(order, f"{y.item():.4f}")
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    order += 1
    if order > 5:
        break
print(order, y.item(), y.requires_grad)

# sin, cos, -sin, -cos, sin
x = torch.tensor([0.25, 0.5, 1.0], dtype=torch.float64, requires_grad=True)
y = torch.sin(x)
for _ in range(5):
    print([f"{v:.6f}" for v in y.tolist()])
    (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)

# backward with create_graph, then backward of the gradient
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x**3).sum()
y.backward(create_graph=True)
g = x.grad
print(g)
x.grad = None
(g**2).sum().backward()
print(x.grad)

# the penalty on the gradient's norm
w = torch.tensor([[1.0, 2.0], [-1.0, 0.5]], requires_grad=True)
v = torch.tensor([1.0, 3.0], requires_grad=True)
out = (w @ v).pow(2).sum()
(gv,) = torch.autograd.grad(out, v, create_graph=True)
penalty = gv.pow(2).sum()
print(out.item(), gv, penalty)
penalty.backward()
print(w.grad, v.grad)

# mixed partials
a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
f = a**2 * b**3
(fa,) = torch.autograd.grad(f, a, create_graph=True)
(fb,) = torch.autograd.grad(f, b, create_graph=True)
print(fa.item(), fb.item())
print(torch.autograd.grad(fa, b)[0].item(), torch.autograd.grad(fb, a)[0].item())

# linear functions end: the second derivative is not connected
x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((x * 3).sum(), x, create_graph=True)
print(g.requires_grad, g)
(g,) = torch.autograd.grad(x.exp().sum(), x)
print(g.requires_grad)

# Taylor coefficients of 1 / (1 - x) at 0 are all 1
x = torch.zeros((), dtype=torch.float64, requires_grad=True)
y, factorial, coefficients = 1 / (1 - x), 1, []
for n in range(7):
    coefficients.append(y.item() / factorial)
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    factorial *= n + 1
print(coefficients)
