"""torch.autograd._functions: Functions written in Python that PyTorch keeps beside its compiled ones."""

from __future__ import annotations

import math
from typing import Any

from rushlight.autograd.function import Function

__all__ = ["Resize", "Type"]


class Resize(Function):
    """``Resize.apply(tensor, sizes)``: the elements in another shape. RuntimeError where their number differs."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: tuple[int, ...]) -> Any:
        ctx.sizes, ctx.input_size = sizes, tensor.size()
        if math.prod(sizes) != tensor.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's resize can only "
                "change the shape of a given tensor, while preserving the number of elements. "
            )
        return tensor.contiguous().view(sizes)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.contiguous().view(ctx.input_size), None


class Type(Function):
    """``Type.apply(tensor, dtype)``: the elements in another dtype."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, dtype: Any) -> Any:
        ctx.dtype = tensor.dtype
        return tensor.to(dtype)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.to(ctx.dtype), None
