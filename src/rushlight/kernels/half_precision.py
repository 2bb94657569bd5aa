"""Numbers of two bytes, float16 and bfloat16, to and from float32, compiled: of many that lie in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
DType = np.dtype[Any]

_FEW = 1 << 8
_SINGLE, _BITS = np.dtype(np.float32), np.dtype(np.uint16)


def converted(x: Array, dtype: DType) -> Array | None:
    if native is None or x.size < _FEW or not x.flags.c_contiguous:
        return None
    if dtype is _SINGLE:
        loop = native.single_of_half if x.dtype.char == "e" else native.single_of_brain if x.dtype.name == "bfloat16" else None
        out = np.empty(x.shape, dtype)
        return out if loop and loop(out, x.view(_BITS)) else None
    if x.dtype is _SINGLE:
        loop = native.half_of_single if dtype.char == "e" else native.brain_of_single if dtype.name == "bfloat16" else None
        out = np.empty(x.shape, _BITS)
        return out.view(dtype) if loop and loop(out, x) else None
    return None


def by_single(kernel: Callable[..., Array | None], *args: object) -> Array | None:
    """What a kernel gives of numbers of two bytes by way of single precision, rounded once; None for others, and where one is not taken."""
    dtype = args[0].dtype if isinstance(args[0], np.ndarray) else _SINGLE
    if dtype.itemsize != 2 or dtype.kind not in "fV":
        return None
    wide = [converted(each, _SINGLE) if isinstance(each, np.ndarray) and each.dtype is dtype else each for each in args]
    out = None if any(each is None for each in wide) else kernel(*wide)
    return None if out is None else converted(out, dtype)
