"""Further products: inner, Kronecker, cross and dot products along a dimension, chains of matrices."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.rule_errors import broadcast_error
from ..backend import cross as k
from ..backend.shape import view
from ..base import dtypes
from ..base.arguments import type_name
from .extremes import refuse
from .linalg import check_floating, check_same_dtype
from .matmul import mm, tensordot
from .operands import check_tensors
from .public import axis_of, module, ops, public
from .rule_functions import conj
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("cross", k.cross, node="LinalgCrossBackward0", kind="bilinear",
   a=lambda g, xp, b, axis: xp.cross(conj(b), g, axis),
   b=lambda g, xp, a, axis: xp.cross(g, conj(a), axis))  # fmt: skip


@public()
def inner(input: Any, other: Any) -> Tensor:
    """The sums of products along the last dimension of both tensors.

    >>> import rushlight as torch
    >>> torch.inner(torch.tensor([1, 2, 3]), torch.tensor([0, 2, 1]))
    tensor(7)
    """
    x, y = input._array, other._array
    if not x.ndim or not y.ndim:
        return input * other
    if x.shape[-1] != y.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(x.shape)} and {list(y.shape)}"
        )
    if x.dtype != y.dtype:
        raise RuntimeError("both inputs should have same dtype")
    return tensordot(input, other, [[-1], [-1]])


@public()
def kron(input: Any, other: Any) -> Tensor:
    """The Kronecker product: a block of ``other``, scaled, for each element of ``input``.

    >>> import rushlight as torch
    >>> torch.kron(torch.tensor([1, 10]), torch.tensor([1, 2]))
    tensor([ 1,  2, 10, 20])
    """
    ndim = max(input._array.ndim, other._array.ndim)
    x, y = ((1,) * (ndim - one._array.ndim) + one._array.shape for one in (input, other))
    apart = ops.unsafe_view(input, tuple(size for pair in zip(x, (1,) * ndim, strict=True) for size in pair))
    blocks = ops.unsafe_view(other, tuple(size for pair in zip((1,) * ndim, y, strict=True) for size in pair))
    product, shape = apart * blocks, tuple(a * b for a, b in zip(x, y, strict=True))
    if isinstance(product._array, np.ndarray):
        view(product._array, shape)  # for PyTorch's error: of factors that lie in another order the product does too
    return ops.unsafe_view(product, shape)


@public("cross", space="torch.linalg")
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three elements along ``dim``.

    >>> import rushlight as torch
    >>> torch.linalg.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    x, y = input._array, other._array
    if x.ndim != y.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = axis_of(dim, x.ndim)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[axis]} and {y.shape[axis]}")
    mismatch = broadcast_error([x.shape, y.shape])
    if mismatch is not None:
        raise mismatch
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_name} but found {other.dtype.scalar_name}")
    refuse("cross", input, "b")
    return ops.cross(input, other, axis)


@public()
def cross(input: Any, other: Any, dim: Any = None) -> Tensor:
    """:func:`torch.linalg.cross`, along the first dimension of size 3 if none is given."""
    if dim is None:
        dim = next((axis for axis, size in enumerate(input._array.shape) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim)


@public(space="torch.linalg")
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """The dot products along a dimension, the first factor conjugated."""
    check_floating(x, "linalg.vecdot", low_precision=True)
    check_same_dtype(x, y, "linalg.vecdot", ("x", "y"))
    if x._array.ndim == y._array.ndim == 1 and x._array.shape == y._array.shape:
        axis_of(dim, 1)
        return module("torch")["vdot"](x, y)
    return (x.conj() * y).sum(dim)


@public(space="torch.linalg")
def multi_dot(tensors: Any) -> Tensor:
    """The product of two or more matrices, in the order of fewest multiplications; the ends may be vectors."""
    if not isinstance(tensors, (tuple, list)):
        kind = type_name(tensors)
        raise TypeError(f"linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}")
    check_tensors(tensors)
    tensors = list(tensors)
    _check_chain(tensors)
    first, last = tensors[0]._array, tensors[-1]._array
    shape = (*first.shape[:-1], *last.shape[1:])
    if first.ndim == 1:
        tensors[0] = tensors[0].unsqueeze(0)
    if last.ndim == 1:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    for index, (one, other) in enumerate(pairwise(tensors)):
        if one._array.shape[1] != other._array.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {index} and {index + 1} with shapes {list(one._array.shape)} and "
                f"{list(other._array.shape)} cannot be multiplied"
            )
    return _chain(tensors).view(shape)


def _check_chain(tensors: list[Any]) -> None:
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for index, one in enumerate(tensors):
        ndim = one._array.ndim
        if index in (0, len(tensors) - 1):
            if not 1 <= ndim <= 2:
                place = "last" if index else "first"
                raise RuntimeError(f"multi_dot(): the {place} tensor must be 1D or 2D but got {ndim}D")
        elif ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {index} must be 2D but got {ndim}D")
        if one._array.dtype != tensors[0]._array.dtype:
            first, other = (dtypes.of(t._array.dtype).c_name for t in (tensors[0], one))
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {first} and tensor {index} {other}"
            )


def _chain(matrices: list[Any]) -> Any:
    """The product in the best order, found by dynamic programming over the sizes (Cormen et al., chapter 15)."""
    sizes = [matrices[0]._array.shape[0], *(one._array.shape[1] for one in matrices)]
    count = len(matrices)
    cost: dict[tuple[int, int], int] = {(start, start): 0 for start in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            ways = {
                cost[start, cut] + cost[cut + 1, end] + sizes[start] * sizes[cut + 1] * sizes[end + 1]: cut
                for cut in range(end - 1, start - 1, -1)
            }
            cost[start, end] = min(ways)
            split[start, end] = ways[cost[start, end]]

    def product(start: int, end: int) -> Any:
        if start == end:
            return matrices[start]
        cut = split[start, end]
        return mm(product(start, cut), product(cut + 1, end))

    return product(0, count - 1)


@public(method=False)
def chain_matmul(*matrices: Any) -> Tensor:
    """The product of matrices in the cheapest order: the older name of :func:`torch.linalg.multi_dot`."""
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    check_tensors(matrices)
    for one in matrices:
        if one._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {one._array.ndim}, expected 2 instead.")
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(list(matrices))


@public("matmul", space="torch.linalg")
def linalg_matmul(input: Any, other: Any) -> Tensor:
    """:func:`torch.matmul`."""
    return module("torch")["matmul"](input, other)
