"""Decompositions of matrices: Cholesky, eigenvalues, singular values, QR.

The rules hold for real and complex matrices. Their sources: I. Murray, Differentiation of the Cholesky decomposition
(2016); C. Boeddeker et al., On the computation of complex-valued gradients (2017), for eig, eigh and svd; M. Giles,
Collected matrix derivative results (2008), for real svd; F. Walter et al., On evaluating higher-order derivatives of
the QR decomposition (2012), for qr. Where a loss depends on the phase of complex vectors, which no decomposition
settles, the rule says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import linalg as k
from ..base.return_types import define
from .linalg import (
    check_floating,
    check_kernel,
    check_matrix,
    check_square,
    check_square_floating,
    check_system,
    columns,
    deprecated,
    diagonal,
    diagonal_matrix,
    on_diagonal,
    recording,
    rows,
    value_of,
)
from .public import ops, public
from .rule_functions import checked, conj, is_complex
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("cholesky", k.cholesky, node="LinalgCholeskyExBackward0",
   a=lambda g, xp, out, upper: _cholesky_backward(g, xp, out, upper))  # fmt: skip
op("cholesky_older", lambda a, upper: k.cholesky(a, upper, "cholesky"), node="CholeskyBackward0",
   a=lambda g, xp, out, upper: _cholesky_backward(g, xp, out, upper))  # fmt: skip
op("cholesky_ex", k.cholesky_ex, outputs="factor info!", node="LinalgCholeskyExBackward0",
   a=lambda g, xp, factor, upper: _cholesky_backward(g, xp, factor, upper))  # fmt: skip
op("cholesky_solve", k.cholesky_solve,
   # Of b nothing is read, but as in PyTorch a write into it is an error.
   b=lambda g, xp, b, factor, upper: xp.cholesky_solve(g, factor, upper),
   factor=lambda g, xp, out, factor, upper: _of_product(
       -(xp.cholesky_solve(g, factor, upper) @ xp.adjoint(out)), xp, factor, upper))  # fmt: skip
op("cholesky_inverse", k.cholesky_inverse,
   factor=lambda g, xp, out, factor, upper: _of_product(-(out @ g @ out), xp, factor, upper))  # fmt: skip
op("eigh", k.eigh, outputs="values vectors", node="LinalgEighBackward0",
   a=lambda g, xp, values, vectors: _eigh_backward(g, xp, values, vectors))  # fmt: skip
op("eigvalsh", k.eigvalsh, inputs="a")
op("eig", k.eig, outputs="values vectors", node="LinalgEigBackward0",
   a=lambda g, xp, values, vectors: _eig_backward(g, xp, values, vectors))  # fmt: skip
op("eigvals", k.eigvals, inputs="a")
op("svd", k.svd, outputs="u s vh", node="LinalgSvdBackward0", a=lambda g, xp, u, s, vh: _svd_backward(g, xp, u, s, vh))
op("svdvals", k.svdvals, inputs="a")
op("qr", k.qr, outputs="q r", node="LinalgQrBackward0", a=lambda g, xp, q, r, mode: _qr_backward(g, xp, q, r, mode))


def _cholesky_backward(g: Any, xp: Any, factor: Any, upper: bool) -> Any:
    lower, g = (xp.adjoint(factor), xp.adjoint(g)) if upper else (factor, g)
    high = xp.adjoint(lower)
    inner = high @ g
    inner = (xp.tril(inner, 0) + xp.adjoint(xp.tril(inner, -1))) / 2
    return xp.solve_triangular(lower, xp.solve_triangular(high, inner, True), False, False)


def _of_product(g: Any, xp: Any, factor: Any, upper: bool) -> Any:
    """The cotangent of a Cholesky factor from that of the product; as in PyTorch, for the other triangle too."""
    g = g + xp.adjoint(g)
    return factor @ g if upper else g @ factor


def _gaps(values: Any, xp: Any) -> Any:
    """``values[j] - values[i]`` as a matrix, with ones on the diagonal."""
    gaps = rows(values) - columns(values)
    return xp.masked_fill(gaps, on_diagonal(gaps), 1)


def _check_phase(size: Any, g: list[Any], what: str, vectors: str) -> None:
    """``size`` is the loss's slope along the phases: zero, but for rounding, if it does not depend on them.

    The cotangents of forward mode, which transposes the rule, are those of no loss.
    """
    if any(getattr(one, "_stands_in", False) for one in g):
        return
    array = value_of(size)
    if not np.allclose(array, 0, atol=1e-2, rtol=1e-2):
        raise RuntimeError(
            f"{what}: The {vectors} in the complex case are specified up to multiplication by e^{{i phi}}. The "
            "specified loss function depends on this quantity, so it is ill-defined."
        )


def _eigh_backward(g: list[Any], xp: Any, values: Any, vectors: Any) -> Any:
    g_values, g_vectors = g
    across = xp.adjoint(vectors)
    if g_vectors is None:
        return (vectors * rows(g_values)) @ across
    inner = across @ g_vectors
    if is_complex(inner):
        _check_phase(xp.imag(diagonal(inner, xp)), g, "linalg_eigh_backward", "eigenvectors")
    inner = _skew(inner, xp) / (2 * _gaps(values, xp))
    inner = xp.masked_fill(inner, on_diagonal(inner), 0)
    if g_values is not None:
        inner = inner + diagonal_matrix(g_values, xp)
    return vectors @ inner @ across


def _eig_backward(g: list[Any], xp: Any, values: Any, vectors: Any) -> Any:
    g_values, g_vectors = g
    across = xp.adjoint(vectors)
    if g_vectors is None:
        return xp.solve(across, columns(g_values) * across)
    inner = across @ g_vectors
    along = diagonal(inner, xp)
    _check_phase(xp.imag(along), g, "linalg_eig_backward", "eigenvectors")
    inner = (inner - across @ (vectors * rows(xp.real(along)))) / conj(_gaps(values, xp))
    inner = xp.masked_fill(inner, on_diagonal(inner), 0)
    if g_values is not None:
        inner = inner + diagonal_matrix(g_values, xp)
    return xp.solve(across, inner @ across)


def _svd_backward(g: list[Any], xp: Any, u: Any, s: Any, vh: Any) -> Any:
    g_u, g_s, g_vh = g
    size = s.shape[-1]
    m, n = u.shape[-2], vh.shape[-1]
    if u.shape[-1] != size:
        u = _first(u, xp, size, -1)
        g_u = None if g_u is None else _first(g_u, xp, size, -1)
    if vh.shape[-2] != size:
        vh = _first(vh, xp, size, -2)
        g_vh = None if g_vh is None else _first(g_vh, xp, size, -2)
    if g_u is None and g_vh is None:
        return (u * rows(g_s)) @ vh if m >= n else u @ (columns(g_s) * vh)
    uh, v = xp.adjoint(u), xp.adjoint(vh)
    u_inner = None if g_u is None else _skew(uh @ g_u, xp)
    v_inner = None if g_vh is None else _skew(vh @ xp.adjoint(g_vh), xp)
    if is_complex(u):
        both = [diagonal(one, xp) for one in (u_inner, v_inner) if one is not None]
        _check_phase(xp.imag(both[0] + both[1] if len(both) == 2 else both[0]), g, "svd_backward", "singular vectors")
    gaps = _gaps(s, xp) * _sums(s, xp)
    inner = None
    if u_inner is not None:
        inner = xp.masked_fill(u_inner / gaps, on_diagonal(gaps), 0) * rows(s)
    if v_inner is not None:
        part = columns(s) * xp.masked_fill(v_inner / gaps, on_diagonal(gaps), 0)
        inner = part if inner is None else inner + part
    if is_complex(u) and len(both) == 2:  # a phase given to both vectors changes nothing: half of what is left is each one's
        inner = inner + diagonal_matrix((both[0] - both[1]) / (4 * s), xp)
    if g_s is not None:
        inner = inner + diagonal_matrix(g_s, xp)
    out = u @ inner @ vh
    if g_u is not None and m > size:
        scaled = g_u / rows(s)
        out = out + (scaled - u @ (uh @ scaled)) @ vh
    if g_vh is not None and n > size:
        scaled = g_vh / columns(s)
        out = out + u @ (scaled - (scaled @ v) @ vh)
    return out


def _sums(s: Any, xp: Any) -> Any:
    """``s[j] + s[i]`` as a matrix, with ones on the diagonal: never zero in the rule when two values differ."""
    sums = rows(s) + columns(s)
    return xp.masked_fill(sums, on_diagonal(sums), 1)


def _skew(x: Any, xp: Any) -> Any:
    return x - xp.adjoint(x)


def _first(x: Any, xp: Any, count: int, axis: int) -> Any:
    return xp.slice(x, axis % len(x.shape), 0, count, 1)


def _qr_backward(g: list[Any], xp: Any, q: Any, r: Any, mode: str) -> Any:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = q.shape[-2], r.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    g_q, g_r = g
    if m >= n:
        return _square_qr_backward(g_q, g_r, xp, q, r)
    # The first m columns are decomposed; the others are only turned: R2 = Q^H A2.
    left = _first(r, xp, m, -1)
    g_left = None
    if g_r is not None:
        right, g_right = (xp.slice(x, len(x.shape) - 1, m, n, 1) for x in (r, g_r))
        g_left = _first(g_r, xp, m, -1)
        turned = q @ right @ xp.adjoint(g_right)
        g_q = turned if g_q is None else g_q + turned
    first = _square_qr_backward(g_q, g_left, xp, q, left)
    if g_r is None:
        return xp.embed_slice(first, (*first.shape[:-1], n), len(first.shape) - 1, 0, m, 1)
    return xp.concat([first, q @ g_right], len(first.shape) - 1)


def _square_qr_backward(g_q: Any, g_r: Any, xp: Any, q: Any, r: Any) -> Any:
    inner = None
    if g_r is not None:
        inner = g_r @ xp.adjoint(r)
    if g_q is not None:
        part = xp.adjoint(q) @ g_q
        inner = -part if inner is None else inner - part
    inner = xp.triu(inner, 0)
    # Hermitian, of which the upper triangle is this one; its diagonal is real.
    inner = inner + xp.adjoint(inner)
    inner = inner - diagonal_matrix(diagonal(inner, xp) / 2, xp)
    out = q @ inner
    if g_q is not None:
        out = out + g_q
    return xp.solve_triangular(xp.adjoint(r), out, False, False)


# The public functions.

linalg_cholesky_ex = define("linalg_cholesky_ex", "L info")
linalg_eigh = define("linalg_eigh", "eigenvalues eigenvectors")
linalg_eig = define("linalg_eig", "eigenvalues eigenvectors")
linalg_svd = define("linalg_svd", "U S Vh")
linalg_qr = define("linalg_qr", "Q R")
svd_result = define("svd", "U S V")
qr_result = define("qr", "Q R")


@public("cholesky", space="torch.linalg")
def cholesky(input: Any, *, upper: bool = False) -> Tensor:
    """The triangular L of a Hermitian positive-definite matrix (or a batch of them), ``L @ L.mH == input``.

    Raises ``torch.linalg.LinAlgError`` where a matrix is not positive-definite.

    >>> import rushlight as torch
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    check_square_floating(input, "linalg.cholesky")
    return ops.cholesky(input, bool(upper))


