"""Who is asked about a call, and in which order: modes, then classes, then autocast; and which classes they are told of."""

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode, resolve_name


def shown(args):
    return [str(one.dtype) if type(one) is torch.Tensor else type(one).__name__ for one in args]


class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("  mode", func.__name__, shown(args), [one.__name__ for one in types])
        return func(*args, **(kwargs or {}))


class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("  class", func.__name__, [type(one).__name__ for one in args], [one.__name__ for one in types])
        return super().__torch_function__(func, types, args, kwargs)


class No:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


x, w = torch.ones(2, 2), torch.ones(2, 2)
mine = torch.ones(2, 2).as_subclass(Mine)

print("autocast is asked last, and nobody sees its casts")
with torch.autocast("cpu"), Mode():
    a, b, c = F.linear(x, w), x @ w, F.mse_loss(x.bfloat16(), w)
print(a.dtype, b.dtype, c.dtype)
with Mode(), torch.autocast("cpu"):
    a, b = torch.mm(x, w), F.softmax(x, -1)
print(a.dtype, b.dtype)
with torch.autocast("cpu"):
    a, b = F.linear(mine, w), mine @ w
print(type(a).__name__, type(b).__name__)
with torch.autocast("cpu"), Mode():
    torch.mm(mine, w)

print("aliases are asked about once, by their own names")
with Mode():
    x.subtract(1)
    x.multiply_(1)
    x.greater(0)
    x.add_(0)
    x.neg_()
    x.abs_()
    x.clamp_(0, 1)
    x.sum()
    x -= 1

print("which classes are told of")
one = torch.ones(())
with Mode():
    for name in "t exp abs_ neg tolist item numel sum clone float size __len__ __neg__ norm unique".split():
        getattr(one if name == "item" else x, name)()
    x.shape, x.grad, x.T  # noqa: B018
    x.grad = None
    for call in (torch.exp, torch.norm, F.relu, torch.block_diag):
        call(x)
    F.mse_loss(x, mine)
    torch.tensordot(x, mine)
F.mse_loss(mine, x)
for call in (lambda: F.mse_loss(mine, No()), lambda: torch.mul(x, No())):
    try:
        call()
    except TypeError as error:
        print(str(error).replace("__main__.", ""))

print("operands of einsum, and factors of tensordot")
for call in (
    lambda one: torch.einsum("ij,jk->ik", [one, one]),
    lambda one: torch.einsum(one, [0, 1], one, [1, 2], [0, 2]),
    lambda one: torch.tensordot(one, x, 1),
    lambda one: torch.einsum("ij"),
):
    try:
        call(mine)
        with Mode():
            call(x)
    except ValueError as error:
        print(error)
print([resolve_name(one) for one in (torch.einsum, torch.mul, torch.Tensor.shape.__get__, F.relu, torch.Tensor.split)])
