"""Compiled running sums, products and extremes along an axis. They take float32 and float64, laid out in order first."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from . import native
from .half_precision import Array, DType

_Loop = Callable[[Array, Array, int, int], bool]


def _along(loop: _Loop, x: Array, axis: int, dtype: DType) -> Array | None:
    if x.dtype.char not in "fd" or not x.ndim or not x.size:
        return None
    out = np.empty(x.shape, dtype)
    inner = 1 if axis == x.ndim - 1 else math.prod(x.shape[axis + 1 :])
    return out if loop(out, x if x.flags.c_contiguous else np.ascontiguousarray(x), x.shape[axis], inner) else None


def _totals(name: str) -> Callable[..., Array | None]:
    loop: _Loop | None = getattr(native, name, None)

    def kernel(x: Array, axis: int, dtype: DType | None = None) -> Array | None:
        return _along(loop, x, axis, x.dtype) if loop and (dtype is None or dtype is x.dtype) else None

    return kernel


cumsum, cumprod, cumsum_from_end = _totals("running_sum"), _totals("running_product"), _totals("running_sum_back")


def _indices(name: str) -> Callable[[Array, int], Array | None]:
    loop: _Loop | None = getattr(native, name, None)
    return lambda x, axis: _along(loop, x, axis, np.dtype(np.int64)) if loop else None


argcummax, argcummin = _indices("last_maximum"), _indices("last_minimum")
