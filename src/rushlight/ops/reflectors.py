"""Householder reflectors: products of them, and the QR and LDL decompositions as LAPACK packs them.

A reflector is ``H_i = 1 - tau_i v_i v_i^H``; v_i stands below the diagonal of column i, on which it is 1. The rules
are the product rule: the cotangent of one factor is what stands left of it, adjoint, times the cotangent, times what
stands right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..backend import ldl as packed
from ..backend import linalg as k
from ..base.return_types import define
from .linalg import check_floating, check_kernel, check_square, on_diagonal, rows
from .public import ops, public
from .rule_functions import checked, conj, refusal
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("householder_product", k.householder_product, node="LinalgHouseholderProductBackward0", inputs="a tau",
   joint=lambda g, xp, needs, a, tau, out: _product_backward(g, xp, a, tau, out))  # fmt: skip
op("ormqr", k.ormqr, inputs="a tau c",
   joint=lambda g, xp, needs, a, tau, c, left, transpose, out: _ormqr_backward(g, xp, a, tau, c, left, transpose))  # fmt: skip
op("geqrf", k.geqrf, outputs="reflectors tau", a=refusal("geqrf"))
op("ldl_factor_ex", packed.ldl_factor_ex, outputs="ld pivots! info!", node="NotImplemented",
   a=lambda g: _not_implemented("linalg_ldl_factor_ex"))  # fmt: skip
op("ldl_solve", packed.ldl_solve, inputs="pivots", node="NotImplemented",
   ld=lambda g: _not_implemented("linalg_ldl_solve"), b=lambda g: _not_implemented("linalg_ldl_solve"))  # fmt: skip


def _not_implemented(name: str) -> NoReturn:
    raise RuntimeError(f"derivative for {name} is not implemented")


def _unit(x: Any, xp: Any) -> Any:
    """Columns with ones on the diagonal and zeros above it."""
    return xp.masked_fill(xp.tril(x, 0), on_diagonal(x), 1)


def _turned(g: Any, xp: Any, a: Any, tau: Any, c: Any, adjoint: bool, out: Any = None) -> tuple[Any, Any, Any]:
    """The cotangents of reflectors, factors and ``c`` in ``H_1 @ H_2 @ ... @ c``, or ``... @ H_2^H @ H_1^H @ c``; what stands
    right of a factor is of ``c`` and the factors, or where there is an ``out``, of it and the factors' inverses."""
    count = tau.shape[-1]
    axis = len(a.shape) - 1
    unit = _unit(a, xp)
    vectors = [xp.slice(unit, axis, i, i + 1, 1) for i in range(count)]
    factors = [rows(xp.slice(tau, axis - 1, i, i + 1, 1)) for i in range(count)]
    if adjoint:
        factors = [conj(factor) for factor in factors]
    order = range(count - 1, -1, -1) if adjoint else range(count)
    right: list[Any] = [None] * count
    for i in reversed(order) if out is None else ():
        right[i] = c
        c = c - factors[i] * vectors[i] @ (xp.adjoint(vectors[i]) @ c)
    for i in order if out is not None else ():
        inverse = factors[i] / (factors[i] * (xp.adjoint(vectors[i]) @ vectors[i]) - 1)
        out = right[i] = out - inverse * vectors[i] @ (xp.adjoint(vectors[i]) @ out)
    g_vectors: list[Any] = [None] * count
    g_factors: list[Any] = [None] * count
    for i in order:
        v, factor = vectors[i], factors[i]
        on_right, on_left = xp.adjoint(v) @ right[i], xp.adjoint(v) @ g
        along = -(on_left @ xp.adjoint(on_right))
        g_factors[i] = (conj(along) if adjoint else along).reshape((*along.shape[:-2], 1))
        g_vectors[i] = -(conj(factor) * (g @ xp.adjoint(on_right)) + factor * (right[i] @ xp.adjoint(on_left)))
        g = g - conj(factor) * v @ on_left
    if not count:
        return xp.zeros_as(a), xp.zeros_as(tau), g
    g_a = xp.tril(xp.concat(g_vectors, axis), -1)
    if count < a.shape[-1]:
        g_a = xp.embed_slice(g_a, a.shape, axis, 0, count, 1)
    return g_a, xp.concat(g_factors, axis - 1), g


def _product_backward(g: Any, xp: Any, a: Any, tau: Any, out: Any) -> tuple[Any, Any]:
    g_a, g_tau, _ = _turned(g, xp, a, tau, None, False, out)
    return g_a, g_tau


def _ormqr_backward(g: Any, xp: Any, a: Any, tau: Any, c: Any, left: bool, transpose: bool) -> tuple[Any, Any, Any]:
    if left:
        return _turned(g, xp, a, tau, c, transpose)
    g_a, g_tau, g_c = _turned(xp.adjoint(g), xp, a, tau, xp.adjoint(c), not transpose)
    return g_a, g_tau, xp.adjoint(g_c)


# The public functions.

geqrf_result = define("geqrf", "a tau")
linalg_ldl_factor = define("linalg_ldl_factor", "LD pivots")
linalg_ldl_factor_ex = define("linalg_ldl_factor_ex", "LD pivots info")


@public("geqrf")
def geqrf(input: Any) -> Any:
    """The QR decomposition as LAPACK leaves it: reflectors below the diagonal of R, and their factors."""
    if input._array.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel(input, "geqrf_cpu")
    return geqrf_result(ops.geqrf(input))


