"""Compiled distances between rows, of orders 0, 1, 2 and the largest. They take float32 and float64."""

from __future__ import annotations

import math

import numpy as np

from . import native
from .rows import Array

_ORDERS = {0.0: 0, 1.0: 1, 2.0: 2, math.inf: 3}


def _distances(a: Array, b: Array | None, p: float, out: tuple[int, ...], sizes: tuple[int, ...]) -> Array | None:
    if native is None or p not in _ORDERS or a.dtype.char not in "fd" or not (math.prod(sizes) and math.prod(out)):
        return None
    values = np.empty(out, a.dtype)
    other = None if b is None else np.ascontiguousarray(b)
    return values if native.distances(values, np.ascontiguousarray(a), other, _ORDERS[p], sizes) else None


def pdist(x: Array, p: float) -> Array | None:
    rows, width = x.shape
    return _distances(x, None, p, (rows * (rows - 1) // 2,), (1, rows, rows, width))


def cdist(a: Array, b: Array, p: float) -> Array | None:
    if a.dtype is not b.dtype or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-1]:
        return None
    (rows, width), columns = a.shape[-2:], b.shape[-2]
    return _distances(a, b, p, (*a.shape[:-1], columns), (math.prod(a.shape[:-2]), rows, columns, width))
