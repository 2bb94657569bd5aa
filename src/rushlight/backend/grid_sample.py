"""Images sampled at the places of a grid, and grids made of matrices.

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
from typing import Any

import numpy as np

from ..kernels import grid_sample as compiled
from ..kernels import register
from .flat_indices import add_at
from .interpolation import cubic_weight
from .numpy import Array, Shape, in_single, rounded_once
from .threads import parts

_CUBIC = -0.75
# So many elements are worked on together, which the second cache holds and calls are few for.
_TOGETHER = 1 << 15
_FRAME = 2  # elements on each side of an image


@register(compiled.grid_sample)
@rounded_once
def grid_sample(x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None) -> Array:
    """x (N, C, *spatial) at the places that grid (N, *out, rank) names from -1 to 1, last axis first: (N, C, *out).

    ``mode`` is "bilinear" (along every axis), "nearest" or "bicubic"; ``padding_mode`` "zeros", "border" or
    "reflection". ``order`` asks for that derivative with respect to each coordinate of the grid.
    """
    batch, channels, *spatial = x.shape
    out = grid.shape[1:-1]
    y = np.zeros((batch, channels, math.prod(out)), x.dtype)
    taps = _Taps(grid, tuple(spatial), mode, padding_mode, align_corners, order)
    framed = np.zeros((batch, channels, *(size + 2 * _FRAME for size in spatial)), x.dtype)
    framed[_inside(len(spatial))] = x
    line = framed.reshape(-1)

    for samples in taps.blocks(channels):
        total = y[samples]
        for indices, weights in taps.of(samples, channels, x.dtype):
            seen = line.take(indices)
            seen *= weights
            for one in seen:
                total += one
    return y.reshape(batch, channels, *out)


@register(compiled.grid_sample_input_grad)
@rounded_once
def grid_sample_input_grad(
    g: Array, grid: Array, x_shape: Shape, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None
) -> Array:
    """The transpose of ``grid_sample`` in x: g (N, C, *out) gives an array of ``x_shape``."""
    batch, channels, *spatial = x_shape
    columns = g.reshape(batch, channels, math.prod(grid.shape[1:-1]))
    taps = _Taps(grid, tuple(spatial), mode, padding_mode, align_corners, order)
    framed = np.zeros((batch, channels, *(size + 2 * _FRAME for size in spatial)), g.dtype)
    for samples in taps.blocks(channels):
        for indices, weights in taps.of(samples, channels, g.dtype):
            add_at(framed, indices, columns[samples] * weights)
    return np.ascontiguousarray(framed[_inside(len(spatial))])


def _inside(rank: int) -> Any:
    """The image inside its frame of zeros, which is what is seen wherever there is no image."""
    return (slice(None), slice(None), *(slice(_FRAME, -_FRAME),) * rank)


class _Taps:
    """Which elements each place of the grid reads, and with what weights, some samples of the batch at a time."""

    def __init__(
        self, grid: Array, spatial: Shape, mode: str, padding_mode: str, align_corners: bool, order: Shape | None
    ) -> None:
        self.grid, self.spatial, self.mode = grid, spatial, mode
        self.padding_mode, self.align_corners = padding_mode, align_corners
        self.order = order or (0,) * len(spatial)

    def blocks(self, channels: int) -> list[slice]:
        """The samples that are worked on together."""
        return parts(len(self.grid), max(1, self.grid[..., 0].size * channels // _TOGETHER))

    def of(self, samples: slice, channels: int, dtype: np.dtype[Any]) -> Iterator[tuple[Array, Array]]:
        """For some taps at a time the indices into the line of all framed images, (taps, N, C, P), and the weights, the same in
        all channels."""
        if self.mode == "nearest" and any(self.order):
            return
        rank = len(self.spatial)
        axes = []
        for axis, size in enumerate(self.spatial):
            coordinate = rank - 1 - axis  # the grid names the last axis first
            along = np.ascontiguousarray(self.grid[samples, ..., coordinate])
            along = in_single(along.reshape(len(along), 1, -1))
            index, weights = self._axis(along, size, self.order[coordinate])
            axes.append((size + 2 * _FRAME, index, weights.astype(dtype, copy=False)))
        numbers = np.arange(len(self.grid))[samples, None] * channels + np.arange(channels)
        place, weight = numbers[None, :, :, None], np.ones((1, 1, 1, 1), dtype)  # of the frame, then within it
        for length, index, weights in axes[:-1]:
            place, weight = _each_with_each(np.add, place * length, index), _each_with_each(np.multiply, weight, weights)
        length, index, weights = axes[-1]  # is done for some taps of the others at a time
        each = max(1, _TOGETHER // max(1, index.size * channels))
        for start in range(0, len(place), each):
            part = slice(start, start + each)
            yield (
                _each_with_each(np.add, place[part] * length, index),
                _each_with_each(np.multiply, weight[part], weights),
            )

    def _axis(self, along: Array, size: int, order: int) -> tuple[Array, Array]:
        """The taps along one axis of a frame, (taps, N, 1, P), and the derivative of their weights of this order."""
        scale = (size - 1) / 2 if self.align_corners else size / 2
        position = (along + 1) * along.dtype.type(scale) - (0 if self.align_corners else along.dtype.type(0.5))
        if self.mode == "bicubic":
            first = np.floor(position)
            offsets = np.arange(-1, 3, dtype=position.dtype)[:, None, None, None]
            distance = position - first - offsets
            weights = cubic_weight(np.abs(distance), _CUBIC, order) * np.where(distance < 0, (-1) ** order, 1)
            return _in_frame(self._pad(first + offsets, size), size), weights * scale**order
        padded = self._pad(position, size)
        if self.mode == "nearest":
            return _in_frame(np.rint(padded)[None], size), np.ones((1, 1, 1, 1), position.dtype)
        first = np.floor(padded)
        if order == 0:
            weights = np.empty((2, *padded.shape), padded.dtype)
            np.subtract(padded, first, weights[1])
            np.subtract(1, weights[1], weights[0])
        else:
            rises = self._slope(position, size) * scale if order == 1 else np.zeros_like(position)
            weights = np.stack([-rises, rises])
        return _in_frame(first, size) + np.arange(2)[:, None, None, None], weights

    def _pad(self, position: Array, size: int) -> Array:
        """Positions brought inside as the padding mode says."""
        if self.padding_mode == "zeros":
            # PyTorch weighs what lies outside in two dimensions, inf and nan included, but passes it over in three.
            return (
                position if len(self.spatial) == 2 else np.where(np.isfinite(position), position, position.dtype.type(-_FRAME))
            )
        if self.padding_mode == "reflection":
            position, _ = self._reflected(position, size)
        # Written so that nan becomes 0.
        return np.where(position > 0, np.minimum(position, size - 1), position.dtype.type(0))

    def _slope(self, position: Array, size: int) -> Array:
        """The derivative of :meth:`_pad`."""
        slope = np.ones_like(position)
        if self.padding_mode == "zeros":
            return slope
        if self.padding_mode == "reflection":
            position, slope = self._reflected(position, size)
        return np.where((position > 0) & (position < size - 1), slope, slope.dtype.type(0))

    def _reflected(self, position: Array, size: int) -> tuple[Array, Array]:
        """Positions thrown back at the borders of the image until they lie within, and the slope of that."""
        low, high = (0.0, size - 1.0) if self.align_corners else (-0.5, size - 0.5)
        span = high - low
        if span == 0:
            return np.zeros_like(position), np.zeros_like(position)
        distance = position - position.dtype.type(low)
        slope = np.where(distance < 0, position.dtype.type(-1), position.dtype.type(1))
        distance = np.abs(distance)
        turns = np.floor(distance / span)
        rest = distance - turns * position.dtype.type(span)
        odd = turns % 2 == 1
        return np.where(odd, high - rest, rest + low).astype(position.dtype), np.where(odd, -slope, slope)


def _in_frame(position: Array, size: int) -> Array:
    """Whole positions as places in an image with its frame, where all that lies outside, and nan, is, and so is one further."""
    return np.fmin(np.fmax(position, -_FRAME), size).astype(np.int64) + _FRAME


def _each_with_each(ufunc: np.ufunc, taps: Array, others: Array) -> Array:
    together: Array = ufunc(taps[:, None], others)
    return together.reshape(-1, *together.shape[2:])


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


def affine_grid(theta: Array, spatial: Shape, align_corners: bool) -> Array:
    """Where matrices (N, rank, rank + 1) put the places of images: (N, *spatial, rank)."""
    rank = len(spatial)
    base = affine_grid_base(spatial, align_corners, theta.dtype).reshape(-1, rank + 1)
    return np.asarray(base @ theta.swapaxes(1, 2), theta.dtype).reshape(len(theta), *spatial, rank)


def affine_grid_adjoint(g: Array, spatial: Shape, align_corners: bool) -> Array:
    rank = len(spatial)
    base = affine_grid_base(spatial, align_corners, g.dtype).reshape(-1, rank + 1)
    return np.asarray(g.reshape(len(g), -1, rank).swapaxes(1, 2) @ base, g.dtype)
