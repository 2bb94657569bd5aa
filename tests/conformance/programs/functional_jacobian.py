"""autograd.functional: Jacobians, Hessians and products with them."""

import torch
from torch.autograd.functional import hessian, hvp, jacobian, vhp, vjp


def cubes(x):
    return x.pow(3).sum(dim=1)


x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(jacobian(cubes, x))
print(jacobian(cubes, x, create_graph=False).requires_grad)


def mixed(x, y):
    return 2 * x + 3 * y


print(jacobian(mixed, (torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))))
print(hessian(lambda x: x.pow(3).sum(), torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
print(hessian(lambda x, y: (x * y).sum(), (torch.tensor([1.0]), torch.tensor([2.0]))))
print(vjp(lambda x: x * x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])))
print(hvp(lambda x: x.pow(3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0])))
print(vhp(lambda x: x.pow(3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])))
rows = jacobian(lambda x: torch.stack([x.sum(), (x * x).sum()]), torch.arange(3.0), vectorize=True)
print(rows)
x = torch.tensor([2.0], requires_grad=True)
j = jacobian(lambda v: v**3, x, create_graph=True)
print(j)
j.sum().backward()
print(x.grad)
