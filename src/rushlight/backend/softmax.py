"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import summation
from .numpy import Array
from .reduce import Axes, narrow, settled, wide


def _highest(x: Array, axis: int | Axes) -> Any:
    return summation.greatest(x, axis, None, None, True)


# From so many numbers of float32 on, rows are added up by a product with ones: a sixth of the time.
_SINGLE, _MANY, _LONGEST = np.dtype(np.float32), 1 << 12, 1 << 11
_SAFE = 40.0  # exp of it, 2048 times over, is far from overflow


def _long_rows(x: Array, axis: int | tuple[()]) -> bool:
    return x.size >= _MANY and x.dtype is _SINGLE and axis == x.ndim - 1 and x.flags.c_contiguous and x.shape[-1] <= _LONGEST


def _row_sums(rows: Array) -> Array:
    return (rows @ np.ones(rows.shape[1], rows.dtype))[:, None]


def _softmax_of_rows(x: Array) -> Array | None:
    """Without taking away each row's maximum, where no number overflows and each sum is so large that none is lost."""
    rows = x.reshape(-1, x.shape[-1])
    if not summation.greatest(rows, None) <= _SAFE:
        return None
    out = np.exp(rows)
    sums = _row_sums(out)
    if not summation.least(sums, None) >= 1:
        return None
    return np.divide(out, sums, out).reshape(x.shape)


def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    if _long_rows(x, axis):
        found = _softmax_of_rows(x)
        if found is not None:
            return found
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return settled(out, x.dtype)


def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if _long_rows(v, axis) and _long_rows(y, axis):
        rows = y.reshape(-1, y.shape[-1])
        out = np.multiply(v.reshape(rows.shape), rows)
        part = rows * _row_sums(out)
        return np.subtract(out, part, out).reshape(v.shape)
    product = wide(v) * wide(y)
    return narrow(product - wide(y) * summation.add_up(product, axis, None, None, True), v.dtype)


def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    whole = wide(x)
    off = whole - _highest(whole, axis)
    return settled(off - np.log(summation.add_up(np.exp(off), axis, None, None, True)), x.dtype)


def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
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
