"""Kernels of distances between the rows of matrices."""

from __future__ import annotations

import math

import numpy as np

from .flat_indices import add_rows
from .numpy import Array


def cdist(a: Array, b: Array, p: float, by_products: bool = False) -> Array:
    """Distances of order p between all rows of a (..., n, d) and of b (..., m, d): (..., n, m).

    ``by_products`` takes squared distances apart into squares and products of the rows: faster, and less exact for rows
    that are close together.
    """
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if by_products:
        square_a, square_b = (np.einsum("...d,...d", x, x) for x in (a, b))
        squares = square_a[..., :, None] + square_b[..., None, :] - 2 * (a @ b.swapaxes(-1, -2))
        return np.sqrt(np.maximum(squares, 0))
    return _lengths(a[..., :, None, :] - b[..., None, :, :], p)


def pdist(x: Array, p: float) -> Array:
    """Distances of order p between each row of x (n, d) and those behind it, row by row."""
    first, second = np.triu_indices(len(x), 1)
    return _lengths(x[first] - x[second], p)


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
    first, second = np.triu_indices(len(x), 1)
    return np.asarray(x[first] - x[second])


def pair_differences_adjoint(g: Array, rows: int) -> Array:
    first, second = np.triu_indices(rows, 1)
    x, y = np.zeros((2, rows, g.shape[-1]), g.dtype)
    add_rows(x, first, g, True)
    add_rows(y, second, g, True)
    return x - y
