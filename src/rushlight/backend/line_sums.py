"""Adding up lines of an array, its rows or its columns, and with them what broadcasting stretched.

Lines of float32 are added up by products with ones, in a third of the time of NumPy's reductions, and of large matrices in parts
on BLAS's threads, in whose processors' caches elementwise work in parts has left them.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from . import parted, parted_products
from .numpy import MANY, Array, Shape

_SHORT = 16
_FEW = 8  # numbers of a line: fewer are added up one after another, as PyTorch does it
_SINGLE = np.dtype(np.float32)
# Above so many elements BLAS shares a product with a vector out to its threads, for which a matrix that one thread has just
# written is too far away: 1,000 x 1,024 floats took 950 us on two threads, in blocks on one 57.
_ON_ONE_THREAD = 400_000
_ROWS = 2048  # more are not added one after another: the sum would lose digits


@functools.lru_cache(256)
def _short_ones(count: int, dtype: np.dtype[Any]) -> Array:
    line = np.ones(count, dtype)
    line.flags.writeable = False
    return line


def ones(count: int, dtype: np.dtype[Any] = _SINGLE) -> Array:
    """A vector of ones, not to be written."""
    return _short_ones(count, dtype) if count < MANY else np.ones(count, dtype)


def row_products(rows: Array, weights: Array) -> Array:
    """``rows @ weights`` for a matrix and a vector."""
    out = parted_products.by_vector(rows, weights)
    if out is not None:
        return out
    if rows.size <= _ON_ONE_THREAD:
        return rows.dot(weights)
    each = max(1, _ON_ONE_THREAD // rows.shape[1])
    return np.concatenate([rows[start : start + each].dot(weights) for start in range(0, len(rows), each)])


def row_dots(a: Array, b: Array) -> Array:
    """The product of each row of a matrix with the same row of another."""
    products = parted.elementwise(np.multiply, (a, b))
    return np.vecdot(a, b) if products is None else row_products(products, ones(products.shape[1], products.dtype))


def weighted_rows(weights: Array, rows: Array) -> Array:
    """``weights @ rows`` for a vector and a matrix."""
    sums = parted_products.of_rows(weights, rows, _ROWS)
    if sums is not None:
        return np.add.reduce(sums, 0)  # type: ignore[no-any-return]
    each = min(_ROWS, max(1, _ON_ONE_THREAD // max(1, rows.shape[1])))
    total: Array = weights[:each].dot(rows[:each])
    for start in range(each, len(rows), each):
        total += weights[start : start + each].dot(rows[start : start + each])
    return total


def adds_lines(array: Array, axes: tuple[int, ...]) -> bool:
    """Whether whole lines of float32 are added up, one after another in memory."""
    if array.dtype is not _SINGLE or not array.flags.c_contiguous or array.strides[len(axes) - 1] < _SHORT * 4:
        return False
    return axes == tuple(range(len(axes))) and 0 < len(axes) < array.ndim


def adds_along_lines(array: Array, axes: tuple[int, ...]) -> bool:
    """Whether the numbers of each line of float32 are added up, which lie one after another in memory."""
    if array.dtype is not _SINGLE or axes != (array.ndim - 1,) or not _FEW <= array.shape[-1] <= _ROWS:
        return False
    return array.flags.c_contiguous


def sums_along_lines(array: Array, keepdims: bool) -> Array:
    """Sums over the last axis of an array for which :func:`adds_along_lines`."""
    *lines, length = array.shape
    sums = row_products(array.reshape(-1, length), ones(length))
    return sums.reshape(*lines, 1) if keepdims else sums.reshape(lines)


def column_sums(array: Array, axes: int, keepdims: bool) -> Array:
    """Sums over the first ``axes`` of an array for which :func:`adds_lines`."""
    shape = array.shape[axes:]
    rows = array.reshape(-1, math.prod(shape))
    sums = weighted_rows(ones(len(rows)), rows)
    return sums.reshape((1,) * axes + shape if keepdims else shape)


def total(array: Array, axes: tuple[int, ...] | None, keepdims: bool = False) -> Array:
    """Sum over axes; half precision accumulates in single, as PyTorch does."""
    if array.size >= MANY and axes is not None and adds_lines(array, axes):
        return column_sums(array, len(axes), keepdims)
    if array.dtype.itemsize == 2:
        return np.asarray(np.add.reduce(array.astype(np.float32), axes, keepdims=keepdims)).astype(array.dtype)  # type: ignore[call-overload]
    return np.asarray(np.add.reduce(array, axes, keepdims=keepdims))  # type: ignore[call-overload]


def stretched(have: Shape, shape: Shape) -> tuple[int, ...]:
    """The axes of ``have`` along which broadcasting stretched ``shape``; ValueError where it did not come from there."""
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(axis for axis, size in enumerate(shape, lead) if lead >= 0 and size == 1 != have[axis])
    if lead < 0 or any(size not in (1, full) for size, full in zip(shape, have[lead:], strict=True)):
        raise ValueError(f"cannot sum {have} to {shape}")
    return axes


def sum_to(array: Array, shape: Shape) -> Array:
    """Undoes broadcasting: sums ``array`` over the dimensions that were stretched from ``shape``."""
    have = array.shape
    if have == shape:
        return array
    lead = len(have) - len(shape)
    if lead > 0 and have[lead:] == shape:
        return total(array, tuple(range(lead)))
    axes = stretched(have, shape)
    if axes:
        array = total(array, axes, keepdims=True)
    return array.reshape(shape)


def fit(array: Array, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """A cotangent as its input needs it: broadcasting undone, and in the input's dtype (the real part for a real input)."""
    if array.shape != shape:
        array = sum_to(array, shape)
    if array.dtype != dtype:
        if array.dtype.kind == "c" and dtype.kind != "c":
            array = array.real
        array = array.astype(dtype)
    return array
