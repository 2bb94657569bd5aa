"""Kernels of linear algebra on NumPy's: inverses, determinants, solvers and decompositions of batches of matrices.

Results that LAPACK makes lie column by column, as PyTorch's do. Where NumPy gives up on a whole batch because of one
matrix, that is worked out by the plain algorithms of :mod:`.factorizations`, which go on through a zero pivot as LAPACK does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errstate import silent
from . import factorizations
from .numpy import Array


class LinAlgError(RuntimeError):
    """A matrix for which the result does not exist: singular, not positive-definite, without convergence."""


LinAlgError.__module__, LinAlgError.__qualname__, LinAlgError.__name__ = "torch._C", "_LinAlgError", "_LinAlgError"

INT = np.dtype(np.int32)


def columns(x: Array) -> Array:
    """The matrices laid out column by column."""
    if x.ndim <= 2:
        return np.asfortranarray(x)
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def adjoint(x: Array) -> Array:
    x = x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == "c" else x


def no_info(shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, INT)


def one_by_one(compute: Callable[..., tuple[Array, ...]], batch: tuple[int, ...], *inputs: Array) -> tuple[Array, ...]:
    """``compute`` for each matrix of a batch, its results stacked."""
    flat = [np.broadcast_to(x, (*batch, *x.shape[-2:])).reshape(math.prod(batch), *x.shape[-2:]) for x in inputs]
    each = [compute(*matrices) for matrices in zip(*flat, strict=True)]
    return tuple(np.stack(results).reshape((*batch, *results[0].shape)) for results in zip(*each, strict=True))


def with_batch_element(info: Array, sentence: str, name: str) -> str:
    """``name: (Batch element 3): sentence``, the sentence's ``{}`` being what the first failure's info says."""
    flat = info.reshape(-1)
    index = int(np.flatnonzero(flat)[0])
    where = f"(Batch element {index}): " if info.ndim else ""
    return f"{name}: {where}{sentence.format(int(flat[index]))}"


def check_inverted(info: Array, name: str) -> None:
    """Raises LinAlgError where an inverse was asked of a singular matrix."""
    if info.any():
        sentence = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
        raise LinAlgError(with_batch_element(info, sentence, name))


def check_solved(info: Array, name: str) -> None:
    """Raises LinAlgError where a singular system was to be solved."""
    if info.any():
        raise LinAlgError(with_batch_element(info, "The solver failed because the input matrix is singular.", name))


def check_positive(info: Array, name: str) -> None:
    """Raises LinAlgError where a matrix was not positive-definite."""
    if info.any():
        sentence = (
            "The factorization could not be completed because the input is not positive-definite (the leading minor of "
            "order {} is not positive-definite)."
        )
        raise LinAlgError(with_batch_element(info, sentence, name))


# Inverses and determinants.


def _if_finite(compute: Callable[..., Array], a: Array, *rest: Any) -> Array | None:
    """What NumPy computes of finite matrices; None of others, whose result shows in which order rows were taken, and of singular ones."""
    try:
        return compute(a, *rest) if np.isfinite(a).all() else None
    except np.linalg.LinAlgError:
        return None


def inv_ex(a: Array) -> tuple[Array, Array]:
    """Inverses, and for each matrix 0 or the number of the pivot that was zero."""
    inverse = _if_finite(np.linalg.inv, a)
    if inverse is not None:
        return columns(inverse), no_info(a.shape[:-2])
    return solve_ex(a, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))


def inv(a: Array, name: str = "linalg.inv") -> Array:
    inverse = _if_finite(np.linalg.inv, a)
    if inverse is None:
        inverse, info = inv_ex(a)
        check_inverted(info, name)
    return columns(inverse)


def det(a: Array) -> Array:
    if not a.size:  # of any dtype
        return np.ones(a.shape[:-2], a.dtype)
    size = np.array(np.linalg.det(a))
    doubtful = _doubtful(a, size)
    if doubtful.any():
        with silent():
            pivots, turns = _pivots(a, doubtful)
            size[doubtful] = pivots.prod(-1) * turns
    return size


def slogdet(a: Array) -> tuple[Array, Array]:
    sign, size = (np.array(one) for one in np.linalg.slogdet(a))
    with silent():
        doubtful = _doubtful(a, np.exp(size)) | (sign == 0)
        if doubtful.any():
            pivots, turns = _pivots(a, doubtful)
            sizes = np.abs(pivots)
            # A complex infinity has no sign in PyTorch.
            signs = np.where(pivots == 0, 0, pivots / sizes) if a.dtype.kind == "c" else np.sign(pivots)
            sign[doubtful] = signs.prod(-1) * turns
            size[doubtful] = np.log(sizes).sum(-1)
    if a.dtype.kind != "c":
        sign[np.isnan(size)] = 0  # PyTorch's sign of nan
    return sign, size


_FEW_ROWS = 8


def _doubtful(a: Array, size: Array) -> Array:
    """Which determinants are 0, of matrices that are not finite or, of small ones, nothing but rounding: there it shows how rows
    were divided."""
    n = a.shape[-1]
    if not 0 < n <= _FEW_ROWS:
        return np.asarray((size == 0) | (~np.isfinite(size) & ~np.isfinite(a).all((-2, -1))))
    with silent():
        bound = (np.abs(a) ** 2 if a.dtype.kind == "c" else a * a).sum(-1).prod(-1)  # Hadamard's, squared
        return np.asarray(~(np.abs(size) ** 2 > bound * (16 * np.finfo(a.dtype).eps) ** 2))


def _pivots(a: Array, chosen: Array) -> tuple[Array, Array]:
    """The pivots of some of the matrices, 0 or -0 among them, of which NumPy makes 0; and -1 where rows were swapped an odd number
    of times, else 1."""
    # As PyTorch, which eliminates in the transpose where that saves it a copy.
    turned = a.flags.c_contiguous and a.dtype.kind != "c"
    lu, rows, _ = factorizations.lu_factor((a.swapaxes(-1, -2) if turned else a)[chosen])
    swaps = (rows != np.arange(1, rows.shape[-1] + 1)).sum(-1)
    return lu.diagonal(0, -2, -1), (1 - 2 * (swaps % 2)).astype(a.real.dtype)


def minors(a: Array) -> Array:
    """The derivative of the determinant: ``det(a) * inv(a).T``, and its limit where ``a`` is singular."""
    size = det(a)
    unknown = np.isnan(size)
    zero = ((size == 0) | np.asarray(np.linalg.det(a) == 0)) & ~unknown  # what has no inverse
    other = zero | unknown
    inverse = np.linalg.inv(np.where(other[..., None, None], np.eye(a.shape[-1], dtype=a.dtype), a) if other.any() else a)
    out = np.asarray(size[..., None, None] * inverse.swapaxes(-1, -2))
    out[unknown] = np.nan
    if zero.any():
        out[zero] = _minors_of_singular(a[zero])
    return out


def _minors_of_singular(a: Array) -> Array:
    """From a = u s vh: a product of all singular values but one takes the place of that one."""
    u, s, vh = np.linalg.svd(a)
    others = np.broadcast_to(s[..., None, :], (*s.shape, s.shape[-1])).copy()
    others[..., range(s.shape[-1]), range(s.shape[-1])] = 1
    turn = np.linalg.det(u) * np.linalg.det(vh)
    out: Array = turn[..., None, None] * ((u * others.prod(-1)[..., None, :]) @ vh).conj()
    return out.astype(a.dtype, copy=False)


def nonsingular(a: Array) -> Array:
    """``a``, a little off where its determinant is zero."""
    zero = np.asarray(np.linalg.det(a) == 0)
    if not zero.any():
        return a
    step = np.finfo(a.dtype).eps * np.maximum(np.abs(a).max((-1, -2), keepdims=True), 1)
    return np.where(zero[..., None, None], a + step * np.eye(a.shape[-1], dtype=a.dtype), a)


# Systems of equations.


def solve(a: Array, b: Array, left: bool = True, vector: bool = False, name: str = "torch.linalg.solve") -> Array:
    """X with ``a @ X = b`` (or ``X @ a = b``); ``vector``: b is a vector, or a batch of them."""
    x = _if_finite(_solved, a, b, left, vector)
    if x is None:
        x, info = solve_ex(a, b, left, vector)
        check_solved(info, name)
    return x


def _solved(a: Array, b: Array, left: bool, vector: bool) -> Array:
    if vector:
        x = np.linalg.solve(a, b[..., None])[..., 0]
        return columns(x) if x.ndim > 1 else np.asarray(x)
    if left:
        return columns(np.linalg.solve(a, b))
    return columns(np.linalg.solve(a.swapaxes(-1, -2), b.swapaxes(-1, -2))).swapaxes(-1, -2)


def solve_ex(a: Array, b: Array, left: bool = True, vector: bool = False) -> tuple[Array, Array]:
    """As :func:`solve`, and for each matrix 0 or the number of the pivot that was zero."""
    result = _if_finite(_solved, a, b, left, vector)
    if result is not None:
        return result, no_info(a.shape[:-2])
    lu, pivots, info = factorizations.lu_factor(a)
    result = lu_solve(lu, b[..., None] if vector else b, pivots, left=left or vector)
    if vector:
        result = columns(result[..., 0]) if result.ndim > 2 else result[..., 0]
    return result, info


def solve_triangular(a: Array, b: Array, upper: bool, left: bool = True, unit: bool = False) -> Array:
    """X with ``a @ X = b`` (or ``X @ a = b``), of ``a`` only a triangle being looked at."""
    if not left:
        return solve_triangular(a.swapaxes(-1, -2), b.swapaxes(-1, -2), not upper, True, unit).swapaxes(-1, -2)
    return columns(factorizations.solve_triangular(a, b, upper, unit))


def triangular_solve(b: Array, a: Array, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Array, Array]:
    """As :func:`solve_triangular`, with ``a`` transposed (not conjugated) for ``transpose``; and a copy of ``a``."""
    x = solve_triangular(a.swapaxes(-1, -2) if transpose else a, b, upper != transpose, True, unitriangular)
    return x, columns(np.broadcast_to(a, (*x.shape[:-2], *a.shape[-2:])).copy())


# Decompositions.


def _cholesky(a: Array, upper: bool) -> Array:
    """NumPy's factor, which goes on past pivots that are nan, and takes inf / inf for 0."""
    factor = np.linalg.cholesky(a, upper=upper)
    if factor.size and not np.isfinite(np.add.reduce(factor, None)):
        raise np.linalg.LinAlgError
    return factor


