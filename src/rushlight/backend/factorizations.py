"""Factorisations and triangular systems in plain steps over whole batches, for what NumPy's linear algebra lacks.

They follow LAPACK: the same pivots, the same packed layouts, no stop at a zero pivot.
"""

from __future__ import annotations

import math

import numpy as np

from ..base.errstate import silent
from . import threads
from .numpy import Array

INT = np.dtype(np.int32)
_FEW = 64  # rows of a triangle that is solved in one
_NO_NUMBER = complex("nan+nanj")  # one over a complex infinity, for LAPACK
_SHARED = 1 << 20  # multiplications that BLAS may share out to its threads


def lu_factor(a: Array) -> tuple[Array, Array, Array]:
    """L below and U above the diagonal, the rows swapped at each step counted from 1, and the first zero pivot or 0.

    Gaussian elimination with partial pivoting.
    """
    lu = np.array(a, order="C")
    m, n = lu.shape[-2:]
    steps = min(m, n)
    pivots = np.zeros((*lu.shape[:-2], steps), INT)
    info = np.zeros(lu.shape[:-2], INT)
    count = info.size
    flat = lu.reshape(count, m, n)
    if count:
        with silent():
            _eliminate(flat, pivots.reshape(count, steps), info.reshape(count))
    return lu, pivots, info


def _eliminate(lu: Array, pivots: Array, info: Array) -> None:
    """Eliminates column after column, as far as there are rows."""
    each = np.arange(len(lu))
    for k in range(pivots.shape[1]):
        column = lu[:, k:, k]
        # Complex sizes as LAPACK measures them.
        size = np.abs(column.real) + np.abs(column.imag) if column.dtype.kind == "c" else np.abs(column)
        size[np.isnan(size)] = -1  # LAPACK looks past nan,
        size[np.isnan(column[:, 0]), 0] = np.inf  # but for where it begins
        row = size.argmax(1) + k
        pivots[:, k] = row + 1
        top, chosen = lu[:, k].copy(), lu[each, row].copy()
        lu[each, row], lu[:, k] = top, chosen
        pivot = lu[:, k, k]
        zero = pivot == 0
        if zero.any():
            info[zero & (info == 0)] = k + 1
            pivot = np.where(zero, np.ones((), lu.dtype), pivot)
        if lu.dtype.kind == "c" and not np.isfinite(pivot).all():
            pivot = np.where(np.isfinite(pivot), pivot, _NO_NUMBER)  # LAPACK multiplies by its reciprocal
        lu[:, k + 1 :, k] /= pivot[:, None]
        lu[:, k + 1 :, k + 1 :] -= lu[:, k + 1 :, k, None] * lu[:, k, None, k + 1 :]


def permutation(pivots: Array, m: int) -> Array:
    """The order of rows that swapping row after row with its pivot leads to."""
    order = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
    count = math.prod(pivots.shape[:-1])
    flat, swaps = order.reshape(count, m), pivots.reshape(count, pivots.shape[-1])
    each = np.arange(count)
    for k in range(swaps.shape[1] if count else 0):
        other = swaps[:, k].astype(np.int64) - 1
        top, chosen = flat[:, k].copy(), flat[each, other].copy()
        flat[each, other], flat[:, k] = top, chosen
    return order


def swapped(x: Array, pivots: Array) -> Array:
    """The rows of ``x`` in the order of the pivots."""
    batch = np.broadcast_shapes(x.shape[:-2], pivots.shape[:-1])
    order = np.broadcast_to(permutation(pivots, x.shape[-2]), (*batch, x.shape[-2]))
    return np.take_along_axis(np.broadcast_to(x, (*batch, *x.shape[-2:])), order[..., None], -2)


def swapped_back(x: Array, pivots: Array) -> Array:
    """Undoes :func:`swapped`."""
    batch = np.broadcast_shapes(x.shape[:-2], pivots.shape[:-1])
    order = np.broadcast_to(np.argsort(permutation(pivots, x.shape[-2]), -1), (*batch, x.shape[-2]))
    return np.take_along_axis(np.broadcast_to(x, (*batch, *x.shape[-2:])), order[..., None], -2)


def lu_solve(lu: Array, b: Array, pivots: Array, adjoint: bool = False) -> Array:
    """X with ``P @ L @ U @ X = b``, or with the adjoint of that matrix."""
    if adjoint:
        other = lu.swapaxes(-1, -2).conj()
        return swapped_back(solve_triangular(other, solve_triangular(other, b, False), True, True), pivots)
    return solve_triangular(lu, solve_triangular(lu, swapped(b, pivots), False, True), True)


