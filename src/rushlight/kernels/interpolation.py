"""Compiled weighted sums of a few elements along an axis. They take float32 and float64, laid out in order first where they are not."""

from __future__ import annotations

import math

import numpy as np

from . import native
from .rows import Array


def weighted(x: Array, axis: int, index: Array, weight: Array) -> Array | None:
    if native is None or x.dtype.char not in "fd":
        return None
    shape, (taps, count) = x.shape, index.shape
    out = np.empty((*shape[:axis], count, *shape[axis + 1 :]), x.dtype)
    sizes = (math.prod(shape[:axis]), shape[axis], count, math.prod(shape[axis + 1 :]), taps)
    weights = np.ascontiguousarray(weight, x.dtype)
    return out if native.weighted(out, np.ascontiguousarray(x), np.ascontiguousarray(index), weights, sizes) else None
