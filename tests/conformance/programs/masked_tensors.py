"""Tensors that carry a mask: printed, computed with, reduced and differentiated."""

import warnings

import torch
from torch.masked import as_masked_tensor, masked_tensor

warnings.simplefilter("ignore")
data = torch.arange(1.0, 7.0).reshape(2, 3)
mask = torch.tensor([[True, False, True], [False, True, False]])
x = masked_tensor(data, mask, requires_grad=True)
print(x, x.shape, x.dtype, x.requires_grad, x.is_leaf)
print(x.exp(), x * x, 2 / x, x > 2, x.round())
for name in ("sum", "mean", "prod", "amin", "amax", "argmax", "std", "var", "all"):
    print(name, getattr(x.detach(), name)(), getattr(x.detach(), name)(0), getattr(x.detach(), name)(1, keepdim=True))
print(x.softmax(1), x.t(), x[0], x[:, 1:], x.view(-1), torch.cat([x, x]), x.double(), x.to_tensor(-1))
for function in (
    lambda x: x.sum(),
    lambda x: (x * x.exp()).mean(),
    lambda x: x.amax(1).sum(),
    lambda x: x[0].prod(),
    lambda x: x.std(),
):
    print(torch.autograd.grad(function(x), x))
(x.to_tensor(0) * 3).sum().backward()
print(x.grad)
chosen = torch.where(mask, masked_tensor(data, mask), masked_tensor(-data, ~mask))
print(chosen, chosen.get_mask(), chosen.get_data())
print(masked_tensor(torch.arange(3), torch.tensor([True, False, True])).sum(), masked_tensor(data, mask & False).amax())

leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(as_masked_tensor(leaf, torch.tensor([True, False, True])) ** 2).sum().backward()
print(leaf.grad)

for refused in (
    lambda: masked_tensor(data, mask[0]),
    lambda: masked_tensor(data, data),
    lambda: masked_tensor([1], mask),
    lambda: masked_tensor(data.to(torch.complex64), mask),
    lambda: x + masked_tensor(data, ~mask),
    lambda: x.numpy(),
    lambda: x.clamp(data),
):
    try:
        print(refused())
    except (TypeError, ValueError, RuntimeError) as error:
        print(type(error).__name__, error)
