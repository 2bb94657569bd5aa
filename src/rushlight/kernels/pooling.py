"""Compiled pooling over windows, of one size or of bins that cover the last axes. It takes float32 and float64.

All windows are boxes: each axis says where they begin, where they end, and how much they count in what a mean divides by.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
_MOST = 1 << 53  # that a mean may be over


def pool_shape(spatial: Sequence[int], kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool) -> Shape:
    """The shape of the pooled axes. In ceil mode the last window may hang over the end, but not begin beyond it."""
    out = []
    for size, taps, step, pad, spread in zip(spatial, kernel, stride, padding, dilation, strict=True):
        room = size + 2 * pad - spread * (taps - 1) - 1
        count = (-(-room // step) if ceil_mode else room // step) + 1
        if ceil_mode and (count - 1) * step >= size + pad:
            count -= 1
        out.append(count)
    return tuple(out)


@functools.lru_cache(256)
def _windows(
    spatial: Shape,
    out: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    with_pad: bool,
    override: int | None,
) -> Array:
    """The bounds of windows of one size, of three axes; a mean counts the padding ``with_pad``, or is over ``override``."""
    bounds = [np.array([0, 1, 1]) for _ in range(3 - len(spatial))]
    for axis, (size, count, taps, step, pad, spread) in enumerate(
        zip(spatial, out, kernel, stride, padding, dilation, strict=True)
    ):
        start = np.arange(count) * step - pad
        begin = start + np.maximum(0, -(start // spread)) * spread
        end = np.minimum(start + (taps - 1) * spread + 1, size)
        counts = np.minimum(start + taps, size + pad) - start if with_pad else end - begin
        if override is not None:
            counts = np.full(count, 1 if axis else override)
        bounds += [begin, end, counts]
    return np.concatenate(bounds)


@functools.lru_cache(256)
def _bins(spatial: Shape, size: Shape) -> Array:
    bounds = [np.array([0, 1, 1]) for _ in range(3 - len(spatial))]
    for have, want in zip(spatial, size, strict=True):
        number = np.arange(want)
        begin, end = number * have // want, -(-(number + 1) * have // want)
        bounds += [begin, end, end - begin]
    return np.concatenate(bounds)


def _sizes(shape: Shape, out: Shape, steps: Shape = ()) -> Shape:
    """As native/box_functions.cpp has them: how many planes, their axes, those of windows, and how far apart taps are."""
    rank = len(out)
    ones = (1,) * (3 - rank)
    return (
        math.prod(shape[: len(shape) - rank]),
        *ones,
        *shape[len(shape) - rank :],
        *ones,
        *out,
        *ones,
        *(steps or (1,) * rank),
    )


def _are_taken(x: Array, *shapes: Shape) -> bool:
    return native is not None and x.dtype.char in "fd" and x.size > 0 and all(min(shape, default=1) > 0 for shape in shapes)


def _maxima(x: Array, out: Shape, bounds: Array, steps: Shape = ()) -> tuple[Array, Array] | None:
    shape = (*x.shape[: x.ndim - len(out)], *out)
    values, indices = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    done = native is not None and native.box_maxima(
        values, indices, np.ascontiguousarray(x), bounds, _sizes(x.shape, out, steps)
    )
    return (values, indices) if done else None


def max_pool(
    x: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool = False
) -> tuple[Array, Array] | None:
    spatial = x.shape[x.ndim - len(kernel) :]
    out = pool_shape(spatial, kernel, stride, padding, dilation, ceil_mode)
    if not _are_taken(x, out):
        return None
    return _maxima(x, out, _windows(spatial, out, kernel, stride, padding, dilation, False, None), dilation)


def adaptive_max_pool(x: Array, size: Shape) -> tuple[Array, Array] | None:
    return _maxima(x, size, _bins(x.shape[x.ndim - len(size) :], size)) if _are_taken(x, size) else None


def pool_scatter(g: Array, indices: Array, x_shape: Shape, rank: int) -> Array | None:
    if native is None or not _are_taken(g, x_shape):
        return None
    x = np.zeros(x_shape, g.dtype)
    planes = math.prod(x_shape[: len(x_shape) - rank])
    sizes = (planes, x.size // planes, g.size // planes)
    return x if native.pool_scatter(x, np.ascontiguousarray(g), np.ascontiguousarray(indices), sizes) else None


def _means(x: Array, out: Shape, bounds: Array) -> Array | None:
    values = np.empty((*x.shape[: x.ndim - len(out)], *out), x.dtype)
    done = native is not None and native.box_means(values, None, np.ascontiguousarray(x), bounds, _sizes(x.shape, out))
    return values if done else None


def _means_back(g: Array, x_shape: Shape, rank: int, bounds: Array) -> Array | None:
    x = np.empty(x_shape, g.dtype)
    sizes = _sizes(x_shape, g.shape[g.ndim - rank :])
    done = native is not None and native.box_means_backward(x, None, np.ascontiguousarray(g), bounds, sizes)
    return x if done else None


def avg_pool(
    x: Array,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array | None:
    spatial, ones = x.shape[x.ndim - len(kernel) :], (1,) * len(kernel)
    out = pool_shape(spatial, kernel, stride, padding, ones, ceil_mode)
    if not _are_taken(x, out) or abs(divisor_override or 0) > _MOST:
        return None
    return _means(x, out, _windows(spatial, out, kernel, stride, padding, ones, count_include_pad, divisor_override))


def avg_pool_input_grad(
    g: Array,
    x_shape: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array | None:
    rank = len(kernel)
    if not _are_taken(g, x_shape) or abs(divisor_override or 0) > _MOST:
        return None
    spatial, out, ones = x_shape[len(x_shape) - rank :], g.shape[g.ndim - rank :], (1,) * rank
    bounds = _windows(spatial, out, kernel, stride, padding, ones, count_include_pad, divisor_override)
    return _means_back(g, x_shape, rank, bounds)


def adaptive_avg_pool(x: Array, size: Shape) -> Array | None:
    return _means(x, size, _bins(x.shape[x.ndim - len(size) :], size)) if _are_taken(x, size) else None


def adaptive_avg_pool_input_grad(g: Array, x_shape: Shape, rank: int) -> Array | None:
    if not _are_taken(g, x_shape):
        return None
    return _means_back(g, x_shape, rank, _bins(x_shape[len(x_shape) - rank :], g.shape[g.ndim - rank :]))
