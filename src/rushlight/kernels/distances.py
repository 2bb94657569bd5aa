"""Compiled distances between rows, of orders 0, 1, 2 and the largest. They take float32 and float64."""

from __future__ import annotations

import math

import numpy as np

from ..base.errstate import silent
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


def _slopes(
    g: Array, lengths: Array, x: Array, others: Array | None, p: float, sizes: tuple[int, ...], is_turned: int = 0
) -> Array | None:
    """``sizes`` are (batch, rows, columns, width); those whose distance is 0 have no slope of order 2."""
    if (
        native is None
        or not _ORDERS.get(p)
        or x.dtype.char not in "fd"
        or g.dtype is not x.dtype
        or not (math.prod(sizes) and g.size)
    ):
        return None
    if p == 2:
        with silent():
            weights = np.divide(g, lengths, out=np.zeros(g.shape, g.dtype), where=lengths != 0)
    else:
        weights = np.ascontiguousarray(g)
    out = np.empty(x.shape, x.dtype)
    given = np.ascontiguousarray(x), None if others is None else np.ascontiguousarray(others)
    given_lengths = np.ascontiguousarray(lengths) if math.isinf(p) else None
    return out if native.distance_slopes(out, weights, given_lengths, *given, _ORDERS[p], (*sizes, is_turned)) else None


def pdist_backward(g: Array, x: Array, lengths: Array, p: float) -> Array | None:
    rows, width = x.shape
    return _slopes(g, lengths, x, None, p, (1, rows, rows, width))


def cdist_backward(g: Array, a: Array, b: Array, lengths: Array, p: float, of_first: int) -> Array | None:
    if a.dtype is not b.dtype or a.shape[:-2] != b.shape[:-2]:
        return None
    (rows, width), columns, batch = a.shape[-2:], b.shape[-2], math.prod(a.shape[:-2])
    if of_first:
        return _slopes(g, lengths, a, b, p, (batch, rows, columns, width))
    return _slopes(g, lengths, b, a, p, (batch, columns, rows, width), 1)