@public("householder_product", space="torch.linalg")
def householder_product(input: Any, tau: Any) -> Tensor:
    """The first columns of ``H_1 @ H_2 @ ...``, the reflectors being packed as :func:`torch.geqrf` leaves them.

    >>> import rushlight as torch
    >>> a, tau = torch.geqrf(torch.tensor([[3.0], [4.0]]))
    >>> torch.linalg.householder_product(a, tau)
    tensor([[-0.6000],
            [-0.8000]])
    """
    name = "torch.linalg.householder_product"
    x, factors = input._array, tau._array
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if x.shape[-2] < x.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if x.shape[-1] < factors.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if factors.ndim != x.ndim - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {factors.ndim} and "
            f"input.ndim is equal to {x.ndim}"
        )
    _check_batch(name, "tau", factors.shape[:-1], x.shape[:-2])
    if factors.dtype != x.dtype:
        have, expected = tau.dtype.scalar_name, input.dtype.scalar_name
        raise RuntimeError(f"{name}: tau dtype {have} does not match input dtype {expected}")
    check_kernel(input, "orgqr_cpu")
    return ops.householder_product(input, tau)


def _check_batch(name: str, label: str, batch: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if batch != expected:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of {label} to be equal to input.shape[:-2], but got {list(batch)}"
        )


@public("orgqr")
def orgqr(input: Any, input2: Any) -> Tensor:
    """:func:`torch.linalg.householder_product` under its older name."""
    return householder_product(input, input2)


@public("ormqr")
def ormqr(input: Any, input2: Any, input3: Any, left: bool = True, transpose: bool = False) -> Tensor:
    """``Q @ other`` (or ``other @ Q``, or with the adjoint of Q), Q the product of all reflectors, square."""
    name = "torch.ormqr"
    x, factors, c = input._array, input2._array, input3._array
    for label, array in (("input", x), ("other", c)):
        if array.ndim < 2:
            raise RuntimeError(f"{name}: {label} must have at least 2 dimensions.")
    axis = -2 if left else -1
    if c.shape[axis] < factors.shape[-1]:
        raise RuntimeError(f"{name}: other.shape[{axis}] must be greater than or equal to tau.shape[-1]")
    if c.shape[axis] != x.shape[-2]:
        raise RuntimeError(f"{name}: other.shape[{axis}] must be equal to input.shape[-2]")
    if factors.shape[-1] > x.shape[-1]:
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{axis}], input.shape[-1])")
    for label, have, expected, words in (
        ("tau", factors.ndim, x.ndim - 1, "one dimension less than"),
        ("other", c.ndim, x.ndim, "the same number of dimensions as"),
    ):
        if have != expected:
            raise RuntimeError(
                f"{name}: Expected {label} to have {words} input, but got {label}.ndim equal to {have} and input.ndim "
                f"is equal to {x.ndim}"
            )
    _check_batch(name, "tau", factors.shape[:-1], x.shape[:-2])
    _check_batch(name, "other", c.shape[:-2], x.shape[:-2])
    for label, one in (("tau", input2), ("other", input3)):
        if one._array.dtype != x.dtype:
            raise RuntimeError(
                f"{name}: Expected input and {label} to have the same dtype, but input has "
                f"dtype{input.dtype.scalar_name} and {label} has dtype {one.dtype.scalar_name}"
            )
    return ops.ormqr(input, input2, input3, bool(left), bool(transpose))


@public("ldl_factor_ex", space="torch.linalg")
def ldl_factor_ex(input: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """As :func:`ldl_factor`, with for each matrix 0 or the number of the first block of D that is singular."""
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_floating(input, "torch.linalg.ldl_factor_ex")
    result = ops.ldl_factor_ex(input, bool(hermitian))
    if check_errors:
        _check_ldl(result[2], "torch.linalg.ldl_factor_ex")
    return linalg_ldl_factor_ex(result)


def _check_ldl(info: Any, name: str) -> None:
    checked(_refuse_blocks, info, name)


def _refuse_blocks(found: k.Array, name: str) -> None:
    if found.any():
        sentence = "D[{0},{0}] is zero: the block is singular, and ldl_solve would divide by zero."
        raise RuntimeError(k.with_batch_element(found, sentence, name))


@public("ldl_factor", space="torch.linalg")
def ldl_factor(input: Any, *, hermitian: bool = False) -> Any:
    """``L @ D @ L.mT`` of a symmetric (or ``hermitian``) matrix, packed with its pivots as LAPACK's sytrf leaves them.

    Needs the extra ``scipy``.
    """
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_floating(input, "torch.linalg.ldl_factor_ex")
    ld, pivots, info = ops.ldl_factor_ex(input, bool(hermitian))
    _check_ldl(info, "torch.linalg.ldl_factor")
    return linalg_ldl_factor(ld, pivots)


@public("ldl_solve", space="torch.linalg")
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Tensor:
    """X with ``A @ X == B``, given what :func:`ldl_factor` made of A. Needs the extra ``scipy``."""
    name = "torch.linalg.ldl_solve"
    check_square(LD, name, "LD")
    x, y = LD._array, B._array
    if y.ndim < 2:
        raise RuntimeError(f"{name}: B must have at least 2 dimensions, but it has {y.ndim} dimensions instead")
    if y.dtype != x.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B.dtype.scalar_name} and A of type "
            f"{LD.dtype.scalar_name} instead."
        )
    if x.shape[-1] != y.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {x.shape[-1]} by {x.shape[-1]} but each b matrix "
            f"is {y.shape[-2]} by {y.shape[-1]}"
        )
    if pivots._array.shape != x.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    return ops.ldl_solve(LD, B, pivots, bool(hermitian))
