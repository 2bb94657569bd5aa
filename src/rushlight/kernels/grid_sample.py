"""Images sampled at the places of a grid, compiled, and the way back to images. They take float32 and float64, and derivatives of
first order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


def _sizes(x: Shape, grid: Array, mode: str, padding_mode: str, align_corners: bool, order: Shape | None) -> tuple[int, ...]:
    """What native/grid_functions.cpp calls a Grid."""
    rank = len(x) - 2
    spatial, orders = (1,) * (3 - rank) + x[2:], (*(order or (0,) * rank), *(0,) * (3 - rank))
    places = math.prod(grid.shape[1:-1])
    return (*x[:2], *spatial, places, rank, _MODES[mode], _PADDINGS[padding_mode], int(align_corners), *orders)


def _are_taken(values: Array, grid: Array) -> bool:
    return native is not None and values.dtype is grid.dtype and values.dtype.char in "fd" and values.size > 0 and grid.size > 0


def grid_sample(
    x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None
) -> Array | None:
    if native is None or not _are_taken(x, grid):
        return None
    sizes = _sizes(x.shape, grid, mode, padding_mode, align_corners, order)
    y = np.empty((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    return y if native.grid_sample(y, np.ascontiguousarray(x), np.ascontiguousarray(grid), sizes) else None


def grid_sample_input_grad(
    g: Array, grid: Array, x_shape: Shape, mode: str, padding_mode: str, align_corners: bool, order: Shape | None = None
) -> Array | None:
    if native is None or not _are_taken(g, grid):
        return None
    sizes = _sizes(x_shape, grid, mode, padding_mode, align_corners, order)
    x = np.empty(x_shape, g.dtype)
    return x if native.grid_sample_backward(x, np.ascontiguousarray(g), np.ascontiguousarray(grid), sizes) else None
