"""``make_tensor``: tensors to test with."""

from __future__ import annotations

from typing import Any

import rushlight as torch

from .. import dtypes

__all__ = ["make_tensor"]


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of random numbers in [low, high): by default [-9, 9), [0, 9) for uint8, both values for bool."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    size = (*shape[:-1], 2 * shape[-1]) if noncontiguous and shape else shape
    if dtype is dtypes.bool_:
        result = torch.randint(0, 2, size, dtype=dtype, device=device)
    elif dtype.is_floating_point or dtype.is_complex:
        floor, ceiling = -9 if low is None else low, 9 if high is None else high
        if dtype.is_complex:
            parts = torch.empty((*size, 2), dtype=dtype.to_real(), device=device).uniform_(floor, ceiling)
            result = torch.view_as_complex(parts)
        else:
            result = torch.empty(size, dtype=dtype, device=device).uniform_(floor, ceiling)
    else:
        floor = (-9 if dtype.is_signed else 0) if low is None else int(low)
        result = torch.randint(floor, 10 if high is None else int(high), size, dtype=dtype, device=device)
    if noncontiguous and shape:
        result = result[..., ::2]
    if exclude_zero:
        result[result.eq(0)] = 1 if not dtype.is_floating_point else torch.finfo(dtype).tiny
    if memory_format is not None:
        result = result.clone(memory_format=memory_format)
    return result.requires_grad_(requires_grad)
