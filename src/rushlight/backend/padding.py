"""Kernels that put something around arrays, or with negative widths take something off.

``padding`` counts as PyTorch does: two numbers (before, after) for the last axis, then for the one before it, ...
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .numpy import Array, Shape, copied


def _by_axis(padding: Shape, ndim: int) -> list[tuple[int, int, int]]:
    return [(ndim - 1 - i, padding[2 * i], padding[2 * i + 1]) for i in range(len(padding) // 2)]


def constant_pad(x: Array, padding: Shape, value: complex = 0) -> Array:
    shape = list(x.shape)
    inner, outer = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    for axis, before, after in _by_axis(padding, x.ndim):
        shape[axis] += before + after
        inner[axis] = slice(max(-before, 0), x.shape[axis] - max(-after, 0))
        outer[axis] = slice(max(before, 0), shape[axis] - max(after, 0))
    if max(padding, default=0) <= 0:
        return copied(x[tuple(inner)], x.dtype)
    out = np.full(shape, np.asarray(value).astype(x.dtype), x.dtype)
    out[tuple(outer)] = x[tuple(inner)]
    return out


@functools.lru_cache(256)
def _segments(size: int, before: int, after: int, mode: str) -> list[tuple[slice, slice]]:
    """The padded axis before, in and behind the axis: where each is in it, and what it shows of the axis, if only one place
    (its edge, mode 'replicate') that one again and again."""
    padded = size + before + after
    ahead, behind = min(before, padded), min(after, padded)  # where more is taken off on the other side than there was
    inner = slice(max(before, 0), max(padded - max(after, 0), 0))
    segments = [(inner, slice(max(-before, 0), max(size + min(after, 0), 0)))]
    if ahead > 0:
        shown = slice(before, before - ahead, -1) if mode == "reflect" else slice(0, 1)
        segments.insert(0, (slice(0, ahead), shown))
    if behind > 0:
        last = size - 2 - after  # not shown any more
        shown = slice(last + behind, last if last >= 0 else None, -1) if mode == "reflect" else slice(size - 1, size)
        segments.append((slice(padded - behind, padded), shown))
    return segments


def mirrored_pad(x: Array, padding: Shape, mode: str) -> Array:
    """Padding with what is in the array: mode 'reflect' or 'replicate'."""
    for axis, before, after in _by_axis(padding, x.ndim):
        lead: Any = (slice(None),) * axis
        out = np.empty((*x.shape[:axis], x.shape[axis] + before + after, *x.shape[axis + 1 :]), x.dtype)
        for place, shown in _segments(x.shape[axis], before, after, mode):
            out[*lead, place] = x[*lead, shown]
        x = out
    return x


def mirrored_pad_adjoint(g: Array, padding: Shape, mode: str) -> Array:
    """The transpose of ``mirrored_pad``."""
    for axis, before, after in _by_axis(padding, g.ndim):
        lead: Any = (slice(None),) * axis
        size = g.shape[axis] - before - after
        out = np.zeros((*g.shape[:axis], size, *g.shape[axis + 1 :]), g.dtype)
        for place, shown in _segments(size, before, after, mode):
            part = g[*lead, place]
            if mode == "replicate" and shown.stop == shown.start + 1:
                part = part.sum(axis, dtype=g.dtype, keepdims=True)
            out[*lead, shown] += part
        g = out
    return g
