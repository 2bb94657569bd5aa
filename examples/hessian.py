"""Second derivatives: the Hessian of a function by rows, its eigenvalues, and Newton's method with it."""

import torch


def himmelblau(p):
    x, y = p
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def hessian(f, p):
    (gradient,) = torch.autograd.grad(f(p), p, create_graph=True)
    return torch.stack([torch.autograd.grad(g, p, retain_graph=True)[0] for g in gradient])


point = torch.tensor([2.0, 1.0], dtype=torch.float64, requires_grad=True)
print(hessian(himmelblau, point))

for step in range(7):
    value = himmelblau(point)
    (gradient,) = torch.autograd.grad(value, point)
    curvature = hessian(himmelblau, point)
    # where the surface is not a bowl, lift it until it is
    lowest = torch.linalg.eigvalsh(curvature)[0]
    if lowest < 1:
        curvature = curvature + (1 - lowest) * torch.eye(2, dtype=torch.float64)
    print(f"step {step}  at ({point[0]:.4f}, {point[1]:.4f})  value {value.item():.4f}  lowest {lowest.item():.2f}")
    with torch.no_grad():
        point -= torch.linalg.solve(curvature, gradient)

print("minimum near (3, 2):", torch.allclose(point.detach(), torch.tensor([3.0, 2.0], dtype=torch.float64), atol=1e-4))
