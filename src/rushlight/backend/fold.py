"""Windows of images laid out as columns, and back: unfold and fold, im2col and col2im."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from .convolution import conv_shape
from .numpy import Array, Shape


def seen_at_taps(room: Array, counts: Shape, kernel: Shape, stride: Shape, dilation: Shape) -> Iterator[Array]:
    """For each tap of a window, in row-major order, what ``counts`` windows over the last axes see there."""
    for taps in product(*map(range, kernel)):
        axes = zip(taps, counts, stride, dilation, strict=True)
        seen = [slice(tap * spread, tap * spread + (count - 1) * step + 1, step) for tap, count, step, spread in axes]
        place: Any = (..., *seen)
        yield room[place]


def unfold(x: Array, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The windows of x (N, C, *spatial) as the columns of an array (N, C * prod(kernel), windows)."""
    counts = conv_shape(x.shape[2:], kernel, stride, padding, dilation)
    held = np.pad(x, ((0, 0), (0, 0), *((pad, pad) for pad in padding)))
    columns = np.stack(list(seen_at_taps(held, counts, kernel, stride, dilation)), 2)
    return columns.reshape(x.shape[0], x.shape[1] * math.prod(kernel), math.prod(counts))


def fold(columns: Array, size: Shape, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The transpose of ``unfold``: columns (N, C * prod(kernel), windows) added up into an array (N, C, *size)."""
    batch, channels = columns.shape[0], columns.shape[1] // math.prod(kernel)
    counts = conv_shape(size, kernel, stride, padding, dilation)
    parts = columns.reshape(batch, channels, math.prod(kernel), *counts)
    held = np.zeros((batch, channels, *(length + 2 * pad for length, pad in zip(size, padding, strict=True))), columns.dtype)
    for tap, seen in enumerate(seen_at_taps(held, counts, kernel, stride, dilation)):
        seen += parts[:, :, tap]
    inner: Any = (..., *(slice(pad, pad + length) for length, pad in zip(size, padding, strict=True)))
    return np.ascontiguousarray(held[inner])


def im2col(x: Array, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``unfold`` of what may be a single sample."""
    columns = unfold(x if x.ndim == 4 else x[None], window, dilation, padding, stride)
    return columns if x.ndim == 4 else columns[0]


def col2im(columns: Array, size: Shape, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``fold`` of what may be a single sample."""
    if columns.ndim == 3:
        return fold(columns, size, window, dilation, padding, stride)
    return fold(columns[None], size, window, dilation, padding, stride)[0]
