"""Four ways of getting a tensor that needs a gradient."""

import numpy as np
import torch
from torch.autograd import Variable

at_once = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
later = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
later.requires_grad_()
by_attribute = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
by_attribute.requires_grad = True
wrapped = Variable(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
for x in (at_once, later, by_attribute, wrapped):
    y = (x * x).sum()
    y.backward()
    print(x, x.grad, x.is_leaf, type(x).__name__)

factories = {
    "zeros": torch.zeros(2, 3, requires_grad=True),
    "ones": torch.ones((2, 3), requires_grad=True),
    "full": torch.full((2, 3), 1.5, requires_grad=True),
    "eye": torch.eye(3, requires_grad=True),
    "arange": torch.arange(0.0, 1.0, 0.25, requires_grad=True),
    "linspace": torch.linspace(0, 1, 5, requires_grad=True),
    "rand": torch.rand(2, requires_grad=True),
    "randn": torch.randn(2, requires_grad=True),
    "empty": torch.empty(2, requires_grad=True),
    "zeros_like": torch.zeros_like(at_once, requires_grad=True),
    "full_like": torch.full_like(at_once, 7.0, requires_grad=True),
    "new_ones": at_once.new_ones(2, requires_grad=True),
    "new_tensor": at_once.new_tensor([1.0, 2.0], requires_grad=True),
    "from numpy": torch.from_numpy(np.array([1.0, 2.0])).requires_grad_(),
    "as_tensor": torch.as_tensor([1.0, 2.0]).requires_grad_(True),
    "double": torch.tensor([1.0], dtype=torch.float64, requires_grad=True),
    "half": torch.tensor([1.0], dtype=torch.float16, requires_grad=True),
    "complex": torch.tensor([1j], requires_grad=True),
}
for name, x in factories.items():
    print(name, x.requires_grad, x.is_leaf, x.dtype, tuple(x.shape), x.grad)

for make in (
    lambda: torch.tensor([1, 2], requires_grad=True),
    lambda: torch.tensor([1, 2]).requires_grad_(),
    lambda: torch.arange(3, requires_grad=True),
    lambda: torch.zeros(2, dtype=torch.bool, requires_grad=True),
):
    try:
        make()
    except RuntimeError as error:
        print(type(error).__name__, str(error))
