"""Arrays of another shape over the same memory, or a longer copy of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from . import creation as layouts
from . import memory
from . import numpy as backend
from .numpy import Array


def resized(array: Array, shape: tuple[int, ...], order: Sequence[int]) -> Array:
    """An array of another shape over the same memory, or over a longer copy of it; its dimensions lie in this order, the
    outermost first."""
    whole = memory.block(array)
    start = backend.address(array) - backend.address(backend.root(array))
    need = 0 if 0 in shape else math.prod(shape) * array.itemsize + start
    if need >= 2**64:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if need > whole.size:
        if not memory.resizable(array):
            raise RuntimeError("Trying to resize storage that is not resizable")
        longer = np.zeros(need, np.uint8)
        longer[: whole.size] = whole
        layouts.unset(longer[whole.size : need - need % array.itemsize].view(array.dtype))
        whole = longer
    laid = memory.laid_over(whole, array.dtype, tuple(shape[axis] for axis in order), None, start // array.itemsize)
    return laid.transpose(np.argsort(order).tolist())


def seen_before(array: Array, longer: Array) -> None:
    """Writes what is in ``longer``, which came of ``array`` by :func:`resized`, into the memory that it is a copy of, if it is one:
    others may lie there."""
    whole = backend.root(array)
    if longer.size and whole.size and whole is not backend.root(longer):
        before = memory.block(array)
        before[:] = memory.block(longer)[: before.size]
