"""Functions of matrices: trace, powers, the exponential, tensor inverses, Vandermonde matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import linalg as k
from ..backend import matrix_exp as exponential
from ..tensor import Tensor, new_tensor
from .linalg import check_floating, check_square
from .public import module, ops, public
from .rule_functions import checked
from .solve import inv, solve
from .table import op

op("trace", exponential.trace, kind="linear", x=lambda g, xp, x_shape: _spread(g, xp, x_shape))
op("matrix_exp", exponential.matrix_exp, node="LinalgMatrixExpBackward0", a=lambda g, xp, a: _exp_backward(g, xp, a))


def _spread(g: Any, xp: Any, shape: tuple[int, int]) -> Any:
    return xp.embed_diagonal(xp.expand_number(g, (min(shape),)), shape, 0, 0, 1)


def _exp_backward(g: Any, xp: Any, a: Any) -> Any:
    """N. Higham, Functions of Matrices (2008), theorem 3.6: the derivative is a corner of exp of [[a, g], [0, a]]."""
    across = xp.adjoint(a)
    axis, size = len(a.shape) - 1, a.shape[-1]
    top = xp.concat([across, g], axis)
    bottom = xp.concat([xp.zeros_as(across), across], axis)
    whole = xp.matrix_exp(xp.concat([top, bottom], axis - 1))
    return xp.slice(xp.slice(whole, axis - 1, 0, size, 1), axis, size, 2 * size, 1)


@public(out=False)
def trace(input: Any) -> Tensor:
    """The sum of a matrix's diagonal.

    >>> import rushlight as torch
    >>> torch.trace(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    array = input._array
    if array.dtype.kind == "b":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    if array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {array.ndim}")
    return ops.trace(input)


@public("matrix_exp", space="torch.linalg", out=False)
def matrix_exp(input: Any) -> Tensor:
    """The matrix exponential, ``sum(A ** k / k!)``, of a square matrix or each of a batch.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_square(input, "linalg.matrix_exp")
    check_floating(input, "linalg.matrix_exp", low_precision=True)
    return ops.matrix_exp(input)


@public("matrix_exp", out=False)
def matrix_exp_older(input: Any) -> Tensor:
    """:func:`torch.linalg.matrix_exp`."""
    return matrix_exp(input)


@public("matrix_power", space="torch.linalg")
def matrix_power(input: Any, n: int) -> Tensor:
    """The product of n copies of a square matrix; of its inverse for a negative n.

    >>> import rushlight as torch
    >>> torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square(input, "linalg.matrix_power")
    if n == 0:
        identity = np.broadcast_to(np.eye(input._array.shape[-1], dtype=input._array.dtype), input._array.shape)
        return ops.contiguous(input).copy_(new_tensor(identity.copy()))
    if n < 0:
        input, n = inv(input), -n
        if n == 1:
            return input
    if n == 1:
        return input.clone()
    if n == 3:
        return input @ input @ input
    result: Any = None
    while n:
        if n & 1:
            result = input if result is None else result @ input
        n >>= 1
        if n:
            input = input @ input
    return result


@public("matrix_power")
def matrix_power_older(input: Any, n: int) -> Tensor:
    """:func:`torch.linalg.matrix_power`."""
    return matrix_power(input, n)


@public("tensorinv", space="torch.linalg")
def tensorinv(input: Any, ind: int = 2) -> Tensor:
    """The inverse for :func:`torch.tensordot`: of a matrix whose rows are the first ``ind`` dimensions."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = input._array.shape
    if ind > len(shape):
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {len(shape)}")
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    matrix = input.reshape((rows, columns))
    check_floating(matrix, "linalg.inv")
    inverse, info = ops.inv_ex(matrix)
    checked(k.check_inverted, info, "inv")
    return inverse.reshape((*shape[ind:], *shape[:ind]))


@public("tensorsolve", space="torch.linalg")
def tensorsolve(input: Any, other: Any, dims: Any = None) -> Tensor:
    """X with ``tensordot(input, X, X.ndim) == other``; ``dims`` of the input are moved behind its others first."""
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(input._array.ndim - len(dims), input._array.ndim)))
    shape, ndim = input._array.shape, other._array.ndim
    rows, columns = math.prod(shape[:ndim]), math.prod(shape[ndim:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    return solve(input.reshape((columns, rows)), other.flatten()).reshape(shape[ndim:])


@public("vander", space="torch.linalg")
def vander(x: Any, *, N: Any = None) -> Tensor:
    """The Vandermonde matrix: the powers 0 to N - 1 of each element, one after the other."""
    array = x._array
    if array.dtype.kind == "b":
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, but got Bool")
    count = int(N) if N is not None else array.shape[-1] if array.ndim else 1
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    if not array.ndim:
        x = x.unsqueeze(0)
        array = x._array
    powers = x.unsqueeze(-1).expand((*array.shape, count - 1)).cumprod(-1)
    ones = new_tensor(np.ones((*array.shape, 1), powers._array.dtype))
    return module("torch")["cat"]([ones, powers], -1)


@public("vander", method=False, out=False)
def vander_older(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """The Vandermonde matrix of a vector, the powers descending unless ``increasing``."""
    array = x._array
    if array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor")
    count = array.shape[0] if N is None else int(N)
    if count < 0:
        raise RuntimeError("N must be non-negative")
    kind = np.dtype(np.int64) if array.dtype.kind in "bui" else array.dtype
    columns = [new_tensor(np.ones((*array.shape, min(count, 1)), kind))]
    if count > 1:
        columns.append(x.unsqueeze(-1).expand((*array.shape, count - 1)).cumprod(-1))
    powers = module("torch")["cat"](columns, -1)
    return powers if increasing else powers.flip(-1)


@public("diagonal", space="torch.linalg", out=False)
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """:func:`torch.diagonal`, of the last two dimensions unless told otherwise."""
    return module("torch")["diagonal"](A, offset, dim1, dim2)
