"""Resizing along axes: each element of the result is a weighted sum of a few elements of one axis.

The weights depend on the position along the axis only, so axes are resized one after the other, and the transpose (the
gradient) is a weighted sum of the same kind with the map turned round. PyTorch computes positions in single precision
unless the data are in double; so does this, since a position's integer part may depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..kernels import interpolation, register
from .array_dtypes import refuse
from .numpy import Array, Shape

_CUBIC = -0.75  # the free coefficient of the cubic; with antialiasing PyTorch follows Pillow, which has another
_CUBIC_ANTIALIAS = -0.5


def interpolate(
    x: Array,
    size: Shape,
    mode: str,
    align_corners: bool = False,
    scales: Sequence[float | None] | None = None,
    antialias: bool = False,
) -> Array:
    """x (..., *spatial) resized to (..., *size).

    ``mode`` is "nearest", "nearest-exact", "linear" or "cubic", for any number of axes. ``scales`` are the factors the
    caller gave, per axis: positions follow from them rather than from the sizes.
    """
    rank = len(size)
    return _resize(x, x.shape[-rank:], size, mode, align_corners, scales, antialias, transposed=False)


def interpolate_input_grad(
    g: Array,
    x_shape: Shape,
    rank: int,
    mode: str,
    align_corners: bool = False,
    scales: Sequence[float | None] | None = None,
    antialias: bool = False,
) -> Array:
    """The transpose of ``interpolate`` over the last ``rank`` axes."""
    return _resize(g, x_shape[-rank:], g.shape[-rank:], mode, align_corners, scales, antialias, transposed=True)


def _resize(
    x: Array,
    sources: Shape,
    sizes: Shape,
    mode: str,
    align_corners: bool,
    scales: Sequence[float | None] | None,
    antialias: bool,
    transposed: bool,
) -> Array:
    dtype = x.dtype
    if antialias and dtype.itemsize == 2:
        refuse("compute_index_ranges_weights", x)
    positions = np.float64 if dtype == np.float64 else np.float32
    work = np.dtype(np.float32) if mode[0] != "n" and (dtype.kind in "iu" or dtype.itemsize == 2) else dtype
    if transposed and dtype.itemsize == 2:
        work = np.dtype(np.float32)
    y = x.astype(work, copy=False)
    rank = len(sizes)
    maps = [
        _axis_map(mode, source, size, align_corners, scales[axis] if scales else None, antialias, positions)
        for axis, (source, size) in enumerate(zip(sources, sizes, strict=True))
    ]
    if dtype.itemsize == 2 and not transposed and (mode == "cubic" or (mode == "linear" and rank != 2)):
        maps = [_of_short_weights(along, mode, dtype, work) for along in maps]
    # The axis that shrinks most (or grows least) first, and of equals the last: its gathers are the slowest.
    order = sorted(range(rank), key=lambda axis: (sizes[axis] / sources[axis] * (-1 if transposed else 1), -axis))
    if work != dtype and dtype.kind in "iu":
        return _resize_bytes(x, maps)
    for axis in order:
        y = (_apply_transposed if transposed else _apply)(y, x.ndim - rank + axis, maps[axis])
    return y.astype(dtype, copy=False)


def _of_short_weights(along: _AxisMap, mode: str, dtype: np.dtype[Any], work: np.dtype[Any]) -> _AxisMap:
    """With weights as short as the numbers, as PyTorch's are; its sums are not, nor are the weights of images (bilinear)."""
    if along.weight is None:
        return along
    short = along.weight.astype(dtype)
    if mode == "linear":
        short[0] = 1 - short[1]
    return replace(along, weight=short.astype(work))


def _resize_bytes(x: Array, maps: Sequence[_AxisMap]) -> Array:
    """Integers are resized with weights of 15 bits and are integers again after each axis, the last axis first."""
    limits = np.iinfo(x.dtype)
    y = x.astype(np.float64)
    for place, along in reversed(list(enumerate(maps, x.ndim - len(maps)))):
        if along.weight is not None:
            bits = 0
            while bits < 22 and int(0.5 + along.weight.max(initial=0) * (1 << (bits + 1))) < 1 << 15:
                bits += 1
            scaled = along.weight.astype(np.float64) * (1 << bits)
            along = replace(along, weight=np.trunc(scaled + np.copysign(0.5, scaled)) / (1 << bits))
        y = np.clip(np.floor(_apply(y, place, along) + 0.5), limits.min, limits.max)
    return y.astype(x.dtype)


@dataclass(frozen=True, eq=False)
class _AxisMap:
    """Element i of the result is the sum over t of weight[t, i] * x[index[t, i]]; no weights: one tap of weight 1."""

    index: Array
    weight: Array | None
    source: int
    # The same the other way round, and which elements of x no element of the result reads.
    back_index: Array
    back_weight: Array
    unread: Array


