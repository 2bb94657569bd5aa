"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import summation
from .numpy import Array, ones, row_products
from .reduce import Axes, narrow, settled, wide

_FIRST = np.zeros(1, np.intp)  # where the one segment of an axis begins


def _highest(x: Array, axis: int | Axes) -> Any:
    if axis == x.ndim - 1 and x.flags.c_contiguous:  # by segments rows take half to three quarters of the time
        return np.maximum.reduceat(x, _FIRST, axis)
    return summation.greatest(x, axis, None, None, True)


# From so many numbers of float32 on, rows are added up by a product with ones: a sixth of the time for many, half for some.
_SINGLE, _SOME, _MANY, _LONGEST = np.dtype(np.float32), 1 << 9, 1 << 12, 1 << 11
_SAFE = 40  # exp of it, 2048 times over, is far from overflow
_LEAST = 1e-6


def long_rows(x: Array, axis: int | tuple[()], least: int = _MANY) -> bool:
    return x.size >= least and x.dtype is _SINGLE and axis == x.ndim - 1 and x.flags.c_contiguous and x.shape[-1] <= _LONGEST


# Below, rows are given as one line. What belongs to a row is repeated along it: two thirds of the time of broadcasting.


def _highest_of_rows(line: Array, length: int) -> Array:
    """Each row's maximum; of many short rows those of all places at once."""
    rows = line.reshape(-1, length)
    if len(rows) >= 64 and length <= 32:
        return np.asarray(summation.greatest(rows.T.copy(), 0))
    return np.asarray(_highest(rows, 1)).reshape(-1)


def _row_sums(line: Array, length: int) -> Array:
    return row_products(line.reshape(-1, length), ones(length))


def by_one_shift(x: Array) -> Array | None:
    """Softmax over long rows without each row's maximum, which takes twice as long to find.

    One number may be taken away from all where none overflows then and no row's sum is so small that much of it is lost; a
    whole number, so that there is no rounding error of consequence. None where there is no such number.
    """
    line, length = x.reshape(-1), x.shape[-1]
    most = summation.greatest(line, None)
    shift = 0 if most <= _SAFE else np.floor(most - _SAFE)
    out = np.exp(line if not shift else line - shift)
    sums = _row_sums(out, length)
    return np.divide(out, sums.repeat(length), out).reshape(x.shape) if summation.least(sums, None) >= _LEAST else None


def _softmax_of_rows(x: Array) -> Array:
    found = by_one_shift(x) if x.size >= _MANY else None
    if found is not None:
        return found
    line, length = x.reshape(-1), x.shape[-1]
    out = line - _highest_of_rows(line, length).repeat(length)
    np.exp(out, out)
    return np.divide(out, _row_sums(out, length).repeat(length), out).reshape(x.shape)


def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    if x.size >= _SOME and long_rows(x, axis, _SOME):
        return _softmax_of_rows(x)
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if v.size >= _MANY and long_rows(v, axis) and long_rows(y, axis):
        rows, lines = y.reshape(-1, y.shape[-1]), v.reshape(-1, v.shape[-1])
        out = lines - np.vecdot(lines, rows)[:, None]
        return np.multiply(out, rows, out).reshape(v.shape)
    product = wide(v) * wide(y)
    return narrow(product - wide(y) * summation.add_up(product, axis, None, None, True), v.dtype)


def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    if x.size >= _SOME and long_rows(x, axis, _SOME):
        line, length = x.reshape(-1), x.shape[-1]
        off = line - _highest_of_rows(line, length).repeat(length)
        total = np.log(_row_sums(np.exp(off), length))
        return np.subtract(off, total.repeat(length), off).reshape(x.shape)
    whole = wide(x)
    off = whole - _highest(whole, axis)
    out = off - np.log(summation.add_up(np.exp(off), axis, None, None, True))
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if v.size >= _MANY and long_rows(v, axis) and long_rows(y, axis):
        line, length = v.reshape(-1), v.shape[-1]
        out = np.exp(y.reshape(-1))
        np.multiply(out, _row_sums(line, length).repeat(length), out)
        return np.subtract(line, out, out).reshape(v.shape)
    whole = wide(v)
    return narrow(whole - np.exp(wide(y)) * summation.add_up(whole, axis, None, None, True), v.dtype)


def logsumexp(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    whole = wide(x)
    if not x.size:
        return settled(np.log(summation.add_up(whole, axis, None, None, keepdims)), x.dtype)
    high = _highest(whole.real if x.dtype.kind == "c" else whole, axis)
    high = np.where(np.isinf(high), high.dtype.type(0), high)
    total = np.log(summation.add_up(np.exp(whole - high), axis, None, None, keepdims))
    return settled(total + (high if keepdims else np.squeeze(high, axis)), x.dtype)
