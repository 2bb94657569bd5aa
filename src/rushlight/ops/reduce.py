"""Reductions: sums, products, extremes, moments and norms, over all elements or along dimensions."""

from __future__ import annotations

import math
from typing import Any

from ..backend import reduce as k
from .public import axes_of, ops, public
from .reading import expand
from .table import op

# Sums and means. The cotangent of a full reduction is one number, put at every place of the input.

op("sum_all", k.sum_all, node="SumBackward0", kind="linear", x=lambda g, xp, x_shape: xp.expand_number(g, x_shape))
op(
    "sum", k.sum, node="SumBackward1", kind="linear",
    x=lambda g, xp, x_shape, axis, keepdims: xp.expand(expand(g, axis, keepdims, len(x_shape)), x_shape),
)  # fmt: skip
op("mean_all", k.mean_all, node="MeanBackward0", kind="linear",
   x=lambda g, xp, x_shape: xp.divide_number(g, x_shape, math.prod(x_shape)))  # fmt: skip
op(
    "mean", k.mean, node="MeanBackward1", kind="linear",
    x=lambda g, xp, x_shape, axis, keepdims: xp.divide_by(
        xp.expand(expand(g, axis, keepdims, len(x_shape)), x_shape), max(k.count(x_shape, axis), 1)),
)  # fmt: skip
op("expand_number", k.expand_number, node="ExpandBackward0", kind="linear",
   g=lambda g, xp: xp.sum_all(g))  # fmt: skip
op("divide_number", k.divide_number, node="DivBackward1", kind="linear",
   g=lambda g, xp, divisor: xp.divide_by(xp.sum_all(g), max(divisor, 1)))  # fmt: skip
op("divide_by", lambda x, divisor: x / divisor, node="DivBackward1", kind="linear",
   x=lambda g, xp, divisor: xp.divide_by(g, divisor))  # fmt: skip


@public()
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all elements, or along one or several dimensions. Integers and booleans are summed in int64.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=1)
    tensor([3., 7.])
    """
    if dtype is not None:
        dtype = dtype.numpy
    if dim is None and not keepdim:
        return ops.sum_all(input) if dtype is None else ops.sum_all(input, dtype)
    return ops.sum(input, axes_of(dim, input._array.ndim), bool(keepdim), dtype)


@public()
def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all elements, or along one or several dimensions; RuntimeError for integers.

    >>> import rushlight as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0)
    tensor([2., 3.])
    """
    if (input._array.dtype if dtype is None else dtype.numpy).kind in "bui":
        if dtype is None:
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
                f"{input.dtype.scalar_name}"
            )
        raise RuntimeError(
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: "
            f"{dtype.scalar_name}"
        )
    if dtype is not None:
        dtype = dtype.numpy
    if dim is None and not keepdim:
        return ops.mean_all(input, dtype)
    return ops.mean(input, axes_of(dim, input._array.ndim), bool(keepdim), dtype)
