"""Norms of matrices and what is made of them: torch.linalg.norm, matrix_norm, cond."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend.array_dtypes import real_of
from ..base import dtypes
from ..tensor import Tensor, new_tensor
from .decompositions import svdvals
from .linalg import check_floating, check_matrix, check_square
from .norms import vector_norm
from .public import axes_of, ops, public

_NAME = "linalg.matrix_norm"


@public("matrix_norm", space="torch.linalg")
def matrix_norm(input: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Norms of matrices: 'fro' (the root of the sum of squares), 'nuc' (the sum of the singular values), 2 and -2 (the
    greatest and least of those), 1 and -1 (of the columns' sums of sizes), inf and -inf (of the rows').

    >>> import rushlight as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), 1)
    tensor(4.)
    """
    check_matrix(input, _NAME)
    _check_dtypes(input, dtype)
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        dims = dim if isinstance(dim, (tuple, list)) else (dim,)
        raise RuntimeError(f"{_NAME}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    ndim = input._array.ndim
    first, second = (axes_of(one, ndim)[0] for one in dim)
    if first == second:
        raise RuntimeError(f"{_NAME}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(input, 2, (first, second), keepdim, dtype=dtype)
    if dtype is not None:
        input = input.to(dtype)
    if ord in ("nuc", 2, -2):
        check_floating(input, _NAME)
        rest = [axis for axis in range(ndim) if axis not in (first, second)]
        values = svdvals(input.permute([*rest, first, second]))
        out = values.sum(-1) if ord == "nuc" else _extreme(values, -1, ord > 0)
        return _put_back(out, first, second) if keepdim else out
    ord = float(ord) if isinstance(ord, np.floating) else ord
    if not isinstance(ord, (int, float)) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"{_NAME}: Order {ord} not supported.")
    if math.isinf(ord):
        first, second = second, first
    sums = vector_norm(input, 1, first, keepdim)
    return _extreme(sums, second - (second > first and not keepdim), ord > 0, keepdim)


def _put_back(x: Any, first: int, second: int) -> Any:
    """The two dimensions that a norm took away, with size 1."""
    for axis in sorted((first, second)):
        x = x.unsqueeze(axis)
    return x


def _extreme(x: Any, axis: int, greatest: bool, keepdim: bool = False) -> Any:
    """The greatest or least along an axis; 0 for the greatest of none."""
    if greatest and not x._array.shape[axis]:
        return x.sum(axis, keepdim).detach()
    return x.amax(axis, keepdim) if greatest else x.amin(axis, keepdim)


def _check_dtypes(input: Any, dtype: Any) -> None:
    if input._array.dtype.kind not in "fcVW":
        word = input.dtype.scalar_name
        raise RuntimeError(f"{_NAME}: Expected a floating point or complex tensor as input. Got {word}")
    if dtype is None:
        return
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{_NAME}: dtype should be floating point or complex, but got {dtype.scalar_name}")
    if dtype.is_complex != input.dtype.is_complex:
        kind = "complex" if input.dtype.is_complex else "real"
        raise RuntimeError(f"{_NAME}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_name}")
    if dtypes.promote_types(input.dtype, dtype) != dtype:
        raise RuntimeError(
            f"{_NAME}: the dtype of the input ({input.dtype.scalar_name}) should be convertible without narrowing to "
            f"the specified dtype ({dtype.scalar_name})"
        )


@public("norm", space="torch.linalg")
def norm(input: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A vector's or a matrix's norm, :func:`vector_norm` or :func:`matrix_norm` by the number of dimensions.

    >>> import rushlight as torch
    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    axes = dim if dim is None or isinstance(dim, (tuple, list)) else (dim,)
    if axes is not None and len(axes) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(axes)}")
    if axes is None and ord is not None:
        ndim = input._array.ndim
        if ndim not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {ndim}D.")
        axes = tuple(range(ndim))
    if ord is None:
        return vector_norm(input, 2, axes, keepdim, dtype=dtype)
    if isinstance(ord, str) or len(axes or ()) == 2:
        return matrix_norm(input, ord, axes, keepdim, dtype=dtype)
    return vector_norm(input, ord, dim, keepdim, dtype=dtype)


@public("cond", space="torch.linalg")
def cond(input: Any, p: Any = None) -> Tensor:
    """The condition number: the norm of a matrix times the norm of its inverse; inf where there is none.

    >>> import rushlight as torch
    >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 1.0]]))
    tensor(4.)
    """
    if input._array.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        values = svdvals(input)
        if not values._array.shape[-1]:
            return values.new_zeros(values._array.shape[:-1])
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values._array.shape[-1] - 1, 1)
        return ((last / first) if p == -2 else (first / last)).squeeze(-1)
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check_square(input, f"linalg.cond(ord={p})")
    if not input._array.size:
        return new_tensor(np.zeros(input._array.shape[:-2], real_of(input._array.dtype)))
    if p == "nuc":
        values = svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    check_floating(input, "linalg.cond")
    norm_of = matrix_norm(input, p)
    inverse, info = ops.inv_ex(input)
    singular = (info > 0).unsqueeze(-1).unsqueeze(-1)
    return (norm_of * matrix_norm(inverse.masked_fill(singular, math.inf), p)).nan_to_num(math.inf, math.inf, -math.inf)
