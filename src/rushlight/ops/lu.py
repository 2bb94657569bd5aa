"""The LU decomposition and what is solved with it.

The rules follow F. de Hoog, R. Anderssen and M. Lukas, Differentiation of matrix functionals using triangular
factorization (2011), with adjoints in place of transposes; matrices that are not square are split into a square part
and a rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import factorizations
from ..backend import linalg as k
from ..base.return_types import define
from ..tensor import Tensor
from .linalg import check_floating, check_kernel, check_same_dtype, check_square, deprecated
from .public import ops, public
from .rule_functions import checked
from .solve import check_solvable
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("rows_swapped_back", factorizations.swapped_back, inputs="pivots", node="IndexBackward0", kind="linear",
   x=lambda g, xp, pivots: xp.rows_swapped(g, pivots))  # fmt: skip
op("rows_swapped", factorizations.swapped, inputs="pivots", node="IndexBackward0", kind="linear",
   x=lambda g, xp, pivots: xp.rows_swapped_back(g, pivots))  # fmt: skip
op("lu", k.lu, outputs="lower upper p!", node="LinalgLuBackward0",
   a=lambda g, xp, lower, upper, p: p @ _product_backward(g[0], g[1], xp, lower, upper))  # fmt: skip
op("lu_factor_ex", k.lu_factor_ex, outputs="lu pivots! info!", node="LinalgLuFactorExBackward0",
   a=lambda g, xp, lu, pivots: _packed_backward(g, xp, lu, pivots))  # fmt: skip
op("lu_unpack", k.lu_unpack, inputs="pivots", outputs="lower upper p!",
   lu=lambda g, xp, lu_shape: _packed(g[0], g[1], xp, lu_shape))  # fmt: skip
op("lu_solve", k.lu_solve, inputs="pivots", node="LinalgLuSolveBackward0",
   lu=lambda g, xp, lu, pivots, out, adjoint, left: (
       _solve_backward(g, xp, lu, pivots, out, adjoint) if left
       else _solve_backward(xp.adjoint(g), xp, lu, pivots, xp.adjoint(out), not adjoint)),
   b=lambda g, xp, lu, pivots, adjoint, left: xp.lu_solve(lu, g, pivots, not adjoint, left))  # fmt: skip


def _part(x: Any, xp: Any, axis: int, start: int, stop: int) -> Any:
    return None if x is None else xp.slice(x, len(x.shape) + axis, start, stop, 1)


def _product_backward(g_lower: Any, g_upper: Any, xp: Any, lower: Any, upper: Any) -> Any:
    """The cotangent of ``lower @ upper``."""
    m, n = lower.shape[-2], upper.shape[-1]
    if m < n:
        g_right = _part(g_upper, xp, -1, m, n)
        if g_right is None:
            left = _square_backward(g_lower, None, xp, lower, _part(upper, xp, -1, 0, m))
            return xp.embed_slice(left, (*left.shape[:-1], n), len(left.shape) - 1, 0, m, 1)
        g_right = xp.solve_triangular(xp.adjoint(lower), g_right, True, True, True)
        through = -(g_right @ xp.adjoint(_part(upper, xp, -1, m, n)))
        g_lower = through if g_lower is None else g_lower + through
        left = _square_backward(g_lower, _part(g_upper, xp, -1, 0, m), xp, lower, _part(upper, xp, -1, 0, m))
        return xp.concat([left, g_right], len(left.shape) - 1)
    if m > n:
        g_low = _part(g_lower, xp, -2, n, m)
        if g_low is None:
            top = _square_backward(None, g_upper, xp, _part(lower, xp, -2, 0, n), upper)
            return xp.embed_slice(top, (*top.shape[:-2], m, n), len(top.shape) - 2, 0, n, 1)
        g_low = xp.solve_triangular(xp.adjoint(upper), g_low, False, False)
        through = -(xp.adjoint(_part(lower, xp, -2, n, m)) @ g_low)
        g_upper = through if g_upper is None else g_upper + through
        top = _square_backward(_part(g_lower, xp, -2, 0, n), g_upper, xp, _part(lower, xp, -2, 0, n), upper)
        return xp.concat([top, g_low], len(top.shape) - 2)
    return _square_backward(g_lower, g_upper, xp, lower, upper)


def _square_backward(g_lower: Any, g_upper: Any, xp: Any, lower: Any, upper: Any) -> Any:
    lh, uh = xp.adjoint(lower), xp.adjoint(upper)
    low = None if g_lower is None else xp.tril(lh @ g_lower, -1)
    high = None if g_upper is None else xp.triu(g_upper @ uh, 0)
    inner = high if low is None else low if high is None else low + high
    return xp.solve_triangular(uh, xp.solve_triangular(lh, inner, True, True, True), False, False)


def _packed_backward(g: Any, xp: Any, lu: Any, pivots: Any) -> Any:
    lower, upper, _ = xp.lu_unpack(lu, pivots, True, False)
    size = lower.shape[-1]
    g_lower = _part(xp.tril(g, -1), xp, -1, 0, size)
    g_upper = _part(xp.triu(g, 0), xp, -2, 0, size)
    return xp.rows_swapped_back(_product_backward(g_lower, g_upper, xp, lower, upper), pivots)


def _packed(g_lower: Any, g_upper: Any, xp: Any, shape: tuple[int, ...]) -> Any:
    """The cotangents of both triangles as one matrix."""
    low = high = None
    if g_lower is not None:
        low = xp.tril(g_lower, -1)
        if low.shape[-1] != shape[-1]:
            low = xp.embed_slice(low, shape, len(shape) - 1, 0, low.shape[-1], 1)
    if g_upper is not None:
        high = xp.triu(g_upper, 0)
        if high.shape[-2] != shape[-2]:
            high = xp.embed_slice(high, shape, len(shape) - 2, 0, high.shape[-2], 1)
    return high if low is None else low if high is None else low + high


def _solve_backward(g: Any, xp: Any, lu: Any, pivots: Any, x: Any, adjoint: bool) -> Any:
    """The cotangent of the packed triangles of ``p @ l @ u @ x = b``, or of its adjoint."""
    across = xp.adjoint(lu)
    if not adjoint:
        middle = xp.triu(lu, 0) @ x
        g_high = xp.solve_triangular(across, g, False)
        g_low = xp.solve_triangular(across, g_high, True, True, True)
        return -(xp.triu(g_high @ xp.adjoint(x), 0) + xp.tril(g_low @ xp.adjoint(middle), -1))
    x, g = xp.rows_swapped(x, pivots), xp.rows_swapped(g, pivots)
    middle = x + xp.triu(across, 1) @ x
    g_low = xp.solve_triangular(lu, g, False, True, True)
    g_high = xp.solve_triangular(lu, g_low, True)
    return -(xp.triu(middle @ xp.adjoint(g_high), 0) + xp.tril(x @ xp.adjoint(g_low), -1))


# The public functions.

linalg_lu = define("linalg_lu", "P L U")
linalg_lu_factor = define("linalg_lu_factor", "LU pivots")
linalg_lu_factor_ex = define("linalg_lu_factor_ex", "LU pivots info")
lu_with_info = define("_lu_with_info", "LU pivots info")
lu_unpack_result = define("lu_unpack", "P L U")


def _check(A: Any, pivot: bool, name: str) -> None:
    if A._array.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A._array.shape)} instead")
    check_kernel(A, "lu_cpu")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@public("lu", space="torch.linalg")
def lu(A: Any, *, pivot: bool = True) -> Any:
    """P, L and U with ``P @ L @ U == A``: a permutation, unit lower triangular, upper triangular.

    >>> import rushlight as torch
    >>> torch.linalg.lu(torch.tensor([[1.0, 2.0], [2.0, 2.0]])).U
    tensor([[2., 2.],
            [0., 1.]])
    """
    _check(A, pivot, "linalg.lu")
    lower, upper, permutation = ops.lu(A)
    return linalg_lu(permutation, lower, upper)


@public("lu_factor_ex", space="torch.linalg")
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """As :func:`lu_factor`, with for each matrix 0 or the number of the first pivot that is zero."""
    _check(A, pivot, "torch.lu_factor")
    result = ops.lu_factor_ex(A)
    if check_errors:
        check_pivots(result[2], "torch.linalg.lu_factor_ex")
    return linalg_lu_factor_ex(result)


def check_pivots(info: Any, name: str) -> None:
    checked(_refuse_pivots, info, name)


def _refuse_pivots(found: k.Array, name: str) -> None:
    if found.any():
        sentence = (
            "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
            "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
        raise RuntimeError(k.with_batch_element(found, sentence, name))


@public("lu_factor", space="torch.linalg")
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the row that each row was swapped with, counted from 1."""
    _check(A, pivot, "torch.lu_factor")
    factor, pivots, info = ops.lu_factor_ex(A)
    check_pivots(info, "torch.linalg.lu_factor")
    return linalg_lu_factor(factor, pivots)


