"""Windows laid out as columns and back (unfold, fold), and sampling an image at given places (grid_sample).

``grid_sample`` takes the order of the derivative along each axis of the grid, so that two kernels give all derivatives
of all orders, ``e`` being one more order along one axis:

    grid_sample(x, grid, order)            -> d/dx grid_sample_input_grad(g, grid, order)
                                              d/dgrid[..., e] sum over channels of g * grid_sample(x, grid, order + e)
    grid_sample_input_grad(g, grid, order) -> d/dg grid_sample(gg, grid, order)
                                              d/dgrid[..., e] sum over channels of g * grid_sample(gg, grid, order + e)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from . import threads
from .interpolation import cubic_weight
from .numpy import Array, Shape
from .places import add_at, in_line

_CUBIC = -0.75
# A thread is worth waking for this many samples taken.
_THREAD_SAMPLES = 200_000
# So many elements are worked on together, which the second cache holds and calls are few for.
_TOGETHER = 1 << 15


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


def grid_sample(x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None) -> Array:
    """x (N, C, *spatial) at the places that grid (N, *out, rank) names from -1 to 1, last axis first: (N, C, *out).

    ``mode`` is "bilinear" (along every axis), "nearest" or "bicubic"; ``padding_mode`` "zeros", "border" or
    "reflection". ``order`` asks for that derivative with respect to each coordinate of the grid.
    """
    if x.dtype.itemsize == 2:
        wide = x.astype(np.float32)
        return grid_sample(wide, grid, mode, padding_mode, align_corners, order).astype(x.dtype)
    batch, channels, *spatial = x.shape
    out = grid.shape[1:-1]
    y = np.zeros((batch, channels, math.prod(out)), x.dtype)
    planes = x.reshape(batch, channels, math.prod(spatial))
    taps = _Taps(grid, tuple(spatial), mode, padding_mode, align_corners, order)

    def work(samples: slice) -> None:
        total, image = y[samples], planes[samples]
        for place, weight, inside in taps.of(samples, x.dtype):
            part = image.reshape(-1).take(in_line(_to_channels(place, total.shape), image.shape, 2))
            if inside is not None:
                part = np.where(inside[:, None], part, part.dtype.type(0))
            part *= weight[:, None]
            total += part

    threads.share(work, *taps.shared(channels))
    return y.reshape(batch, channels, *out)


def grid_sample_input_grad(
    g: Array, grid: Array, x_shape: Shape, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None
) -> Array:
    """The transpose of ``grid_sample`` in x: g (N, C, *out) gives an array of ``x_shape``."""
    if g.dtype.itemsize == 2:
        wide = g.astype(np.float32)
        return grid_sample_input_grad(wide, grid, x_shape, mode, padding_mode, align_corners, order).astype(g.dtype)
    batch, channels, *spatial = x_shape
    x = np.zeros((batch, channels, math.prod(spatial)), g.dtype)
    columns = g.reshape(batch, channels, math.prod(grid.shape[1:-1]))
    taps = _Taps(grid, tuple(spatial), mode, padding_mode, align_corners, order)

    def work(samples: slice) -> None:
        image, column = x[samples], columns[samples]
        for place, weight, inside in taps.of(samples, g.dtype):
            part = column * weight[:, None]
            if inside is not None:
                part = np.where(inside[:, None], part, part.dtype.type(0))
            add_at(image, in_line(_to_channels(place, part.shape), image.shape, 2), part)

    threads.share(work, *taps.shared(channels))
    return x.reshape(x_shape)


def _to_channels(place: Array, shape: Shape) -> Array:
    """Places (N, P), the same in all channels: (N, C, P)."""
    return np.broadcast_to(place[:, None], shape)


class _Taps:
    """Which elements each place of the grid reads, and with what weights, some samples of the batch at a time."""

    def __init__(
        self, grid: Array, spatial: Shape, mode: str, padding_mode: str, align_corners: bool, order: Shape | None
    ) -> None:
        self.grid, self.spatial, self.mode = grid, spatial, mode
        self.padding_mode, self.align_corners = padding_mode, align_corners
        self.order = order or (0,) * len(spatial)

    def shared(self, channels: int) -> tuple[list[slice], int]:
        """The samples that are worked on together, and by how many threads."""
        batch, taken = len(self.grid), self.grid[..., 0].size * channels
        count = max(1, min(threads.limit(), batch, taken * self.count() // _THREAD_SAMPLES))
        return threads.parts(batch, max(count, min(batch, taken // _TOGETHER))), count

    def count(self) -> int:
        return int({"nearest": 1, "bilinear": 2, "bicubic": 4}[self.mode] ** len(self.spatial))

    def of(self, samples: slice, dtype: np.dtype[Any]) -> Iterator[tuple[Array, Array, Array | None]]:
        """Per tap, (N, P) each: the places in the flattened image, the weights, and which places lie inside (None for all)."""
        if self.mode == "nearest" and any(self.order):
            return
        rank = len(self.spatial)
        axes = []
        for axis, size in enumerate(self.spatial):
            coordinate = rank - 1 - axis  # the grid names the last axis first
            places = self.grid[samples, ..., coordinate]
            places = places.reshape(len(places), -1)
            places = places.astype(np.float32) if places.dtype.itemsize == 2 else places
            axes.append(self._axis(places, size, self.order[coordinate]))
        for choice in product(*(range(len(axis[0])) for axis in axes)):
            place, weight, inside = np.zeros((), np.int64), np.ones((), dtype), np.ones((), np.bool_)
            for tap, size, (index, weights) in zip(choice, self.spatial, axes, strict=True):
                here = index[tap]
                if self.padding_mode == "zeros":
                    inside = inside & (here >= 0) & (here < size)
                place = place * size + np.clip(here, 0, size - 1)
                weight = weight * weights[tap]
            yield (
                place,
                weight.astype(dtype, copy=False),
                None if inside.all() else np.broadcast_to(inside, place.shape),
            )

    def _axis(self, places: Array, size: int, order: int) -> tuple[Array, Array]:
        """The taps along one axis, (taps, N, P), and the derivative of their weights of this order."""
        scale = (size - 1) / 2 if self.align_corners else size / 2
        position = (places + 1) * places.dtype.type(scale) - (0 if self.align_corners else places.dtype.type(0.5))
        if self.mode == "bicubic":
            first = np.floor(position)
            offsets = np.arange(-1, 3, dtype=position.dtype)[:, None, None]
            distance = position - first - offsets
            weights = cubic_weight(np.abs(distance), _CUBIC, order) * np.where(distance < 0, (-1) ** order, 1)
            taps, _ = self._pad(first + offsets, size)
            return _whole(taps), weights * scale**order
        position, slope = self._pad(position, size)
        if self.mode == "nearest":
            return _whole(np.rint(position))[None], np.ones((1, 1, 1), position.dtype)
        first = np.floor(position)
        beyond = position - first
        if order == 0:
            weights = np.stack([1 - beyond, beyond])
        else:
            rises = slope * scale if order == 1 else np.zeros_like(slope)
            weights = np.stack([-rises, rises])
        index = _whole(first)
        return np.stack([index, index + 1]), weights

    def _pad(self, position: Array, size: int) -> tuple[Array, Array]:
        """Positions brought inside as the padding mode says, and the slope of that."""
        slope = np.ones_like(position)
        if self.padding_mode == "zeros":
            return position, slope
        if self.padding_mode == "reflection":
            low, high = (0.0, size - 1.0) if self.align_corners else (-0.5, size - 0.5)
            span = high - low
            if span == 0:
                return np.zeros_like(position), np.zeros_like(position)
            distance = position - position.dtype.type(low)
            slope = np.where(distance < 0, -slope, slope)
            distance = np.abs(distance)
            turns = np.floor(distance / span)
            rest = distance - turns * position.dtype.type(span)
            odd = turns % 2 == 1
            position = np.where(odd, high - rest, rest + low).astype(position.dtype)
            slope = np.where(odd, -slope, slope)
        outside = ~((position > 0) & (position < size - 1))
        # Written so that nan becomes 0.
        return np.where(position > 0, np.minimum(position, size - 1), 0), np.where(outside, 0, slope)


def _whole(position: Array) -> Array:
    """Whole positions as integers; what no integer can hold lies outside."""
    limit = 2**31 - 1
    return np.where(np.abs(position) < limit, position, -100).astype(np.int64)


def affine_grid_base(spatial: Shape, align_corners: bool, dtype: np.dtype[Any]) -> Array:
    """Homogeneous coordinates (*spatial, rank + 1) of the places of an image, from -1 to 1, the last axis first.

    An affine grid is this times the transposed matrices (N, rank, rank + 1).
    """
    rank = len(spatial)
    base = np.ones((*spatial, rank + 1), dtype)
    for axis, size in enumerate(spatial):
        steps = np.linspace(-1, 1, size) if size > 1 else np.zeros(size)
        if not align_corners and size > 1:
            steps = steps * (size - 1) / size
        base[..., rank - 1 - axis] = steps.astype(dtype).reshape(-1, *(1,) * (rank - axis - 1))
    return base
