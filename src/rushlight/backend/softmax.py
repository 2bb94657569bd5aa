"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import register
from ..kernels import rows as compiled
from . import summation
from .numpy import Array
from .reduce import Axes, narrow, settled, wide

_FIRST = np.zeros(1, np.intp)  # where the one segment of an axis begins


def _highest(x: Array, axis: int | Axes) -> Any:
    if axis == x.ndim - 1 and x.flags.c_contiguous:  # by segments rows take half to three quarters of the time
        return np.maximum.reduceat(x, _FIRST, axis)
    return summation.greatest(x, axis, None, None, True)


@register(compiled.softmax)
def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


@register(compiled.softmax_grad)
def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    given, whole = wide(v), wide(y)
    return narrow((given - summation.add_up(given * whole, axis, None, None, True)) * whole, v.dtype)


@register(compiled.log_softmax)
def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    whole = wide(x)
    off = whole - _highest(whole, axis)
    out = off - np.log(summation.add_up(np.exp(off), axis, None, None, True))
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


@register(compiled.log_softmax_grad)
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
