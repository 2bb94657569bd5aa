"""Compiled sums at indices. They take float32 and float64 in order, and indices of 64 bits, from 0 on, that there are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]


def _added(out: Array, indices: Array, values: Array, width: int) -> Array | None:
    if native is None or values.dtype is not out.dtype or out.dtype.char not in "fd" or indices.dtype.char not in "lq":
        return None
    return out if native.add_at(out, np.ascontiguousarray(indices), np.ascontiguousarray(values), width) else None


def add_at(out: Array, indices: Array, values: Array) -> Array | None:
    if values.shape != indices.shape:
        values = np.broadcast_to(values, indices.shape)
    return _added(out, indices, values, 1)


def add_rows(out: Array, rows: Array, values: Array, is_zero: bool) -> Array | None:
    return _added(out, rows, values, math.prod(out.shape[1:]))