@lru_cache(maxsize=256)
def _axis_map(
    mode: str, source: int, size: int, align_corners: bool, scale: float | None, antialias: bool, positions: Any
) -> _AxisMap:
    index, weight = _taps(mode, source, size, align_corners, scale, antialias, positions)
    matrix_index = index.reshape(-1)
    values = np.ones(index.shape) if weight is None else weight
    order = np.argsort(matrix_index, kind="stable")
    readers = np.tile(np.arange(size), len(index))[order]
    counts = np.bincount(matrix_index, minlength=source)
    most = int(counts.max(initial=0))
    ends = np.cumsum(counts)
    place = (ends - counts) + np.minimum(np.arange(most)[:, None], np.maximum(counts - 1, 0))
    real = np.arange(most)[:, None] < counts
    place = np.minimum(place, max(len(readers) - 1, 0))
    back_weight = np.where(real, values.reshape(-1)[order][place], 0)
    return _AxisMap(index, weight, source, readers[place], back_weight, np.flatnonzero(counts == 0))


def _apply(x: Array, axis: int, axis_map: _AxisMap) -> Array:
    if axis_map.weight is None:
        return np.asarray(np.take(x, axis_map.index[0], axis))
    return _weighted(x, axis, axis_map.index, axis_map.weight)


def _apply_transposed(g: Array, axis: int, axis_map: _AxisMap) -> Array:
    if len(axis_map.back_index) == 0:
        return np.zeros((*g.shape[:axis], axis_map.source, *g.shape[axis + 1 :]), g.dtype)
    x = _weighted(g, axis, axis_map.back_index, axis_map.back_weight)
    if axis_map.unread.size:
        unread: tuple[slice | Array, ...] = (*(slice(None),) * axis, axis_map.unread)
        x[unread] = 0  # not zero yet if g holds an inf or nan
    return x


@register(interpolation.weighted)
def _weighted(x: Array, axis: int, index: Array, weight: Array) -> Array:
    columns = weight.astype(x.dtype).reshape(len(weight), -1, *(1,) * (x.ndim - axis - 1))
    total: Array = np.take(x, index[0], axis)
    total *= columns[0]
    for tap in range(1, len(index)):
        part = np.take(x, index[tap], axis)
        part *= columns[tap]
        total += part
    return total


def _taps(
    mode: str, source: int, size: int, align_corners: bool, scale: float | None, antialias: bool, positions: Any
) -> tuple[Array, Array | None]:
    """Which elements of an axis each element of the result reads, (taps, size), and with what weights."""
    number = np.arange(size).astype(positions)
    half = positions(0.5)
    if mode[0] == "n":
        step = _step(source, size, False, scale, positions)
        shifted = number if mode == "nearest" else number + half
        return np.minimum(np.floor(shifted * step).astype(np.int64), source - 1)[None], None
    step = _step(source, size, align_corners, scale, positions)
    if antialias:
        return _antialias_taps(mode, source, size, step, positions)
    if size == source and (align_corners or step == 1):
        return np.arange(size)[None], None
    position = number * step if align_corners else step * (number + half) - half
    if mode == "linear":
        position = np.maximum(position, 0)
        first = np.minimum(position.astype(np.int64), source - 1)
        beyond = np.clip(position - first, 0, 1)
        return np.stack([first, np.minimum(first + 1, source - 1)]), np.stack([1 - beyond, beyond])
    first = np.floor(position).astype(np.int64)
    reach = np.arange(-1, 3)[:, None]
    weight = cubic_weight(np.abs(position - first - reach.astype(positions)), _CUBIC)
    return np.clip(first + reach, 0, source - 1), weight


def _step(source: int, size: int, align_corners: bool, scale: float | None, positions: Any) -> Any:
    """How far apart in the source neighbours of the result are."""
    if align_corners:
        return positions(source - 1) / positions(size - 1) if size > 1 else positions(0)
    if scale is not None and scale > 0:
        return positions(1.0 / scale)
    return positions(source) / positions(size)


def _antialias_taps(mode: str, source: int, size: int, step: Any, positions: Any) -> tuple[Array, Array]:
    """Weights of a filter that widens as the image shrinks, cut off at the ends and normalised."""
    wider = max(step, positions(1))
    support = positions(1 if mode == "linear" else 2) * wider
    center = step * (np.arange(size).astype(positions) + positions(0.5))
    first = np.maximum((center - support + positions(0.5)).astype(np.int64), 0)
    count = np.minimum((center + support + positions(0.5)).astype(np.int64), source) - first
    reach = np.arange(max(1, int(count.max(initial=1))))[:, None]
    distance = np.abs((reach + first - center + positions(0.5)) / wider)
    weight = np.maximum(1 - distance, 0) if mode == "linear" else cubic_weight(distance, _CUBIC_ANTIALIAS)
    weight = np.where(reach < count, weight, 0)
    total = weight.sum(0)
    weight = weight / np.where(total == 0, 1, total)
    return np.minimum(first + np.minimum(reach, np.maximum(count - 1, 0)), source - 1), weight


def cubic_weight(distance: Array, a: float, order: int = 0) -> Array:
    """The cubic convolution kernel at a distance of 0 to 2, or a derivative of it (zero beyond)."""
    near = np.polynomial.Polynomial([1, 0, -(a + 3), a + 2])
    far = np.polynomial.Polynomial([-4 * a, 8 * a, -5 * a, a])
    if order:
        near, far = near.deriv(order), far.deriv(order)
    value = np.where(distance <= 1, near(distance), far(distance))
    return np.where(distance >= 2, 0, value).astype(distance.dtype)
