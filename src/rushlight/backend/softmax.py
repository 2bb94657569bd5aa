"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import register
from ..kernels import rows as compiled
from ..kernels.half_precision import kept
from . import summation
from .numpy import Array
from .reduce import Axes, narrow, settled, wide


@register(compiled.softmax)
def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if not x.size:
        return x.copy()
    whole = wide(x)
    out = np.exp(whole - summation.greatest(whole, axis, None, None, True))
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
    off = whole - summation.greatest(whole, axis, None, None, True)
    total = summation.add_up(np.exp(off), axis, None, None, True)
    if axis == x.ndim - 1:  # where PyTorch keeps it, and its logarithm, in the dtype of x
        out = off - kept(np.log(kept(total, x.dtype)), x.dtype)
    else:
        out = off - np.log(total)
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


@register(compiled.log_softmax_grad)
def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    whole = wide(v)
    return narrow(whole - np.exp(wide(y)) * summation.add_up(whole, axis, None, None, True), v.dtype)


def logsumexp(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    """Composed of functions in PyTorch, each of which rounds what it gives."""
    whole = wide(x)
    if not x.size:
        return settled(np.log(summation.add_up(whole, axis, None, None, keepdims)), x.dtype)
    high = summation.greatest(whole.real if x.dtype.kind == "c" else whole, axis, None, None, True)
    high = np.where(np.isinf(high), high.dtype.type(0), high)
    powers = kept(np.exp(kept(whole - high, x.dtype)), x.dtype)
    total = kept(np.log(kept(summation.add_up(powers, axis, None, None, keepdims), x.dtype)), x.dtype)
    return settled(total + (high if keepdims else np.squeeze(high, axis)), x.dtype)
