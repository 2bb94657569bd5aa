"""Pseudo-inverses, ranks, least squares and approximations of low rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.rule_errors import broadcast_error
from ..backend import least_squares as kernels
from ..backend.array_dtypes import real_of
from ..base.arguments import NUMBERS, type_name
from ..base.return_types import define
from ..tensor import Tensor, new_tensor
from .decompositions import qr, svd
from .linalg import check_floating, check_matrix, check_square, rows, value_of
from .operands import refuse_gradient_of
from .public import module, ops, public
from .table import op

op("pinv", kernels.pinv, node="LinalgPinvBackward0", a=lambda g, xp, a, out: pinv_backward(g, xp, a, out))
op("matrix_rank", kernels.matrix_rank, inputs="a")
op("lstsq", kernels.lstsq, outputs="solution residuals rank! values!", node="LinalgLstsqBackward0",
   joint=lambda g, xp, needs, a, b, solution: _lstsq_backward(g, xp, needs, a, b, solution), inputs="a b")  # fmt: skip


def pinv_backward(g: Any, xp: Any, a: Any, inverse: Any) -> Any:
    """G. Golub and V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares (1973)."""
    across, gh = xp.adjoint(inverse), xp.adjoint(g)
    left = gh @ inverse @ across
    right = across @ inverse @ gh
    return left - a @ (inverse @ left) + right - (right @ inverse) @ a - across @ g @ across


def _lstsq_backward(g: list[Any], xp: Any, needs: tuple[bool, bool], a: Any, b: Any, solution: Any) -> tuple[Any, Any]:
    """Of ``solution = pinv(a) @ b`` and ``residuals = sum(abs(a @ solution - b) ** 2)``, least in the solution."""
    g_solution, g_residuals = g
    g_a = g_b = None
    if g_solution is not None:
        inverse = xp.pinv(a, *kernels.default_tolerances(value_of(a)), False)
        if needs[0]:
            g_a = pinv_backward(g_solution @ xp.adjoint(b), xp, a, inverse)
        if needs[1]:
            g_b = xp.adjoint(inverse) @ g_solution
    if g_residuals is not None and g_residuals.shape != (0,):
        gap = 2 * rows(g_residuals) * (a @ solution - b)
        through = gap @ xp.adjoint(solution)
        g_a = through if g_a is None else g_a + through
        g_b = -gap if g_b is None else g_b - gap
    return g_a, g_b


def tolerances(input: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Both tolerances as arrays; the relative one is 0 unless given where the absolute one is positive."""
    array = input._array
    real = real_of(array.dtype)
    for given in (atol, rtol):
        if not isinstance(given, (Tensor, np.ndarray, *NUMBERS, type(None))):
            raise TypeError(f"a tolerance is a number or a tensor, not {type_name(given)}")
    absolute = np.asarray(0 if atol is None else value_of(atol), real)
    relative = value_of(rtol)
    if rtol is None:
        relative = np.where(absolute > 0, 0, kernels.default_tolerances(array)[1])
    relative = np.asarray(relative, real)
    wrong = broadcast_error([relative.shape, array.shape[:-2]]) or broadcast_error([absolute.shape, array.shape[:-2]])
    if wrong is not None:
        raise wrong
    return absolute, relative


