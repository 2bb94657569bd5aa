"""Kernels that run along an axis: running sums, products, extremes, and linear recurrences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import cumulative, register
from ..kernels.half_precision import is_half
from .choice import complex_logaddexp
from .numpy import Array, backwards, in_rows
from .reduce import double

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)

# Running totals of floats are kept in double, those of half precision in single, and rounded at each step.


def _accumulated(ufunc: np.ufunc, x: Array, axis: int, dtype: np.dtype[Any] | None) -> Array:
    if dtype is not None:
        x = x.astype(dtype)
    result = x.dtype
    if result is _SINGLE:
        x = x.astype(_DOUBLE)
    elif result.kind in "bui":
        if dtype is None:
            result = np.dtype(np.int64)
        x = x.astype(np.int64)
    else:
        x = x.astype(_SINGLE) if is_half(x) else double(x)
    if not x.ndim:
        return x.astype(result)
    if ufunc is np.multiply and result.kind == "c" and x.size:  # PyTorch begins with 1, a complex number
        x = x.copy()
        np.moveaxis(x, axis, 0)[0] *= x.dtype.type(1)
    out = ufunc.accumulate(x, axis)
    if ufunc is np.add and result.kind not in "bui":
        out += 0.0  # PyTorch begins with 0, to which -0 adds nothing
    return out.astype(result, "C", copy=False)


@register(cumulative.cumsum)
def cumsum(x: Array, axis: int, dtype: np.dtype[Any] | None = None) -> Array:
    return _accumulated(np.add, x, axis, dtype)


@register(cumulative.cumprod)
def cumprod(x: Array, axis: int, dtype: np.dtype[Any] | None = None) -> Array:
    return _accumulated(np.multiply, x, axis, dtype)


@register(cumulative.cumsum_from_end)
def cumsum_from_end(x: Array, axis: int) -> Array:
    """Running sums from the last element to the first: the adjoint of cumsum."""
    if not x.ndim:
        return x.copy()
    back = backwards(axis)
    return np.ascontiguousarray(_accumulated(np.add, x[back], axis, None)[back])


def recurrence(a: Array, b: Array, axis: int, reverse: bool = False) -> Array:
    """``s[i] = b[i] + a[i] * s[i - 1]`` along ``axis``, from the other end if ``reverse``."""
    out = np.array(b)
    rows, factors = np.moveaxis(out, axis, 0), np.moveaxis(a, axis, 0)
    size = len(rows)
    order = range(size - 2, -1, -1) if reverse else range(1, size)
    step = 1 if reverse else -1
    for index in order:
        rows[index] += factors[index] * rows[index + step]
    return out


def _running(x: Array, axis: int, ufunc: np.ufunc) -> Array:
    """The last place so far of the running extreme; nan, once met, stays."""
    if not x.ndim:
        return np.zeros((), np.int64)
    reached = ufunc.accumulate(x, axis) == x
    if x.dtype.kind in "fV":
        reached |= np.isnan(x)
    number = np.arange(x.shape[axis]).reshape([-1 if one == axis else 1 for one in range(x.ndim)])
    return in_rows(np.maximum.accumulate(np.where(reached, number, 0), axis))


@register(cumulative.argcummax)
def argcummax(x: Array, axis: int) -> Array:
    return _running(x, axis, np.maximum)


@register(cumulative.argcummin)
def argcummin(x: Array, axis: int) -> Array:
    return _running(x, axis, np.minimum)


def logcumsumexp(x: Array, axis: int) -> Array:
    if not x.ndim or not x.size:
        return x.copy()
    whole = double(x)
    if x.dtype.kind != "c":
        return (np.logaddexp.accumulate(whole, axis) + 0.0).astype(x.dtype, "C")  # no -0, as in cumsum
    out = np.array(whole, order="C")
    rows = np.moveaxis(out, axis, 0)
    nothing = total = np.full(rows.shape[1:], -np.inf + 0j)
    for index, row in enumerate(rows):
        rows[index] = total = complex_logaddexp(row, total, nothing)
    return out.astype(x.dtype)


def logcumsumexp_from_end(x: Array, axis: int) -> Array:
    if not x.ndim:
        return x.copy()
    back = backwards(axis)
    return np.ascontiguousarray(logcumsumexp(x[back], axis)[back])
