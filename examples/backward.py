"""The backward pass in three steps: a scalar, a tensor weighted by a gradient, and a gradient of a gradient."""

import torch

# A scalar: backward() needs no argument.
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)

# Not a scalar: backward() takes the gradient that comes from behind, of the same shape.
torch.manual_seed(0)
x = torch.randn(3, requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
y.backward(torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float))
print(x.grad)

# A derivative is recorded like anything else, and has a derivative.
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(slope,) = torch.autograd.grad(y, x, create_graph=True)
slope.backward()
print(f"at {x.item()}: y = {y.item()}, dy/dx = {slope.item()}, d2y/dx2 = {x.grad.item()}")