@public("pinv", space="torch.linalg")
def pinv(input: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The Moore-Penrose inverse; singular values up to ``max(atol, rtol * the greatest)`` count as zero.

    >>> import rushlight as torch
    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    array = input._array
    if array.ndim < 2 or array.dtype.char not in "fdFD":
        raise RuntimeError(
            f"linalg.pinv({input.dtype.scalar_name}{{{list(array.shape)}}}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian and array.size:
        check_square(input, "linalg.eigh")
    rtol = rcond if rtol is None else rtol
    for label, given in (("atol", atol), ("rtol", rtol)):
        if isinstance(given, Tensor):
            refuse_gradient_of("linalg_pinv", label, given)
    absolute, relative = tolerances(input, atol, rtol)
    return ops.pinv(input, absolute, relative, bool(hermitian))


@public("pinverse", out=False)
def pinverse(input: Any, rcond: Any = 1e-15) -> Tensor:
    """:func:`torch.linalg.pinv` under its older name."""
    return pinv(input, rcond)


@public("matrix_rank", space="torch.linalg")
def matrix_rank(input: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """How many singular values are above ``max(atol, rtol * the greatest)``.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    check_matrix(input, "torch.linalg.matrix_rank", "input")
    array = input._array
    if array.dtype.char not in "fdFD":
        if tol is None and rtol is None:
            raise RuntimeError("This function doesn't handle types other than float and double")
        if not array.size:
            return new_tensor(np.zeros(array.shape[:-2], np.int64))
        kernel = "eigh" if hermitian else "svd"
        check_floating(input, f"linalg.{kernel}", low_precision=True)
        raise NotImplementedError(f"\"linalg_{kernel}_cpu\" not implemented for '{input.dtype.scalar_name}'")
    if tol is not None:
        atol, rtol = tol, 0.0
    if not array.size:
        return new_tensor(np.zeros(array.shape[:-2], np.int64))
    absolute, relative = tolerances(input, atol, rtol)
    if hermitian:
        check_square(input, "linalg.eigh")
    return ops.matrix_rank(input, absolute, relative, bool(hermitian))


linalg_lstsq = define("linalg_lstsq", "solution residuals rank singular_values")


@public("lstsq", space="torch.linalg")
def lstsq(input: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """X for which ``input @ X`` is closest to ``b``; of all such X the least.

    Returns the solution, the sums of squared residuals (where there are more rows than columns, and the rank is full),
    the ranks and the singular values, all as far as the ``driver`` works them out: 'gels', 'gelsy', 'gelsd' or 'gelss'.

    >>> import rushlight as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [3.0]])).solution
    tensor([[2.]])
    """
    name = "torch.linalg.lstsq"
    x, y = input._array, b._array
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if y.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{input.dtype.scalar_name} and other's dtype {b.dtype.scalar_name}"
        )
    if x.dtype.char not in "fdFD":
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not 0 <= x.ndim - y.ndim <= 1:
        raise RuntimeError(f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1")
    vector = x.ndim - y.ndim == 1
    axis = -1 if y.ndim == 1 else -2
    if y.shape != x.shape[:-1] and x.shape[-2] != y.shape[axis]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({axis})")
    if vector:
        b = b.unsqueeze(-1)
        y = b._array
    mismatch = broadcast_error([x.shape[:-2], y.shape[:-2]])
    if mismatch is not None:
        raise mismatch
    driver = "gelsy" if driver is None else driver
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    eps = float(np.finfo(x.dtype).eps) * max(x.shape[-2:])
    limit = eps if rcond is None else float(rcond.item() if isinstance(rcond, Tensor) else rcond)
    solution, residuals, rank, values = ops.lstsq(input, b, limit, driver)
    return linalg_lstsq(solution.squeeze(-1) if vector else solution, residuals, rank, values)


def _basis(A: Any, count: int, niter: int, M: Any) -> Any:
    """Orthonormal columns that nearly span the range of A: N. Halko, P. Martinsson and J. Tropp, Finding structure with
    randomness (2009), algorithm 4.4."""
    draws = module("torch")["randn"]((A._array.shape[-1], count), dtype=A.dtype)
    basis = qr(_less(A, M) @ draws).Q
    for _ in range(niter):
        basis = qr(_less(A, M).mH @ basis).Q
        basis = qr(_less(A, M) @ basis).Q
    return basis


def _less(A: Any, M: Any) -> Any:
    return A if M is None else A - M


@public("svd_lowrank", method=False, out=False)
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of an approximation to ``A - M`` of rank q, by random projections."""
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.shape)
    if m < n:
        A, M = A.mH, None if M is None else M.mH
    basis = _basis(A, q, niter, M)
    u, s, vh = svd(basis.mH @ _less(A, M), full_matrices=False)
    u, v = basis @ u, vh.mH
    return (v, s, u) if m < n else (u, s, v)


@public("pca_lowrank", method=False, out=False)
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of the principal components of the rows of A: :func:`svd_lowrank` of A less the mean of its rows."""
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter)