def cholesky(a: Array, upper: bool = False, name: str = "linalg.cholesky") -> Array:
    """The triangle L with ``L @ L^H = a``, or its adjoint; of ``a`` the triangle of the same side is looked at."""
    try:
        return columns(_cholesky(a, upper))
    except np.linalg.LinAlgError:
        factor, info = factorizations.cholesky_ex(a, upper)
        check_positive(info, name)
        return columns(factor)


def cholesky_ex(a: Array, upper: bool = False) -> tuple[Array, Array]:
    """As :func:`cholesky`, and for each matrix 0 or the order of the first leading minor that is not positive."""
    try:
        return columns(_cholesky(a, upper)), no_info(a.shape[:-2])
    except np.linalg.LinAlgError:
        factor, info = factorizations.cholesky_ex(a, upper)
        return columns(factor), info


def cholesky_inverse(factor: Array, upper: bool) -> Array:
    identity = np.broadcast_to(np.eye(factor.shape[-1], dtype=factor.dtype), factor.shape)
    diagonal = np.diagonal(factor, 0, -2, -1)
    if not diagonal.all():
        zero = diagonal == 0
        check_inverted(np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(INT), "cholesky_inverse")
    lower = np.tril(adjoint(factor) if upper else factor)
    if not np.isfinite(lower).all() or (factor.dtype.kind == "c" and diagonal.imag.any()):
        inverse = factorizations.inverse_of_factor(lower)
        return columns(inverse.swapaxes(-1, -2).conj() if upper else inverse)
    return cholesky_solve(identity, factor, upper)


