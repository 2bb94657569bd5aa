"""Kernels of distances between the rows of matrices."""

from __future__ import annotations

import math

import numpy as np

from ..kernels import distances as compiled
from ..kernels import register
from .matmul import batch_product
from .numpy import Array
from .pointwise import sign

USUAL_ORDERS = (1, 2, math.inf)  # whose slopes are one kernel


@register(compiled.cdist)
def cdist(a: Array, b: Array, p: float) -> Array:
    """Distances of order p between all rows of a (..., n, d) and of b (..., m, d): (..., n, m)."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return _lengths(a[..., :, None, :] - b[..., None, :, :], p)


def distances_by_products(a: Array, b: Array) -> Array:
    """Distances of order 2 between all rows of a (..., n, d) and of b (..., m, d): (..., n, m).

    |x - y|^2 is -2 x.y + |x|^2 + |y|^2, one product of rows that are two elements longer: faster, and less exact for
    rows that are close together.
    """
    squares_of_a, squares_of_b = (np.sum(x * x, -1, keepdims=True, dtype=x.dtype) for x in (a, b))
    left = np.concatenate([-2 * a, squares_of_a, np.ones_like(squares_of_a)], -1)
    right = np.concatenate([b, np.ones_like(squares_of_b), squares_of_b], -1)
    return np.sqrt(np.maximum(batch_product(left, right.swapaxes(-1, -2)), 0))


@register(compiled.pdist)
def pdist(x: Array, p: float) -> Array:
    """Distances of order p between each row of x (n, d) and those behind it, row by row."""
    return _lengths(pair_differences(x), p)


def _lengths(off: Array, p: float) -> Array:
    size = np.abs(off)
    if p == 0:
        return np.asarray((size != 0).sum(-1).astype(off.dtype))
    if p == 1:
        return np.asarray(size.sum(-1))
    if p == 2:
        return np.asarray(np.sqrt((size * size).sum(-1)))
    if math.isinf(p):
        return np.asarray(size.max(-1, initial=0))
    return np.asarray(np.power(np.power(size, p).sum(-1), 1 / p).astype(off.dtype))


def pair_differences(x: Array) -> Array:
    """What ``pdist`` takes the lengths of: (pairs, d)."""
    out = np.empty((len(x) * (len(x) - 1) // 2, x.shape[1]), x.dtype)
    start = 0
    for index in range(len(x) - 1):
        end = start + len(x) - 1 - index
        np.subtract(x[index], x[index + 1 :], out[start:end])
        start = end
    return out


def pair_differences_adjoint(g: Array, rows: int) -> Array:
    out = np.zeros((rows, g.shape[-1]), g.dtype)
    start = 0
    for index in range(rows - 1):
        end = start + rows - 1 - index
        of_pairs = g[start:end]
        out[index] += of_pairs.sum(0)
        out[index + 1 :] -= of_pairs
        start = end
    return out


@register(compiled.pdist_backward)
def pdist_backward(g: Array, x: Array, lengths: Array, p: float) -> Array:
    """The gradient of ``pdist`` for one of the usual orders."""
    return pair_differences_adjoint(_slopes(pair_differences(x), g, lengths, p), len(x))


@register(compiled.cdist_backward)
def cdist_backward(g: Array, a: Array, b: Array, lengths: Array, p: float, of_first: int) -> Array:
    """The gradient of ``cdist`` for its first matrices, or for its second; of one of the usual orders."""
    slopes = _slopes(a[..., :, None, :] - b[..., None, :, :], g, lengths, p)
    return np.asarray(slopes.sum(-2) if of_first else -slopes.sum(-3), a.dtype)


def _slopes(off: Array, g: Array, lengths: Array, p: float) -> Array:
    """Those of the differences; rows that are the same have none of order 2, whatever the cotangent."""
    g, lengths = g[..., None], lengths[..., None]
    if p == 1:
        return sign(off) * g
    if p == 2:
        none = lengths == 0
        return np.asarray(np.where(none, 0, off / np.where(none, 1, lengths)) * np.where(none, 0, g), off.dtype)
    return np.asarray(sign(off) * g * (np.abs(off) == lengths))
