"""Hessians by rows, Hessian-vector products, and Newton's method with them."""

import torch


def hessian(f, x):
    (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for i in range(x.numel()):
        (row,) = torch.autograd.grad(gradient.reshape(-1)[i], x, retain_graph=True)
        rows.append(row.reshape(-1))
    return torch.stack(rows)


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(hessian(rosenbrock, x))
print(hessian(lambda v: (v[0] * v[1] * v[1]).sum(), x))
print(hessian(lambda v: v.prod() + (v**4).sum(), x))

a = torch.tensor([[4.0, 1.0], [1.0, 3.0]], dtype=torch.float64)
print(hessian(lambda v: v @ a @ v / 2, x))

m = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
print(hessian(lambda v: (v @ v).diagonal().sum(), m))


def product_with(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
    (product,) = torch.autograd.grad(gradient, x, grad_outputs=v)
    return product


v = torch.tensor([1.0, -1.0], dtype=torch.float64)
print(product_with(rosenbrock, x, v), hessian(rosenbrock, x) @ v)

point = torch.tensor([-1.0, 1.5], dtype=torch.float64, requires_grad=True)
for step in range(6):
    (gradient,) = torch.autograd.grad(rosenbrock(point), point)
    move = torch.linalg.solve(hessian(rosenbrock, point), gradient)
    with torch.no_grad():
        point -= move
    print(step, [f"{c:.5f}" for c in point.tolist()])
print(torch.allclose(point, torch.ones(2, dtype=torch.float64)))
