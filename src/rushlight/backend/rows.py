"""Copies of arrays that lie in rows with gaps between them.

NumPy copies each row by memcpy. Where rows begin at lines of the cache, as large arrays do on Intel's processors (alignment.py),
rows of 64 to 256 bytes take that two to four times as long as a loop over words takes (measured: 128 KB in rows of 128 bytes
53 us and 33, into memory that the caches have lost 230 and 76). The loop is that of np.positive, and of whole numbers, so that
every bit is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import alignment
from .numpy import Array, Shape

_FROM, _LINE = alignment.FROM, alignment.LINE  # elements, bytes
_WORDS: dict[int, Any] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}


def _are_lines(x: Array) -> bool:
    """Whether ``x`` is large and lies in rows as long as a line of the cache, or longer."""
    size = x.itemsize
    return x.size >= _FROM and x.strides[-1] == size in _WORDS and x.shape[-1] * size >= _LINE


def write(out: Array, x: Array) -> None:
    """``out[...] = x`` for arrays of one shape and dtype."""
    if _are_lines(x) and _are_lines(out):
        word = _WORDS[x.itemsize]
        np.positive(x.view(word), out.view(word))
    else:
        np.copyto(out, x)


def contiguous(x: Array) -> Array:
    """A copy in C order."""
    if x.flags.c_contiguous or not _are_lines(x):
        return x.copy("C")
    out = np.empty(x.shape, x.dtype)
    write(out, x)
    return out


def reshaped(x: Array, shape: Shape) -> Array:
    """``x.reshape(shape)``."""
    if not x.flags.c_contiguous and _are_lines(x):
        try:
            return x.reshape(shape, copy=False)
        except ValueError:
            return contiguous(x).reshape(shape)
    return x.reshape(shape)


def joined(xs: Sequence[Array], axis: int) -> Array:
    """``np.concatenate(xs, axis)``."""
    first = xs[0]
    if first.size < _FROM or not axis:
        return np.concatenate(xs, axis)
    axis %= first.ndim
    around = first.shape[:axis], first.shape[axis + 1 :]

    def fits(x: Array) -> bool:
        alike = x.dtype is first.dtype and (x.shape[:axis], x.shape[axis + 1 :]) == around
        return alike and x.flags.c_contiguous and _are_lines(x)

    if not all(map(fits, xs)):
        return np.concatenate(xs, axis)
    out = np.empty((*around[0], sum(x.shape[axis] for x in xs), *around[1]), first.dtype)
    lead, start = (slice(None),) * axis, 0
    for x in xs:
        end = start + x.shape[axis]
        write(out[(*lead, slice(start, end))], x)
        start = end
    return out