@public("lu")
def lu_older(A: Any, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """:func:`torch.linalg.lu_factor` under its older name; with ``get_infos`` as :func:`torch.linalg.lu_factor_ex`."""
    deprecated(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    _check(A, pivot, "torch.lu_factor")
    factor, pivots, info = ops.lu_factor_ex(A)
    return lu_with_info(factor, pivots, info) if get_infos else (factor, pivots)


@public("lu_unpack", method=False)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U of what :func:`torch.linalg.lu_factor` packed; empty tensors for what is not asked for."""
    array, pivots = LU_data._array, LU_pivots._array
    if array.ndim < 2:
        raise RuntimeError(f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(array.shape)} instead")
    if unpack_pivots and pivots.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    if unpack_pivots and pivots.size and (pivots.min() < 1 or pivots.max() > array.shape[-2]):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    lower, upper, permutation = ops.lu_unpack(LU_data, LU_pivots, bool(unpack_data), bool(unpack_pivots))
    return lu_unpack_result(permutation, lower, upper)


@public("lu_solve", space="torch.linalg")
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X with ``A @ X == B`` (or ``X @ A == B``, or with the adjoint of A), given what :func:`lu_factor` made of A."""
    name = "linalg.lu_solve"
    if not (LU.dtype.is_floating_point or LU.dtype.is_complex):
        check_floating(LU, "torch.linalg.lu_solve")
    check_square(LU, "torch.linalg.lu_solve")
    check_solvable(LU, B, left, name)
    check_same_dtype(LU, B, name, ("LU", "B"))
    check_kernel(LU, name)
    if pivots._array.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    if pivots._array.shape[-1:] != LU._array.shape[-1:]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots._array.shape != LU._array.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    return ops.lu_solve(LU, B, pivots, bool(adjoint), bool(left))


@public("lu_solve")
def lu_solve_older(input: Any, LU_data: Any, LU_pivots: Any) -> Tensor:
    """:func:`torch.linalg.lu_solve` under its older name."""
    deprecated(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, "
        "pivots)\nshould be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return lu_solve(LU_data, LU_pivots, input)
