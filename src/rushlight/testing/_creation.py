"""``make_tensor``: tensors to test with."""

from __future__ import annotations

import math
import warnings
from typing import Any

import rushlight as torch

from ..base import dtypes

__all__ = ["make_tensor"]


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of random numbers in [low, high).

    By default these are [-9, 9) for floating and complex types, [-9, 10) for integers, [0, 10) for uint8, and both values
    for bool; bounds beyond what the type holds are cut.

    ``noncontiguous``  leaves gaps along the last dimension
    ``exclude_zero``   puts the smallest number other than zero where zero came out

    ValueError for bounds that hold nothing, and for arguments that exclude each other.

    >>> import rushlight as torch
    >>> from rushlight.testing import make_tensor
    >>> x = make_tensor((2, 3), dtype=torch.int8, device="cpu", low=1, high=2, noncontiguous=True)
    >>> x
    tensor([[1, 1, 1],
            [1, 1, 1]], dtype=torch.int8)
    >>> x.stride()
    (6, 2)
    """
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    is_inexact = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not is_inexact:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}")
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    floor, ceiling = _bounds(dtype, low, high)
    gaps = noncontiguous and math.prod(shape) > 1  # numbers are drawn for the gaps too
    if gaps:
        shape = (*shape[:-1], 2 * shape[-1])
    if not is_inexact:
        result = torch.randint(math.ceil(floor), math.ceil(ceiling), shape, dtype=dtype, device=device)
    else:
        result = torch.empty(shape, dtype=dtype, device=device)
        parts = torch.view_as_real(result) if dtype.is_complex else result
        if floor == ceiling:
            parts.fill_(floor)
        elif ceiling - floor >= torch.finfo(dtype).max:  # farther apart than the type can say
            parts.uniform_(floor / 2, ceiling / 2).mul_(2)
        else:
            parts.uniform_(floor, ceiling)
    if gaps:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result.eq(0)] = torch.finfo(dtype).tiny if is_inexact else 1
    return result.requires_grad_() if requires_grad else result


def _bounds(dtype: dtypes.dtype, low: float | None, high: float | None) -> tuple[float, float]:
    """The interval to draw from: what was asked for, as far as the type holds it."""
    default: tuple[float, float]
    limits: tuple[float, float]
    if dtype is dtypes.bool_:
        default, limits = (0, 2), (0, 2)
    elif dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        default, limits = (-9, 9), (info.min, info.max)
    else:
        whole = torch.iinfo(dtype)
        beyond = whole.max if dtype is dtypes.int64 else whole.max + 1  # which randint takes as an int64
        default, limits = (-9 if dtype.is_signed else 0, 10), (whole.min, beyond)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if low != low or high != high:
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype.kind_rank >= dtypes.FLOATING:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and "
            "will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < limits[0] or low >= limits[1]:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{limits[0]}, {limits[1]})"
        )
    return min(max(low, limits[0]), limits[1]), max(min(high, limits[1]), limits[0])
