"""Compiled copies in order of arrays whose last two dimensions lie the other way round, or whose last runs backwards."""

from __future__ import annotations

import numpy as np

from . import native
from .half_precision import Array, bits, is_half

_FEW = 1 << 10  # numbers


def contiguous(x: Array) -> Array | None:
    if native is None or x.ndim < 2 or x.size < _FEW or x.strides[-2] != x.itemsize or x.flags.c_contiguous:
        return None
    if x.dtype.kind not in "fiubV":
        return None
    out = np.empty(x.shape, x.dtype)
    return out if native.turned(*((bits(out), bits(x)) if is_half(x) else (out, x))) else None


def _lies_in_order(x: Array) -> bool:
    """Whether it would, did no dimension run backwards."""
    step = x.itemsize
    for size, stride in zip(x.shape[::-1], x.strides[::-1], strict=True):
        if abs(stride) != step:
            return False
        step *= size
    return True


def backwards(x: Array) -> Array | None:
    if native is None or x.size < _FEW or x.strides[-1] != -x.itemsize or x.dtype.kind not in "fiubV" or not _lies_in_order(x):
        return None
    out = np.empty(x.shape, x.dtype)
    return out if native.backwards(*((bits(out), bits(x)) if is_half(x) else (out, x))) else None
