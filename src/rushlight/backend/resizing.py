"""Arrays of another shape over the same memory, or a longer copy of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import creation as layouts
from . import memory
from . import numpy as backend


def resized(array: np.ndarray[Any, Any], shape: tuple[int, ...], order: Sequence[int]) -> np.ndarray[Any, Any]:
    """An array of another shape over the same memory, or over a longer copy of it; its dimensions lie in this order, the
    outermost first."""
    whole = memory.block(array)
    start = backend.address(array) - backend.address(whole) if array.size else 0
    need = math.prod(shape) * array.itemsize + start
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
