"""Inverses, determinants and systems of linear equations.

The rules are those of M. Giles, Collected matrix derivative results (2008), with adjoints in place of transposes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend import linalg as k
from ..base.return_types import define
from .choice import where
from .linalg import (
    check_floating,
    check_same_dtype,
    check_square,
    check_square_floating,
    check_system,
    columns,
    deprecated,
    rows,
)
from .public import ops, public
from .rule_functions import checked, conj, is_complex
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("inv", k.inv, node="LinalgInvExBackward0", a=lambda g, xp, out: _inv_backward(g, xp, out))
op("inv_ex", k.inv_ex, outputs="inverse info!", node="LinalgInvExBackward0",
   a=lambda g, xp, inverse: _inv_backward(g, xp, inverse))  # fmt: skip
op(
    "det",
    k.det,
    node="LinalgDetBackward0",  # the result, as in PyTorch, so that a write into it is seen
    a=lambda g, xp, a, out: _det_backward(g, xp, a),
)
op("minors", k.minors, a=lambda g, xp, a: _minors_backward(g, xp, a))
op("nonsingular", k.nonsingular, kind="linear", a=lambda g: g)
op("slogdet", k.slogdet, outputs="sign size", node="LinalgSlogdetBackward0",
   a=lambda g, xp, a, sign: _slogdet_backward(g, xp, a, sign))  # fmt: skip
op("solve", k.solve, node="LinalgSolveExBackward0",
   a=lambda g, xp, a, out, left, vector: _of_matrix(xp.solve(xp.adjoint(a), g, left, vector), xp, out, left, vector),
   b=lambda g, xp, a, left, vector: xp.solve(xp.adjoint(a), g, left, vector))  # fmt: skip
op("solve_ex", k.solve_ex, outputs="result info!", node="LinalgSolveExBackward0",
   a=lambda g, xp, a, result, left, vector: _of_matrix(
       xp.solve(xp.adjoint(a), g, left, vector), xp, result, left, vector),
   b=lambda g, xp, a, left, vector: xp.solve(xp.adjoint(a), g, left, vector))  # fmt: skip
op("solve_triangular", k.solve_triangular, node="LinalgSolveTriangularBackward0",
   a=lambda g, xp, a, out, upper, left, unit: _triangle(
       _of_matrix(xp.solve_triangular(xp.adjoint(a), g, not upper, left, unit), xp, out, left, False), xp, upper, unit),
   b=lambda g, xp, a, upper, left, unit: xp.solve_triangular(xp.adjoint(a), g, not upper, left, unit))  # fmt: skip
op("triangular_solve", k.triangular_solve, outputs="solution copied",
   b=lambda g, xp, a, upper, transpose, unitriangular: _older_backward(g[0], xp, a, upper, transpose, unitriangular),
   a=lambda g, xp, a, solution, upper, transpose, unitriangular: _older_backward_of_matrix(
       g, xp, a, solution, upper, transpose, unitriangular))  # fmt: skip


def _older_backward(g: Any, xp: Any, a: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    if g is None:
        return None
    return xp.triangular_solve(g, conj(a), upper, not transpose, unitriangular)[0]


def _older_backward_of_matrix(
    g: list[Any], xp: Any, a: Any, solution: Any, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    g_solution, g_copied = g
    if g_solution is None:
        return g_copied
    g_b = _older_backward(g_solution, xp, a, upper, transpose, unitriangular)
    out = g_b @ xp.adjoint(solution)
    if transpose:
        out = conj(xp.adjoint(out))
    out = _triangle(-out, xp, upper, unitriangular)
    return out if g_copied is None else out + g_copied


def _inv_backward(g: Any, xp: Any, inverse: Any) -> Any:
    across = xp.adjoint(inverse)
    return -(across @ g @ across)


def _det_backward(g: Any, xp: Any, a: Any) -> Any:
    g = g.reshape((*g.shape, 1, 1))
    return xp.expand(g, a.shape) if a.shape[-1] <= 1 else g * conj(xp.minors(a))


def _minors_backward(g: Any, xp: Any, a: Any) -> Any:
    """From ``minors = det * inverse.T``, taken a little off where the inverse does not exist."""
    a = xp.nonsingular(a)
    inverse = xp.inv(a)
    across = xp.adjoint(inverse)
    ndim = len(a.shape)
    trace = xp.sum(g * conj(xp.transpose(inverse, ndim - 2, ndim - 1)), (ndim - 2, ndim - 1), True)
    size = conj(xp.det(a)).reshape(trace.shape)
    return size * (trace * across - across @ xp.transpose(g, ndim - 2, ndim - 1) @ across)


def _slogdet_backward(g: list[Any], xp: Any, a: Any, sign: Any) -> Any:
    g_sign, g_size = g
    scale = g_size
    if is_complex(sign) and g_sign is not None:
        turn = xp.imag(conj(g_sign) * sign) * -1j
        scale = turn if scale is None else scale + turn
    if scale is None:
        return None
    return scale.reshape((*scale.shape, 1, 1)) * xp.adjoint(xp.inv_ex(a)[0])


def _of_matrix(g_b: Any, xp: Any, x: Any, left: bool, vector: bool) -> Any:
    """The cotangent of the matrix, given those of the right-hand side and the solution."""
    if vector:
        return -(columns(g_b) * rows(conj(x)))
    return -(g_b @ xp.adjoint(x)) if left else -(xp.adjoint(x) @ g_b)


def _triangle(g: Any, xp: Any, upper: bool, unitriangular: bool) -> Any:
    return xp.triu(g, int(unitriangular)) if upper else xp.tril(g, -int(unitriangular))


# The public functions.

linalg_inv_ex = define("linalg_inv_ex", "inverse info")
linalg_slogdet = define("linalg_slogdet", "sign logabsdet")
slogdet_result = define("slogdet", "sign logabsdet")
linalg_solve_ex = define("linalg_solve_ex", "result info")
triangular_solve_result = define("triangular_solve", "solution cloned_coefficient")


@public("inv", space="torch.linalg")
def inv(A: Any) -> Tensor:
    """The inverse of a square matrix, or of each of a batch.

    Raises ``torch.linalg.LinAlgError`` where A is singular.

    >>> import rushlight as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square_floating(A, "linalg.inv")
    return ops.inv(A)


