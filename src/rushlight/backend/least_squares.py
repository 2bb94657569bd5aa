"""Kernels of pseudo-inverses and least squares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .array_dtypes import real_of
from .linalg import LinAlgError, adjoint, columns, eigh, eigvalsh, one_by_one, svd, svdvals, with_batch_element
from .numpy import Array


def default_tolerances(a: Array) -> tuple[Any, Any]:
    """No absolute tolerance; relative to the greatest singular value, eps for each row or column."""
    return 0.0, float(np.finfo(a.dtype).eps) * max(a.shape[-2:])


def pinv(a: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    """Moore-Penrose inverses; singular values up to ``max(atol, rtol * the greatest)`` count as zero."""
    if not a.size:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        values, u = eigh(a)
        size = np.abs(values)
        vh = adjoint(u)
    else:
        u, values, vh = svd(a, False)
        size = values
    limit = np.maximum(atol, rtol * size.max(-1))
    keep = size > np.asarray(limit)[..., None]
    inverse = np.where(keep, 1 / np.where(keep, values, 1), 0).astype(values.dtype)
    return np.asarray(adjoint(vh) @ (inverse[..., None] * adjoint(u)))


def matrix_rank(a: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    """How many singular values are above ``max(atol, rtol * the greatest)``."""
    sizes = np.abs(eigvalsh(a)) if hermitian else svdvals(a)
    limit = np.asarray(np.maximum(atol, rtol * sizes.max(-1)))
    return np.asarray((sizes > limit[..., None]).sum(-1))


def lstsq(a: Array, b: Array, rcond: float, driver: str) -> tuple[Array, Array, Array, Array]:
    """Least-squares solutions of least norm, sums of squared residuals, ranks and singular values.

    The last three are empty where LAPACK's driver does not give them.
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (m, n), k = a.shape[-2:], b.shape[-1]
    real = real_of(a.dtype)
    if math.prod(batch) and m and n:
        solution, rank, values = one_by_one(lambda a, b: _solved(a, b, rcond), batch, a, b)
    else:
        solution = np.zeros((*batch, n, k), a.dtype)
        rank, values = np.zeros(batch, np.int64), np.zeros((*batch, min(m, n)), real)
    own = tuple(slice(size) for size in (1,) * (len(batch) - a.ndim + 2) + a.shape[:-2])  # ranks are of a's batch, not of both
    rank = np.zeros(a.shape[:-2], np.int64) if not rank.size else rank[own].reshape(a.shape[:-2])
    values = values[own].reshape(*a.shape[:-2], min(m, n)) if values.size else np.zeros((*a.shape[:-2], min(m, n)), real)
    full = bool((rank == min(m, n)).all())
    if driver == "gels" and k and not full:
        gaps = np.where(rank < min(m, n), rank + 1, 0)
        sentence = (
            "The least squares solution could not be computed because the input matrix does not have full rank (error "
            "code: {})."
        )
        raise LinAlgError(with_batch_element(gaps, sentence, "torch.linalg.lstsq"))
    residuals = np.zeros(0, real)
    if m > n and full and driver != "gelsy":
        gap = a @ solution - b if n or driver != "gels" else np.zeros_like(b)  # of no columns LAPACK says nothing
        residuals = (gap.real**2 + gap.imag**2).sum(-2).astype(real, copy=False)
    if driver == "gels":
        rank = np.zeros(0, np.int64)
    if driver in ("gels", "gelsy"):
        values = np.zeros(0, real)
    place = columns(np.empty((*batch, max(m, n), k), a.dtype))[..., :n, :]  # where b was, which may have more rows
    place[...] = solution
    return place, residuals, rank, values.astype(real, copy=False)


def _solved(a: Array, b: Array, rcond: float) -> tuple[Array, Array, Array]:
    # LAPACK may never come to an end with what is not finite.
    if not np.isfinite(a).all():
        empty = np.zeros((a.shape[1], b.shape[1]), a.dtype)
        return empty, np.asarray(0), np.full(min(a.shape), np.nan, real_of(a.dtype))
    finite = np.isfinite(b).all()
    solution, _, rank, values = np.linalg.lstsq(a, b if finite else np.zeros_like(b), rcond)
    if not finite:
        solution[...] = np.nan
    return solution, np.asarray(rank, np.int64), values
