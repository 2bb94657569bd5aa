"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import summation
from .numpy import Array
from .reduce import Axes, narrow, settled, wide


def _highest(x: Array, axis: int | Axes) -> Any:
    return summation.greatest(x, axis, None, None, True)


def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return settled(out, x.dtype)


def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
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