@public("inverse")
def inverse(input: Any) -> Tensor:
    """:func:`torch.linalg.inv` under its older name."""
    check_square_floating(input, "linalg.inv")
    return ops.inv(input)


@public("inv_ex", space="torch.linalg")
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Inverses, and for each matrix 0 or the number of the pivot that was zero."""
    check_square_floating(A, "linalg.inv_ex" if check_errors else "linalg.inv")
    inverse, info = ops.inv_ex(A)
    if check_errors:
        checked(k.check_inverted, info, "linalg.inv_ex")
    return linalg_inv_ex(inverse, info)


@public("det", space="torch.linalg")
def det(A: Any) -> Tensor:
    """The determinant of a square matrix, or of each of a batch.

    >>> import rushlight as torch
    >>> torch.linalg.det(torch.tensor([[2.0, 1.0], [0.0, 3.0]]))
    tensor(6.)
    """
    check_square_floating(A, "linalg.det")
    return ops.det(A)


@public("det")
def det_older(input: Any) -> Tensor:
    """:func:`torch.linalg.det`."""
    return det(input)


@public("slogdet", space="torch.linalg")
def slogdet(A: Any) -> Any:
    """The determinant's sign (of size 1, for complex matrices at its angle) and the logarithm of its size."""
    check_square_floating(A, "linalg.slogdet")
    return linalg_slogdet(ops.slogdet(A))


@public("slogdet")
def slogdet_older(input: Any) -> Any:
    """:func:`torch.linalg.slogdet`."""
    check_square_floating(input, "linalg.slogdet")
    return slogdet_result(ops.slogdet(input))


@public("logdet", out=False)
def logdet(input: Any) -> Tensor:
    """The logarithm of the determinant: nan where that is negative, -inf where it is zero."""
    check_square_floating(input, "logdet")
    sign, size = ops.slogdet(input)
    if input._array.dtype.kind == "c":
        return sign.log() + size
    return where(sign == -1, float("nan"), size)


def _is_vector(A: Any, B: Any) -> bool:
    """Whether B is a vector, or a batch of them with a matrix for each: PyTorch's rule."""
    x, y = A._array, B._array
    return bool(y.ndim == 1 or (x.ndim - 1 == y.ndim and y.shape == x.shape[:-1]))


def check_solvable(A: Any, B: Any, left: bool, name: str, vector: bool = False) -> None:
    x, y = A._array, B._array
    if vector:
        return
    if y.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    if x.shape[-1] != y.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({x.shape[-2]}x{x.shape[-1]} and {y.shape[-2]}x{y.shape[-1]})"
        )


def _checked(A: Any, B: Any, left: bool, name: str) -> bool:
    check_floating(A, name, low_precision=True)
    check_same_dtype(A, B, name)
    check_square(A, name)
    vector = _is_vector(A, B)
    if vector and A._array.shape[-1] != (B._array.shape[-1] if left else 1):
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({A._array.shape[-2]}x{A._array.shape[-1]} and {B._array.shape[-1]}x1)"
        )
    check_solvable(A, B, left, name, vector)
    if vector and not left:
        raise RuntimeError(
            f"{name}: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_floating(A, name)  # which only the kernel asks of low precisions
    return vector


@public("solve", space="torch.linalg")
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """X with ``A @ X == B``, or ``X @ A == B`` if not ``left``; B is a matrix, a vector, or a batch of either.

    Raises ``torch.linalg.LinAlgError`` where A is singular.

    >>> import rushlight as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 8.0]))
    tensor([1., 2.])
    """
    vector = _checked(A, B, left, "linalg.solve")
    return ops.solve(A, B, bool(left), vector)


@public("solve_ex", space="torch.linalg")
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """As :func:`solve`, with for each matrix 0 or the number of the pivot that was zero."""
    vector = _checked(A, B, left, "linalg.solve")
    result, info = ops.solve_ex(A, B, bool(left), vector)
    if check_errors:
        checked(k.check_solved, info, "torch.linalg.solve_ex")
    return linalg_solve_ex(result, info)


@public("solve_triangular", space="torch.linalg")
def solve_triangular(input: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """X with ``input @ X == B`` (or ``X @ input == B``), of ``input`` only a triangle being looked at."""
    name = "linalg.solve_triangular"
    check_square(input, name)
    check_solvable(input, B, left, name)
    if input._array.dtype.kind not in "fc" or input._array.dtype.itemsize == 2:
        raise NotImplementedError(f"\"triangular_solve_cpu\" not implemented for '{input.dtype.scalar_name}'")
    return ops.solve_triangular(input, B, bool(upper), bool(left), bool(unitriangular))


@public("triangular_solve")
def triangular_solve(input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """:func:`torch.linalg.solve_triangular` under its older name: X with ``A @ X == input``, and a copy of A."""
    for label, one in (("b", input), ("A", A)):
        if one._array.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {label} to have at least 2 dimensions, but it has {one._array.ndim} "
                "dimensions instead"
            )
    check_system(input, A, "triangular_solve")
    deprecated(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a "
        "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy "
        "of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
        "torch.linalg.solve_triangular(A, B)."
    )
    return triangular_solve_result(ops.triangular_solve(input, A, bool(upper), bool(transpose), bool(unitriangular)))