@public("cholesky_ex", space="torch.linalg")
def cholesky_ex(input: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """As :func:`cholesky`, with for each matrix 0 or the order of the first leading minor that is not positive."""
    check_square_floating(input, "linalg.cholesky_ex")
    factor, info = ops.cholesky_ex(input, bool(upper))
    if check_errors:
        checked(k.check_positive, info, "linalg.cholesky_ex")
    return linalg_cholesky_ex(factor, info)


@public("cholesky")
def cholesky_older(input: Any, upper: bool = False) -> Tensor:
    """:func:`torch.linalg.cholesky` under its older name."""
    deprecated(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs."
    )
    check_square(input, "cholesky")
    check_kernel(input, "cholesky_cpu")
    return ops.cholesky_older(input, bool(upper))


@public("cholesky_solve")
def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Tensor:
    """X with ``A @ X == input``, ``input2`` being the Cholesky factor of A."""
    for label, one in (("b", input), ("u", input2)):
        if one._array.ndim < 2:
            have = one._array.ndim
            raise RuntimeError(f"{label} should have at least 2 dimensions, but has {have} dimensions instead")
    check_system(input, input2, "cholesky_solve")
    check_kernel(input, "cholesky_solve_cpu")
    return ops.cholesky_solve(input, input2, bool(upper))


@public("cholesky_inverse")
def cholesky_inverse(input: Any, upper: bool = False) -> Tensor:
    """The inverse of a matrix, given its Cholesky factor."""
    check_square(input, "cholesky_inverse")
    check_kernel(input, "cholesky_inverse_out_cpu")
    return ops.cholesky_inverse(input, bool(upper))


def _check_uplo(uplo: Any) -> str:
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper()


@public("eigh", space="torch.linalg")
def eigh(input: Any, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, and eigenvectors of a Hermitian matrix (or a batch), of which one triangle is looked at.

    >>> import rushlight as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    uplo = _check_uplo(UPLO)
    check_square(input, "linalg.eigh")
    check_kernel(input, "linalg_eigh_cpu")
    return linalg_eigh(ops.eigh(input, uplo))


@public("eigvalsh", space="torch.linalg")
def eigvalsh(input: Any, UPLO: str = "L") -> Tensor:
    """Eigenvalues of a Hermitian matrix, ascending."""
    uplo = _check_uplo(UPLO)
    check_square(input, "linalg.eigh")
    check_kernel(input, "linalg_eigh_cpu")
    return ops.eigh(input, uplo)[0] if recording(input) else ops.eigvalsh(input, uplo)


def _check_eig(input: Any) -> None:
    check_square(input, "linalg.eig")
    if input._array.dtype.kind in "bui":
        raise RuntimeError(f"Unknown Complex ScalarType for {input.dtype.scalar_name}")
    check_floating(input, "linalg.eig")


@public("eig", space="torch.linalg")
def eig(input: Any) -> Any:
    """Eigenvalues and eigenvectors of a square matrix, complex always."""
    _check_eig(input)
    return linalg_eig(ops.eig(input))


@public("eigvals", space="torch.linalg")
def eigvals(input: Any) -> Tensor:
    """Eigenvalues of a square matrix, complex always."""
    _check_eig(input)
    return ops.eig(input)[0] if recording(input) else ops.eigvals(input)


def _check_driver(driver: Any, name: str) -> None:
    if driver is not None:
        raise RuntimeError(f"{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.")


@public("svd", space="torch.linalg")
def svd(A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """U, S and Vh with ``U @ diag(S) @ Vh == A``: orthonormal columns, descending singular values, orthonormal rows.

    >>> import rushlight as torch
    >>> torch.linalg.svd(torch.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    check_matrix(A, "linalg.svd")
    check_floating(A, "linalg.svd")
    _check_driver(driver, "torch.linalg.svd")
    return linalg_svd(ops.svd(A, bool(full_matrices)))


@public("svdvals", space="torch.linalg")
def svdvals(A: Any, *, driver: Any = None) -> Tensor:
    """Singular values, descending."""
    check_matrix(A, "linalg.svd")
    check_floating(A, "linalg.svd")
    _check_driver(driver, "torch.linalg.svd")
    return ops.svd(A, False)[1] if recording(A) else ops.svdvals(A)


@public("svd")
def svd_older(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """:func:`torch.linalg.svd` under its older name: V in place of its adjoint, complete unless ``some``."""
    if input._array.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input._array.ndim} dimensions instead"
        )
    check_floating(input, "linalg.svd")
    if compute_uv:
        u, s, vh = ops.svd(input, not some)
        return svd_result(u, s, vh.mH)
    *shape, m, n = input._array.shape
    return svd_result(input.new_zeros((*shape, m, m)), svdvals(input), input.new_zeros((*shape, n, n)))


@public("qr", space="torch.linalg")
def qr(A: Any, mode: str = "reduced") -> Any:
    """Q with orthonormal columns and R upper triangular, ``Q @ R == A``.

    ``mode``: 'reduced'; 'complete' for a square Q; 'r' for R alone.
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    check_matrix(A, "linalg.qr")
    check_floating(A, "linalg.qr")
    return linalg_qr(ops.qr(A, mode))


@public("qr")
def qr_older(input: Any, some: bool = True) -> Any:
    """:func:`torch.linalg.qr` under its older name; complete unless ``some``."""
    deprecated(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
    )
    check_matrix(input, "linalg.qr")
    check_floating(input, "linalg.qr")
    return qr_result(ops.qr(input, "reduced" if some else "complete"))
