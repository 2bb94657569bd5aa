"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import summation
from .numpy import Array, ones, row_products
from .reduce import Axes, narrow, settled, wide


def _highest(x: Array, axis: int | Axes) -> Any:
    return summation.greatest(x, axis, None, None, True)


# From so many numbers of float32 on, rows are added up by a product with ones: a sixth of the time for many, half for some.
_SINGLE, _SOME, _MANY, _LONGEST = np.dtype(np.float32), 1 << 9, 1 << 12, 1 << 11
_SAFE = 40  # exp of it, 2048 times over, is far from overflow
_LEAST = 1e-6


def long_rows(x: Array, axis: int | tuple[()], least: int = _MANY) -> bool:
    return x.size >= least and x.dtype is _SINGLE and axis == x.ndim - 1 and x.flags.c_contiguous and x.shape[-1] <= _LONGEST


def _highest_of_rows(rows: Array) -> Array:
    """Each row's maximum; of many short rows those of all places at once."""
    if len(rows) >= 32 >= rows.shape[1]:
        return np.asarray(summation.greatest(rows.T.copy(), 0))[:, None]
    return np.asarray(_highest(rows, 1))


def _row_sums(rows: Array) -> Array:
    return row_products(rows, ones(rows.shape[1]))[:, None]


def by_one_shift(x: Array) -> Array | None:
    """Softmax over long rows without each row's maximum, which takes twice as long to find.

    One number may be taken away from all where none overflows then and no row's sum is so small that much of it is lost; a
    whole number, so that there is no rounding error of consequence. None where there is no such number.
    """
    rows = x.reshape(-1, x.shape[-1])
    most = summation.greatest(rows, None)
    shift = 0 if most <= _SAFE else np.floor(most - _SAFE)
    out = np.exp(rows if not shift else rows - shift)
    sums = _row_sums(out)
    return np.divide(out, sums, out).reshape(x.shape) if summation.least(sums, None) >= _LEAST else None


def _softmax_of_rows(x: Array) -> Array:
    found = by_one_shift(x) if x.size >= _MANY else None
    if found is not None:
        return found
    rows = x.reshape(-1, x.shape[-1])
    out = rows - _highest_of_rows(rows)
    np.exp(out, out)
    return np.divide(out, _row_sums(out), out).reshape(x.shape)


def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    if long_rows(x, axis, _SOME):
        return _softmax_of_rows(x)
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return settled(out, x.dtype)


def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if long_rows(v, axis) and long_rows(y, axis):
        rows, lines = y.reshape(-1, y.shape[-1]), v.reshape(-1, v.shape[-1])
        out = lines - np.vecdot(lines, rows)[:, None]
        return np.multiply(out, rows, out).reshape(v.shape)
    product = wide(v) * wide(y)
    return narrow(product - wide(y) * summation.add_up(product, axis, None, None, True), v.dtype)


def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    if long_rows(x, axis, _SOME):
        rows = x.reshape(-1, x.shape[-1])
        off = rows - _highest_of_rows(rows)
        return np.subtract(off, np.log(_row_sums(np.exp(off))), off).reshape(x.shape)
    whole = wide(x)
    off = whole - _highest(whole, axis)
    return settled(off - np.log(summation.add_up(np.exp(off), axis, None, None, True)), x.dtype)


def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if long_rows(v, axis) and long_rows(y, axis):
        lines = v.reshape(-1, v.shape[-1])
        out = np.exp(y.reshape(lines.shape))
        np.multiply(out, _row_sums(lines), out)
        return np.subtract(lines, out, out).reshape(v.shape)
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
