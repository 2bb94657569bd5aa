"""Kernels that put something around arrays, or with negative widths take something off.

``padding`` counts as PyTorch does: two numbers (before, after) for the last axis, then for the one before it, ...
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .numpy import Array, Shape


def _by_axis(padding: Shape, ndim: int) -> list[tuple[int, int, int]]:
    return [(ndim - 1 - i, padding[2 * i], padding[2 * i + 1]) for i in range(len(padding) // 2)]


def constant_pad(x: Array, padding: Shape, value: complex = 0) -> Array:
    shape = list(x.shape)
    inner, outer = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    for axis, before, after in _by_axis(padding, x.ndim):
        shape[axis] += before + after
        inner[axis] = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
        outer[axis] = slice(max(before, 0), shape[axis] - max(after, 0))
    out = np.full(shape, np.asarray(value).astype(x.dtype), x.dtype)
    out[tuple(outer)] = x[tuple(inner)]
    return out


@functools.lru_cache(256)
def _sources(size: int, before: int, after: int, mode: str) -> Array:
    """For each place of a padded axis the place of the axis that it shows."""
    place = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(place, 0, size - 1)
    period = max(2 * (size - 1), 1)
    place = np.abs(place) % period
    return np.where(place < size, place, period - place)


def mirrored_pad(x: Array, padding: Shape, mode: str) -> Array:
    """Padding with what is in the array: mode 'reflect' or 'replicate'."""
    for axis, before, after in _by_axis(padding, x.ndim):
        lead: Any = (slice(None),) * axis
        x = x[*lead, _sources(x.shape[axis], before, after, mode)]
    return np.ascontiguousarray(x)


def mirrored_pad_adjoint(g: Array, padding: Shape, mode: str) -> Array:
    """The transpose of ``mirrored_pad``."""
    for axis, before, after in _by_axis(padding, g.ndim):
        size = g.shape[axis] - before - after
        sources = _sources(size, before, after, mode)
        kept = slice(max(before, 0), g.shape[axis] - max(after, 0))
        lead: Any = (slice(None),) * axis
        out = np.zeros((*g.shape[:axis], size, *g.shape[axis + 1 :]), g.dtype)
        out[*lead, sources[kept]] = g[*lead, kept]
        for edge in (slice(0, kept.start), slice(kept.stop, None)):
            there, beside = sources[edge], g[*lead, edge]
            if mode == "replicate" and len(there):
                there, beside = there[:1], beside.sum(axis, dtype=g.dtype, keepdims=True)
            out[*lead, there] += beside
        g = out
    return g