def cholesky_solve(b: Array, factor: Array, upper: bool) -> Array:
    other = adjoint(factor)
    lower, high = (other, factor) if upper else (factor, other)
    return columns(factorizations.solve_triangular(high, factorizations.solve_triangular(lower, b, False), True))


def _failed_to_converge(name: str, matrices: str, info: Array) -> LinAlgError:
    sentence = (
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        f"{matrices} (error code: {{}})."
    )
    return LinAlgError(with_batch_element(info, sentence, name))


def _finite(a: Array) -> Array:
    return np.asarray(np.isfinite(a).all((-1, -2)))


def eigh(a: Array, uplo: Any = "L") -> tuple[Array, Array]:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices; nan for matrices that hold it."""
    if a.shape[-1] == 1:  # whatever the number is
        return eigvalsh(a, uplo), np.ones_like(a)
    values, vectors = _where_finite(lambda x: tuple(np.linalg.eigh(x, uplo)), a, "linalg.eigh", "eigenvalues")
    return values, columns(vectors)


def eigvalsh(a: Array, uplo: Any = "L") -> Array:
    if a.shape[-1] == 1:
        return a[..., 0].real.copy()
    return _where_finite(lambda x: (np.linalg.eigvalsh(x, uplo),), a, "linalg.eigh", "eigenvalues")[0]


def _where_finite(compute: Callable[[Array], tuple[Array, ...]], a: Array, name: str, repeated: str) -> tuple[Array, ...]:
    """``compute(a)``, nan for matrices that are not finite, with which LAPACK may never come to an end; LinAlgError for
    those with which it gives up."""
    finite = _finite(a)
    gaps = ~finite
    if gaps.any():
        a = np.where(finite[..., None, None], a, 0)
    try:
        results = compute(a)
    except np.linalg.LinAlgError:
        raise _failed_to_converge(name, repeated, np.ones(a.shape[:-2], INT)) from None
    for result in results:
        result[gaps] = np.nan
    return results


def eig(a: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, complex always."""
    _check_finite(a)
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind, copy=False), columns(vectors.astype(kind, copy=False))


