"""Kernels that move pixels between space and channels, and grids from matrices."""

from __future__ import annotations

import numpy as np

from .numpy import Array, Shape
from .sampling import affine_grid_base, fold, unfold


def im2col(x: Array, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``sampling.unfold`` of what may be a single sample."""
    return (
        unfold(x, window, dilation, padding, stride) if x.ndim == 4 else unfold(x[None], window, dilation, padding, stride)[0]
    )


def col2im(columns: Array, size: Shape, window: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """``sampling.fold`` of what may be a single sample."""
    if columns.ndim == 3:
        return fold(columns, size, window, dilation, padding, stride)
    return fold(columns[None], size, window, dilation, padding, stride)[0]


def affine_grid(theta: Array, spatial: Shape, align_corners: bool) -> Array:
    """Where matrices (N, rank, rank + 1) put the places of images: (N, *spatial, rank)."""
    rank = len(spatial)
    base = affine_grid_base(spatial, align_corners, theta.dtype).reshape(-1, rank + 1)
    return (base @ theta.swapaxes(1, 2)).reshape(len(theta), *spatial, rank)


def affine_grid_adjoint(g: Array, spatial: Shape, align_corners: bool) -> Array:
    rank = len(spatial)
    base = affine_grid_base(spatial, align_corners, g.dtype).reshape(-1, rank + 1)
    return g.reshape(len(g), -1, rank).swapaxes(1, 2) @ base


def pixel_shuffle(x: Array, factor: int) -> Array:
    """(..., C * factor ** 2, H, W) as (..., C, H * factor, W * factor)."""
    *lead, channels, height, width = x.shape
    few = channels // factor**2
    n = len(lead)
    parts = x.reshape(*lead, few, factor, factor, height, width)
    parts = parts.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.reshape(*lead, few, height * factor, width * factor)


def pixel_unshuffle(x: Array, factor: int) -> Array:
    """(..., C, H * factor, W * factor) as (..., C * factor ** 2, H, W)."""
    *lead, channels, height, width = x.shape
    n = len(lead)
    parts = x.reshape(*lead, channels, height // factor, factor, width // factor, factor)
    parts = parts.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.reshape(*lead, channels * factor**2, height // factor, width // factor)


def channel_shuffle(x: Array, groups: int) -> Array:
    """Channels (axis 1) dealt out anew: the first of each group, then the second of each, ..."""
    samples, channels, *rest = x.shape
    parts = x.reshape(samples, groups, channels // groups, *rest).swapaxes(1, 2)
    return np.ascontiguousarray(parts).reshape(x.shape)
