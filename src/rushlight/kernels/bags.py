"""Compiled sums, means and maxima of bags of rows. They take float32 and float64, and rows that there are."""

from __future__ import annotations

import numpy as np

from . import native
from .rows import Array


def bag_sums(
    weight: Array, indices: Array, offsets: Array, scales: Array | None = None, mode: str = "mean", but: int = -1
) -> Array | None:
    if native is None or mode == "max" or weight.dtype.char not in "fd":
        return None
    out = np.empty((len(offsets), weight.shape[1]), weight.dtype)
    row = None if scales is None else np.ascontiguousarray(scales)
    arrays = (np.ascontiguousarray(weight), np.ascontiguousarray(indices), np.ascontiguousarray(offsets), row)
    return out if native.bag_sums(out, *arrays, weight.shape[1], but, mode == "mean") else None


def bag_argmax(weight: Array, indices: Array, offsets: Array, but: int) -> Array | None:
    if native is None or weight.dtype.char not in "fd":
        return None
    out = np.empty((len(offsets), weight.shape[1]), np.int64)
    arrays = (np.ascontiguousarray(weight), np.ascontiguousarray(indices), np.ascontiguousarray(offsets))
    return out if native.bag_maxima(out, *arrays, None, weight.shape[1], but, False) else None
