"""Adding up lines of an array, its rows or its columns.

Many numbers are added up by products with ones: of 4,096 x 8 floats, along columns or rows, in 10 us where NumPy's reductions take
110, of 512 x 512 in 40 where they take 50 and 140, of 64 x 20 x 64 along the middle in 14 where they take 44.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np

from ..kernels import native, register, rows
from . import threads
from .numpy import MANY, Array, Shape

_SINGLE = np.dtype(np.float32)
_REAL = frozenset((_SINGLE, np.dtype(np.float64)))
# Above so many elements BLAS shares a product with a vector out to its threads, for which a matrix that one thread has just
# written is too far away: 1,000 x 1,024 floats took 950 us on two threads, on one 57.
_ON_ONE_THREAD = 400_000
_ROWS = 2048  # more are not added one after another: the sum would lose digits
# Compiled kernels add few numbers too, in PyTorch's order (kernels/native/sums.h).
_FROM = MANY if native is None else 1
_FEW = 32  # up to so many, long ones, NumPy adds up as quickly as BLAS


@functools.lru_cache(256)
def _short_ones(count: int, dtype: np.dtype[Any]) -> Array:
    line = np.ones(count, dtype)
    line.flags.writeable = False
    return line


def ones(count: int, dtype: np.dtype[Any] = _SINGLE) -> Array:
    """A vector of ones, not to be written."""
    return _short_ones(count, dtype) if count < MANY else np.ones(count, dtype)


def sums(array: Array, axes: tuple[int, ...], keepdims: bool) -> Array | None:
    """Sums along axes of real numbers that lie in C order, many where NumPy adds; None where its reductions are to do it."""
    if array.size < _FROM or array.dtype not in _REAL or not array.flags.c_contiguous:
        return None
    first, sizes, kept, all_kept = _grouped(array.shape, axes)
    out = _sums_of_groups(array, first, sizes)
    return None if out is None else out.reshape(all_kept if keepdims else kept)


@register(rows.sums_of_groups)
def _sums_of_groups(array: Array, first: bool, sizes: Shape) -> Array | None:
    """Sums of axes that are taken together, of which every second goes, the ``first`` or the second of them."""
    with threads.blas_threads(1) if array.size > _ON_ONE_THREAD else contextlib.nullcontext():
        if len(sizes) == 3 - first:
            return _columns(array.reshape(sizes))
        if len(sizes) == 2 + first and sizes[-1] <= _ROWS and (not first or sizes[0] > _FEW):
            lines = array.reshape(-1, sizes[-1]).dot(ones(sizes[-1], array.dtype))
            return np.asarray(np.add.reduce(lines.reshape(sizes[:2]), 0)) if first else lines
    if len(sizes) == 3 and sizes[0] <= _ROWS:
        return np.asarray(np.add.reduce(np.add.reduce(array.reshape(sizes), 0), 1))
    return None


def _columns(rows: Array) -> Array:
    """Sums of the columns of matrices (..., rows, columns)."""
    total = np.asarray(np.matmul(ones(min(_ROWS, rows.shape[-2]), rows.dtype), rows[..., :_ROWS, :]))
    for start in range(_ROWS, rows.shape[-2], _ROWS):
        part = rows[..., start : start + _ROWS, :]
        total += np.matmul(ones(part.shape[-2], rows.dtype), part)
    return total


@functools.lru_cache(1024)
def _grouped(shape: Shape, axes: tuple[int, ...]) -> tuple[bool, Shape, Shape, Shape]:
    """Whether the first axis goes, the sizes of axes that go or stay taken together, and the shape without and with those that go."""
    going = {axis % len(shape) for axis in axes}
    all_kept = tuple(1 if axis in going else size for axis, size in enumerate(shape))
    kept = tuple(size for axis, size in enumerate(shape) if axis not in going)
    sizes: list[int] = []
    first, before = False, None
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        goes = axis in going
        if goes is before:
            sizes[-1] *= size
        else:
            sizes.append(size)
            first = first or (before is None and goes)
        before = goes
    return first, tuple(sizes), kept, all_kept


def total(array: Array, axes: tuple[int, ...] | None, keepdims: bool = False) -> Array:
    """Sum over axes; half precision accumulates in single, as PyTorch does."""
    out = None if axes is None else sums(array, axes, keepdims)
    if out is not None:
        return out
    if array.dtype.itemsize == 2:
        return np.asarray(np.add.reduce(array.astype(np.float32), axes, keepdims=keepdims)).astype(array.dtype)  # type: ignore[call-overload]
    return np.asarray(np.add.reduce(array, axes, keepdims=keepdims))  # type: ignore[call-overload]
