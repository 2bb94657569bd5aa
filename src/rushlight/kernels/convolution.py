"""Compiled convolutions of one to three dimensions, and their gradients. They take float32 and float64, laid out in order first
where they are not: that is little beside the rest.

What is a product of matrices as it is (one tap, every position) is left to BLAS.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
# So many weights for so few windows are quicker laid out by BLAS.
_MANY_WEIGHTS, _FEW_WINDOWS = 300_000, 1000


def _takes(a: Array, b: Array) -> bool:
    return a.dtype is b.dtype and a.dtype.char in "fd" and 2 < a.ndim < 6 and a.size > 0 and b.size > 0


def _in_order(*arrays: Array) -> tuple[Array, ...]:
    return tuple(map(np.ascontiguousarray, arrays))


def _sizes(x: Shape, w: Shape, out: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int) -> Shape | None:
    """What native/convolution.h calls a Convolution, of three dimensions always; None where NumPy's is as good."""
    taps = math.prod(w[2:])
    if (taps == 1 and max(stride) == 1 and not any(padding)) or not all(out):
        return None
    if math.prod(w) > _MANY_WEIGHTS and x[0] * math.prod(out) < _FEW_WINDOWS:
        return None
    ones = (1,) * (5 - len(x))
    spatial = (*ones, *x[2:], *ones, *w[2:], *ones, *out, *ones, *stride)
    return (x[0], groups, w[1], w[0] // groups, *spatial, *(0,) * len(ones), *padding, *ones, *dilation)


def conv(
    x: Array, w: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1, bias: Array | None = None
) -> Array | None:
    if native is None or not _takes(x, w):
        return None
    axes = zip(x.shape[2:], w.shape[2:], stride, padding, dilation, strict=True)
    out = tuple((size + 2 * pad - spread * (taps - 1) - 1) // step + 1 for size, taps, step, pad, spread in axes)
    sizes = _sizes(x.shape, w.shape, out, stride, padding, dilation, groups)
    if sizes is None or min(out) < 1:
        return None
    y = np.empty((x.shape[0], w.shape[0], *out), x.dtype)
    return y if native.conv(y, *_in_order(x, w), bias, sizes) else None


def conv_input_grad(
    g: Array, w: Array, x_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array | None:
    if native is None or not _takes(g, w) or not all(x_shape):
        return None
    sizes = _sizes(x_shape, w.shape, g.shape[2:], stride, padding, dilation, groups)
    if sizes is None:
        return None
    x = np.empty(x_shape, g.dtype)
    return x if native.conv_input_grad(x, *_in_order(g, w), None, sizes) else None


def conv_weight_grad(
    g: Array, x: Array, w_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array | None:
    """None too where a sum is not finite: the loops multiply elements that no window sees by zero."""
    if native is None or not _takes(g, x):
        return None
    sizes = _sizes(x.shape, w_shape, g.shape[2:], stride, padding, dilation, groups)
    if sizes is None:
        return None
    w = np.empty(w_shape, x.dtype)
    return w if native.conv_weight_grad(w, *_in_order(g, x), None, sizes) else None
