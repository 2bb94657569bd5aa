"""Kernels that reduce an array along axes: sums, products, extremes, moments, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array, Shape

Axes = tuple[int, ...]

# Up to this many elements a dot product with ones is the fastest sum: half the time of np.add.reduce.
_SMALL = 64
_ones: dict[Any, list[Array]] = {
    np.dtype(name): [np.ones(size, name) for size in range(_SMALL + 1)]
    for name in ("float32", "float64", "complex64", "complex128")
}


def _half(x: Array) -> bool:
    return x.dtype.itemsize == 2 and x.dtype.kind in "fV"


def _wide(x: Array) -> Array:
    """What ``x`` is summed in: single for half, int64 for booleans and small integers."""
    if _half(x):
        return x.astype(np.float32)
    if x.dtype.kind in "bui" and x.dtype != np.int64:
        return x.astype(np.int64)
    return x


def _narrow(out: Any, dtype: np.dtype[Any]) -> Any:
    return np.asarray(out).astype(dtype) if dtype.itemsize == 2 and dtype.kind in "fV" else out


def sum_all(x: Array, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        return sum_all(x.astype(dtype)).astype(dtype)
    ones = _ones.get(x.dtype)
    if ones is None:
        return _narrow(np.add.reduce(_wide(x), None), x.dtype)
    size = x.size
    return ones[size].dot(x.ravel()) if size <= _SMALL else np.add.reduce(x, None)


def sum(x: Array, axis: int | Axes | None, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        return sum(x.astype(dtype), axis, keepdims).astype(dtype)
    if x.dtype in _ones:
        return np.add.reduce(x, axis, None, None, keepdims)
    return _narrow(np.add.reduce(_wide(x), axis, keepdims=keepdims), x.dtype)


def mean_all(x: Array, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        return mean_all(x.astype(dtype))
    ones = _ones.get(x.dtype)
    size = x.size
    if ones is not None and size <= _SMALL:
        return ones[size].dot(x.ravel()) / size
    return _narrow(np.add.reduce(_wide(x), None) / size, x.dtype)


def mean(x: Array, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        x = x.astype(dtype)
    return _narrow(np.add.reduce(_wide(x), axis, None, None, keepdims) / count(x.shape, axis), x.dtype)


def count(shape: Shape, axis: Axes) -> int:
    """How many elements are reduced into one."""
    result = 1
    for one in axis:
        result *= shape[one]
    return result


def expand_number(g: Any, shape: Shape) -> Array:
    """``g``, of one element, at every place of ``shape``: the adjoint of the full sum."""
    out = np.empty(shape, g.dtype)
    out.fill(g)
    return out


def divide_number(g: Any, shape: Shape, divisor: int) -> Array:
    """``g / divisor`` at every place of ``shape``: the adjoint of the full mean."""
    out = np.empty(shape, g.dtype)
    out.fill(g.item() / divisor if divisor else 0)
    return out