def solve_triangular(a: Array, b: Array, upper: bool, unit: bool = False) -> Array:
    """X with ``a @ X = b``, of ``a`` only a triangle being looked at; inf and nan where its diagonal has zeros."""
    n = a.shape[-1]
    if not upper:
        # Reversed both ways, a lower triangle is an upper one, of which elimination swaps no rows.
        return solve_triangular(a[..., ::-1, ::-1], b[..., ::-1, :], True, unit)[..., ::-1, :]
    triangle = np.triu(a)
    if unit:
        triangle[..., range(n), range(n)] = 1
    if not (np.isfinite(triangle).all() and np.diagonal(triangle, 0, -2, -1).all()):
        return _substituted(triangle, b)
    with threads.blas_threads(threads.limit() if n * n * b.shape[-1] >= _SHARED else 1):
        x = _in_halves(triangle, b)
    return x if np.isfinite(x).all() else _substituted(triangle, b)  # elimination takes 0 times inf for nan


def _in_halves(triangle: Array, b: Array) -> Array:
    """X with ``triangle @ X = b`` for an upper triangle: elimination finds nothing to do in it but takes its time, by the third power
    of the rows, so it gets few, and products do the rest (300 rows and a vector: 3,500 us in one, 450 in halves)."""
    n = triangle.shape[-1]
    if n <= _FEW:
        return np.asarray(np.linalg.solve(triangle, b))
    half = n // 2
    below = _in_halves(triangle[..., half:, half:], b[..., half:, :])
    above = _in_halves(triangle[..., :half, :half], b[..., :half, :] - triangle[..., :half, half:] @ below)
    return np.concatenate([above, np.broadcast_to(below, (*above.shape[:-2], *below.shape[-2:]))], -2)


def _substituted(triangle: Array, b: Array) -> Array:
    """Back substitution, a column of the triangle at a time."""
    batch = np.broadcast_shapes(triangle.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    with silent():
        for k in range(triangle.shape[-1] - 1, -1, -1):
            x[..., k, :] /= triangle[..., k, k, None]
            x[..., :k, :] -= triangle[..., :k, k, None] * x[..., k, None, :]
    return x


def cholesky_ex(a: Array, upper: bool) -> tuple[Array, Array]:
    """Cholesky's factor as far as it exists, the rest as it was; the order of the first minor that stopped it, or 0."""
    lower = np.tril(a.swapaxes(-1, -2).conj() if upper else a)
    n = lower.shape[-1]
    flat, info = lower.reshape(math.prod(lower.shape[:-2]), n, n), np.zeros(lower.shape[:-2], INT)
    flat_info = info.reshape(-1)
    for index, matrix in enumerate(flat):
        for k in range(n):
            before = matrix[k, :k]
            pivot = matrix[k, k].real - (before * before.conj()).real.sum()
            matrix[k, k] = pivot
            if not pivot > 0:
                flat_info[index] = k + 1
                break
            matrix[k, k] = np.sqrt(pivot)
            matrix[k + 1 :, k] = (matrix[k + 1 :, k] - matrix[k + 1 :, :k] @ before.conj()) / matrix[k, k]
    return (lower.swapaxes(-1, -2).conj() if upper else lower), info


def inverse_of_factor(lower: Array) -> Array:
    """The inverse of ``lower @ lower^H`` by LAPACK's steps: what is infinite or nan meets its own rows alone, and a diagonal
    is taken to be real, but for its last element."""
    n = lower.shape[-1]
    inverse, out = np.zeros_like(lower), np.zeros_like(lower)
    with silent():
        for j in range(n):
            inverse[..., j, j] = 1 / lower[..., j, j]
            for i in range(j + 1, n):
                total = (lower[..., i, j:i] * inverse[..., j:i, j]).sum(-1)
                inverse[..., i, j] = -total * (1 / lower[..., i, i])
        last = inverse[..., -1:, -1:].copy()
        inverse[..., range(n), range(n)] = inverse[..., range(n), range(n)].real
        for i in range(n):
            for j in range(i + 1):
                total = (inverse[..., i:, i].conj() * inverse[..., i:, j]).sum(-1)
                out[..., i, j], out[..., j, i] = total, total.conj()
            out[..., i, i] = out[..., i, i].real
        out[..., -1:, -1:] = last.real * last
    return out


def reflected(vectors: Array, tau: Array, c: Array, adjoint: bool = False) -> Array:
    """``H_1 @ H_2 @ ... @ c`` with ``H_i = 1 - tau_i v_i v_i^H``; adjoint: ``... @ H_2^H @ H_1^H @ c``.

    v_i stands below the diagonal of column i; above it are zeros, on it is 1.
    """
    m, k = vectors.shape[-2], tau.shape[-1]
    v = np.tril(vectors[..., :k], -1)
    v[..., range(min(m, k)), range(min(m, k))] = 1
    batch = np.broadcast_shapes(vectors.shape[:-2], c.shape[:-2])
    out = np.array(np.broadcast_to(c, (*batch, *c.shape[-2:])), dtype=np.result_type(vectors, c))
    for i in range(k) if adjoint else range(k - 1, -1, -1):
        factor = tau[..., i].conj() if adjoint else tau[..., i]
        column = v[..., i : i + 1]
        out -= factor[..., None, None] * column * (column.swapaxes(-1, -2).conj() @ out)
    return out
