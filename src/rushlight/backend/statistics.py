"""Kernels that count: occurrences of integers, and elements in bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errstate import silent
from .numpy import Array


def bincount(x: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each integer from 0 on comes, or the sum of its weights."""
    if weights is None:
        return np.bincount(x.astype(np.int64), minlength=minlength).astype(np.int64)
    if weights.dtype == np.float32:
        # Added one by one in single precision: NumPy would add in double.
        out = np.zeros(max(int(x.max()) + 1, minlength), np.float32)
        np.add.at(out, x, weights)
        return out
    if weights.dtype.kind == "c":
        weights = weights.real
    return np.bincount(x.astype(np.int64), weights.astype(np.float64), minlength)


def steps(low: Any, high: Any, bins: int, dtype: np.dtype[Any]) -> Array:
    """``bins + 1`` edges at even distances, computed from the nearer end."""
    first, last = dtype.type(low), dtype.type(high)
    step = (last - first) / dtype.type(bins)
    number = np.arange(bins + 1)
    half = (bins + 1) // 2
    up = first + step * number.astype(dtype)
    down = last - step * (bins - number).astype(dtype)
    return np.where(number < half, up, down).astype(dtype)


def counted(x: Array, edges: list[Array], even: bool, weights: Array | None, dtype: np.dtype[Any]) -> Array:
    """Rows of ``x`` (or their weights) counted in the boxes between ``edges``; the last edge belongs to the last "
    "box."""
    sizes = tuple(len(edge) - 1 for edge in edges)
    out = np.zeros(sizes, dtype)
    chosen_bins, inside = [], np.ones(len(x), np.bool_)
    for column, edge in zip(x.T, edges, strict=True):
        inside &= (column >= edge[0]) & (column <= edge[-1])
        if even:
            with silent():
                place = (column - edge[0]) * dtype.type(len(edge) - 1) / (edge[-1] - edge[0])
            place = np.where(np.isfinite(place), place, 0).astype(np.int64)
        else:
            place = np.searchsorted(edge, column, "right") - 1
        chosen_bins.append(np.minimum(place, len(edge) - 2))
    chosen = tuple(place[inside] for place in chosen_bins)
    np.add.at(out, chosen, dtype.type(1) if weights is None else weights[inside])
    return out


def density(counts: Array, edges: list[Array]) -> Array:
    """Counts divided by their total and by the volume of each box."""
    out = counts / counts.sum()
    for axis, edge in enumerate(edges):
        shape = [-1 if one == axis else 1 for one in range(out.ndim)]
        out = out / np.diff(edge).reshape(shape)
    return out.astype(counts.dtype)
