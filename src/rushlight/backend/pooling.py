"""Pooling over the last axes of an array: the value, the transpose of each kernel, and the indices of maxima.

``indices`` count the elements of the pooled axes of the input in row-major order. With them a maximum is a gather
(``pool_gather``), whose transpose is a scatter (``pool_scatter``): each is the other's derivative, to any order.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels import pooling as compiled
from ..kernels import register
from ..kernels.half_precision import is_half
from ..kernels.pooling import pool_shape
from .bits import only
from .fold import seen_at_taps
from .numpy import Array, Shape, rounded_once


@register(compiled.max_pool)
def max_pool(
    x: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool = False
) -> tuple[Array, Array]:
    """Maxima over windows of the last ``len(kernel)`` axes, and their indices: the first of equals, the last nan."""
    rank = len(kernel)
    spatial = x.shape[-rank:]
    out = pool_shape(spatial, kernel, stride, padding, dilation, ceil_mode)
    values = np.empty((*x.shape[:-rank], *out), x.dtype)
    indices = np.empty(values.shape, np.int64)
    if values.size == 0:
        return values, indices
    axes = tuple(zip(spatial, out, kernel, stride, padding, dilation, strict=True))
    first_tap, first_index, offsets = _tap_indices(axes)
    room, lowest = _padded(x, axes), _lowest(x.dtype)
    values[...] = lowest
    place = np.empty(values.shape, offsets.dtype)
    place[...] = offsets[first_tap]
    for offset, window in zip(offsets, seen_at_taps(room, out, kernel, stride, dilation), strict=True):
        greater = np.greater(window, values)
        np.maximum(values, window, out=values)
        np.maximum(place, np.multiply(greater.view(np.uint8), offset, dtype=place.dtype), out=place)
    if values.dtype.kind not in "iu" and np.isnan(values).any():
        for offset, window in zip(offsets, seen_at_taps(room, out, kernel, stride, dilation), strict=True):
            place[np.isnan(window)] = offset
    np.add(place, first_index, out=indices)
    return values, indices


@functools.lru_cache(256)
def _tap_indices(axes: tuple[tuple[int, ...], ...]) -> tuple[Array, Array, Array]:
    """For each window the first of its taps that lies inside the input, and the index at which it begins; and for each tap, in
    row-major order, how much further on it lies: greater numbers each time, in as few bytes as will hold them."""
    zero: Array = np.zeros((), np.int64)
    first_tap, first_index, offsets = zero, zero, zero
    for size, count, taps, step, pad, spread in axes:
        begins = np.arange(count) * step - pad
        skipped = np.maximum(0, -(begins // spread))
        first_tap = first_tap[..., None] * taps + skipped
        first_index = first_index[..., None] * size + begins
        offsets = offsets[..., None] * size + np.arange(taps) * spread
    offsets = offsets.reshape(-1)
    return first_tap, first_index, offsets.astype(np.min_scalar_type(offsets[-1]))


def pool_gather(x: Array, indices: Array, rank: int) -> Array:
    """The elements of the last ``rank`` axes of x at ``indices`` (whose leading axes are x's)."""
    lead = x.shape[:-rank]
    indices, inside = _inside(indices, x.shape, rank)
    flat = np.take_along_axis(
        x.reshape(*lead, math.prod(x.shape[-rank:])), indices.reshape(*lead, math.prod(indices.shape[-rank:])), axis=-1
    ).reshape(indices.shape)
    return flat if inside is None else only(flat, inside)


def _inside(indices: Array, shape: Shape, rank: int) -> tuple[Array, Array | None]:
    """Indices into planes, and which of them lie there if not all do: that of a window wholly in the padding may not, and is made 0."""
    plane = math.prod(shape[-rank:])
    if indices.max(initial=0) < plane:
        return indices, None
    inside = indices < plane
    return only(indices, inside), inside


@register(compiled.pool_scatter)
def pool_scatter(g: Array, indices: Array, x_shape: Shape, rank: int) -> Array:
    """The transpose of ``pool_gather``: zeros of ``x_shape`` with g added at ``indices``."""
    x = np.zeros(x_shape, g.dtype)
    indices, inside = _inside(indices, x_shape, rank)
    if inside is not None:
        g = only(g, inside)
    np.add.at(x.reshape(-1), _absolute(indices, x_shape, rank), g.reshape(-1))
    return x


def max_unpool(x: Array, indices: Array, size: Shape) -> Array:
    """Zeros with the last axes ``size``, where x is written at ``indices``; of equal indices the last one counts."""
    rank = len(size)
    outside = (indices < 0) | (indices >= math.prod(size))
    if outside.any():
        volume = size if rank > 1 else (*size, 1)
        raise RuntimeError(
            f"Found an invalid max index: {int(indices[outside][-1])} "
            f"(output volumes are of size {'x'.join(str(length) for length in volume)})"
        )
    shape = (*x.shape[:-rank], *size)
    y = np.zeros(shape, x.dtype)
    y.reshape(-1)[_absolute(indices, shape, rank)] = x.reshape(-1)
    return y


@register(compiled.avg_pool)
@rounded_once
def avg_pool(
    x: Array,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Means over windows of the last ``len(kernel)`` axes."""
    rank = len(kernel)
    ones = (1,) * rank
    out = pool_shape(x.shape[-rank:], kernel, stride, padding, ones, ceil_mode)
    total = x
    for axis, (count, taps, step, pad) in enumerate(zip(out, kernel, stride, padding, strict=True), x.ndim - rank):
        total = _sum_windows(total, axis, count, taps, step, pad)
    divisor = _divisor(x.shape[-rank:], out, kernel, stride, padding, count_include_pad, divisor_override, total.dtype)
    if x.dtype.kind in "iu":
        return np.asarray(np.sign(total) * (np.abs(total) // divisor)).astype(x.dtype)  # PyTorch rounds to zero
    return np.asarray(total / divisor)


@register(compiled.avg_pool_input_grad)
def avg_pool_input_grad(
    g: Array,
    x_shape: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """The transpose of ``avg_pool``."""
    rank = len(kernel)
    spatial, out = x_shape[-rank:], g.shape[-rank:]
    x = g / _divisor(spatial, out, kernel, stride, padding, count_include_pad, divisor_override, g.dtype)
    if is_half(g):
        along = [
            [_overlap(size, count, step, tap - pad) for tap in range(taps - 1, -1, -1)]
            for size, count, taps, step, pad in zip(spatial, out, kernel, stride, padding, strict=True)
        ]
        return spread_in_turn(x, spatial, along)
    for axis, (size, taps, step, pad) in enumerate(zip(spatial, kernel, stride, padding, strict=True), g.ndim - rank):
        x = _spread_windows(x, axis, size, taps, step, pad)
    return np.asarray(x)


def _along(axis: int, index: Any) -> Any:
    return (*(slice(None),) * axis, index)


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -math.inf


def _padded(x: Array, axes: Sequence[tuple[int, ...]]) -> Array:
    """``x`` with the least number around its last axes, as far as any window reaches."""
    around = []
    for size, count, taps, step, pad, spread in axes:
        around.append((pad, max((count - 1) * step + (taps - 1) * spread + 1 - pad - size, 0)))
    if not any(map(any, around)):
        return x
    return np.pad(x, [*[(0, 0)] * (x.ndim - len(around)), *around], constant_values=_lowest(x.dtype))


def _absolute(indices: Array, shape: Shape, rank: int) -> Array:
    """``indices`` into planes as indices into the whole array, flat."""
    plane = math.prod(shape[-rank:])
    starts = np.arange(math.prod(shape[:-rank])) * plane
    return (indices.reshape(len(starts), -1 if indices.size else 0) + starts[:, None]).reshape(-1)


def _sum_windows(x: Array, axis: int, count: int, taps: int, step: int, pad: int) -> Array:
    """Sums over the windows of one axis; what lies outside counts as zero."""
    size = x.shape[axis]
    total = np.zeros((*x.shape[:axis], count, *x.shape[axis + 1 :]), x.dtype)
    for tap in range(taps):
        into, source = _overlap(size, count, step, tap - pad)
        total[_along(axis, into)] += x[_along(axis, source)]
    return total


def _spread_windows(g: Array, axis: int, size: int, taps: int, step: int, pad: int) -> Array:
    """The transpose of ``_sum_windows``."""
    x = np.zeros((*g.shape[:axis], size, *g.shape[axis + 1 :]), g.dtype)
    for tap in range(taps):
        source, into = _overlap(size, g.shape[axis], step, tap - pad)
        if step < taps:
            x[_along(axis, into)] += g[_along(axis, source)]
        else:  # no two windows have the same element
            x[_along(axis, into)] = g[_along(axis, source)]
    return x


def spread_in_turn(g: Array, spatial: Shape, along: Sequence[Sequence[tuple[slice, slice]]]) -> Array:
    """Parts of g added to parts of zeros one after another, each sum rounded, as PyTorch does of halves; ``along`` says which, axis by axis."""
    out = np.zeros((*g.shape[: -len(spatial)], *spatial), g.dtype)
    for parts in itertools.product(*along):
        source, into = zip(*parts, strict=True)
        out[(..., *into)] += g[(..., *source)]
    return out


def _overlap(size: int, count: int, step: int, offset: int) -> tuple[slice, slice]:
    """The windows, of ``count``, whose element ``step * number + offset`` lies inside the axis; and these elements."""
    first = max(0, -(offset // step))
    last = min(count, (size - 1 - offset) // step + 1)
    if last <= first:
        return slice(0, 0), slice(0, 0)
    return slice(first, last), slice(first * step + offset, (last - 1) * step + offset + 1, step)


@functools.lru_cache(256)
def _divisor(
    spatial: Shape,
    out: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    count_include_pad: bool,
    override: int | None,
    dtype: np.dtype[Any],
) -> Array:
    """What the sum of each window is divided by: not to be written."""
    if override is not None:
        return np.asarray(override, dtype)
    divisor = np.ones((), dtype)
    for size, count, taps, step, pad in zip(spatial, out, kernel, stride, padding, strict=True):
        begin = np.arange(count) * step - pad
        end = np.minimum(begin + taps, size + pad)
        if not count_include_pad:
            begin, end = np.maximum(begin, 0), np.minimum(end, size)
        divisor = divisor[..., None] * (end - begin).astype(dtype)
    return divisor
