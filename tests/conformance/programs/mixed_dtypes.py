"""Operators of two dtypes: what the result is, how it lies, and what gradients come back in which dtype."""

import operator

import torch

OPERATIONS = {
    "add": operator.add,
    "mul": operator.mul,
    "div": operator.truediv,
    "rest": operator.mod,
    "fmod": torch.fmod,
    "less": operator.lt,
    "maximum": torch.maximum,
    "both": torch.logical_and,
    "hypot": torch.hypot,
}
KINDS = torch.bool, torch.int32, torch.int64, torch.float32, torch.float64


def given(shape: tuple[int, ...], dtype: torch.dtype, start: float) -> torch.Tensor:
    values = torch.arange(start, start + 6)[:6].reshape(2, 3) if shape else torch.tensor(start)
    tensor = values.to(dtype)
    return tensor.requires_grad_() if dtype.is_floating_point else tensor


for name, operation in OPERATIONS.items():
    for one in KINDS:
        for other in KINDS:
            for shapes in (((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3)), ((), ())):
                a, b = given(shapes[0], one, 1.0), given(shapes[1], other, 2.0)
                try:
                    result = operation(a, b)
                    print(name, one, other, shapes, result.dtype, result.stride(), result.tolist())
                    if result.requires_grad:
                        result.sum().backward()
                        print("   ", a.grad, b.grad)
                except (RuntimeError, NotImplementedError) as error:
                    print(name, one, other, shapes, type(error).__name__, str(error))

x = torch.arange(6.0).reshape(2, 3).requires_grad_()
mask = torch.tensor([[True, False, True], [False, True, True]])
(x * mask).sum().backward()
print(x.grad, (x.t() * mask.t()).stride(), (x * mask[:, :1]).tolist(), (x[:, ::2] + mask[:, 1:]).tolist())
weights = torch.tensor([1, 2, 3])
print((x * weights).mean(), (weights / x.detach()[1]).tolist(), (weights * 2.5).dtype, (weights / 2).dtype)
torch.set_default_dtype(torch.float64)
print((weights / weights.bool()).dtype, (weights / mask).dtype)