def eigvals(a: Array) -> Array:
    _check_finite(a)
    return np.linalg.eigvals(a).astype(np.result_type(a.dtype, np.complex64), copy=False)


def _check_finite(a: Array) -> None:
    if not np.isfinite(a).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


def svd(a: Array, full_matrices: bool = True) -> tuple[Array, Array, Array]:
    """U, S and V^H with ``U @ diag(S) @ V^H = a``, singular values descending."""
    _check_numbers(a)
    u, s, vh = _where_finite(lambda x: tuple(np.linalg.svd(x, full_matrices)), a, "linalg.svd", "singular values")
    return columns(u), s, columns(vh)


def svdvals(a: Array) -> Array:
    _check_numbers(a)
    return _where_finite(lambda x: (np.linalg.svd(x, compute_uv=False),), a, "linalg.svd", "singular values")[0]


def _check_numbers(a: Array) -> None:
    if np.isnan(a).any():
        info = np.asarray(np.isnan(a).any((-1, -2))).astype(INT)
        sentence = "The algorithm failed to converge because the input matrix contained non-finite values."
        raise LinAlgError(with_batch_element(info, sentence, "linalg.svd"))


def qr(a: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """Q with orthonormal columns and R upper triangular, ``Q @ R = a``; for mode 'r' an empty Q."""
    if mode == "r":
        return np.zeros(0, a.dtype), columns(np.asarray(np.linalg.qr(a, "r")))
    m, n = a.shape[-2:]
    if not m or not n:
        k = m if mode == "complete" else min(m, n)
        q = np.broadcast_to(np.eye(m, k, dtype=a.dtype), (*a.shape[:-2], m, k))
        return columns(q.copy()), columns(np.zeros((*a.shape[:-2], k, n), a.dtype))
    q, r = np.linalg.qr(a, mode)  # type: ignore[call-overload]
    return columns(q), columns(r)


def geqrf(a: Array) -> tuple[Array, Array]:
    """The QR decomposition as LAPACK leaves it: R above, the reflectors below the diagonal, and their factors."""
    raw, tau = np.linalg.qr(a, "raw")
    return columns(raw.swapaxes(-1, -2)), tau


# LU.


def lu_factor_ex(a: Array) -> tuple[Array, Array, Array]:
    lu, pivots, info = factorizations.lu_factor(a)
    return columns(lu), pivots, info


def lu_unpack(lu: Array, pivots: Array, data: bool = True, permutation: bool = True) -> tuple[Array, Array, Array]:
    """L, U and P of a packed decomposition; empty where not asked for."""
    m, n = lu.shape[-2:]
    p = lower = upper = np.zeros(0, lu.dtype)
    if permutation:
        identity = np.broadcast_to(np.eye(m, dtype=lu.dtype), (*pivots.shape[:-1], m, m))
        p = np.ascontiguousarray(factorizations.swapped_back(identity, pivots))
    if data:
        size = min(m, n)
        lower = np.ascontiguousarray(np.tril(lu[..., :size], -1))
        lower[..., range(size), range(size)] = 1
        upper = np.ascontiguousarray(np.triu(lu[..., :size, :]))
    return lower, upper, p


def lu(a: Array) -> tuple[Array, Array, Array]:
    packed, pivots, _ = factorizations.lu_factor(a)
    return lu_unpack(packed, pivots)


def lu_solve(lu: Array, b: Array, pivots: Array, adjoint: bool = False, left: bool = True) -> Array:
    if left:
        return columns(factorizations.lu_solve(lu, b, pivots, adjoint))
    return columns(factorizations.lu_solve(lu, b.swapaxes(-1, -2).conj(), pivots, not adjoint)).swapaxes(-1, -2).conj()


# Reflectors.


def householder_product(a: Array, tau: Array) -> Array:
    identity = np.eye(*a.shape[-2:], dtype=a.dtype)
    return columns(factorizations.reflected(a, tau, np.broadcast_to(identity, a.shape)))


def ormqr(a: Array, tau: Array, c: Array, left: bool = True, transpose: bool = False) -> Array:
    if left:
        return columns(factorizations.reflected(a, tau, c, transpose))
    return columns(adjoint(factorizations.reflected(a, tau, adjoint(c), not transpose)))
