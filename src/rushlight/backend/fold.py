"""Windows of images laid out as columns, and back: unfold and fold, im2col and col2im."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from .numpy import Array, Shape


def unfold(x: Array, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The windows of x (N, C, *spatial) as the columns of an array (N, C * prod(kernel), windows)."""
    batch, channels = x.shape[:2]
    around = ((0, 0), (0, 0), *((pad, pad) for pad in padding))
    held = np.pad(x, around) if any(padding) else np.ascontiguousarray(x)
    out = window_counts(x.shape[2:], kernel, dilation, padding, stride)
    along = held.strides[2:]
    windows: Array = np.ndarray(
        (batch, channels, *kernel, *out),
        x.dtype,
        held,
        0,
        (
            *held.strides[:2],
            *(spread * step for spread, step in zip(dilation, along, strict=True)),
            *(apart * step for apart, step in zip(stride, along, strict=True)),
        ),
    )
    return windows.reshape(batch, channels * math.prod(kernel), math.prod(out))


def fold(columns: Array, size: Shape, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The transpose of ``unfold``: columns (N, C * prod(kernel), windows) added up into an array (N, C, *size)."""
    batch, channels = columns.shape[0], columns.shape[1] // math.prod(kernel)
    out = window_counts(size, kernel, dilation, padding, stride)
    windows = columns.reshape(batch, channels, *kernel, *out)
    held = np.zeros((batch, channels, *(length + 2 * pad for length, pad in zip(size, padding, strict=True))), columns.dtype)
    for taps in product(*(range(length) for length in kernel)):
        place: Any = (
            ...,
            *(
                slice(tap * spread, tap * spread + (count - 1) * step + 1, step)
                for tap, spread, count, step in zip(taps, dilation, out, stride, strict=True)
            ),
        )
        held[place] += windows[_channels_and(taps)]
    inner: Any = (..., *(slice(pad, pad + length) for length, pad in zip(size, padding, strict=True)))
    return np.ascontiguousarray(held[inner])


def _channels_and(taps: Shape) -> Any:
    return (slice(None), slice(None), *taps)


def window_counts(size: Shape, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Shape:
    """How many windows there are along each axis."""
    axes = zip(size, kernel, dilation, padding, stride, strict=True)
    return tuple((length + 2 * pad - spread * (taps - 1) - 1) // step + 1 for length, taps, spread, pad, step in axes)


def im2col(x: Array, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``unfold`` of what may be a single sample."""
    columns = unfold(x if x.ndim == 4 else x[None], window, dilation, padding, stride)
    if np.may_share_memory(columns, x):  # a window as large as one pixel or the image
        columns = columns.copy()
    return columns if x.ndim == 4 else columns[0]


def col2im(columns: Array, size: Shape, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``fold`` of what may be a single sample."""
    if columns.ndim == 3:
        return fold(columns, size, window, dilation, padding, stride)
    return fold(columns[None], size, window, dilation, padding, stride)[0]
