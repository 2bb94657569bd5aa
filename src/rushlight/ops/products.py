"""Further products: inner, Kronecker, cross and dot products along a dimension, chains of matrices."""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import numpy as np

from ..autograd import views
from ..autograd.rule_errors import broadcast_error
from ..backend import cross as k
from ..backend import matmul
from ..backend.checked_convert import checked_number
from ..backend.kron import can_be_seen
from ..backend.shape import not_a_view
from ..base import dtypes
from ..base.arguments import type_name
from ..tensor import Tensor
from . import older_forms
from .extremes import refuse
from .inplace import named
from .linalg import check_floating, check_same_dtype
from .matmul import addmm, check_bias, mm, scaled_by, tensordot
from .operands import check_tensors
from .public import axis_of, methods, module, ops, public
from .rule_functions import by_number, conj
from .table import op

F = "torch.nn.functional"

op("cross", k.cross, node="LinalgCrossBackward0", kind="bilinear",
   a=lambda g, xp, b, axis: xp.cross(conj(b), g, axis),
   b=lambda g, xp, a, axis: xp.cross(g, conj(a), axis))  # fmt: skip

op("addr", matmul.addr,
   bias=lambda g, beta: g if beta == 1 else by_number(g, conj(beta)),
   a=lambda g, b, xp, alpha: scaled_by(xp.mv(g, conj(b)), alpha),
   b=lambda g, a, xp, alpha: scaled_by(xp.mv(xp.transpose(g, 0, 1), conj(a)), alpha))  # fmt: skip


@public()
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *older: object, beta: complex = 1, alpha: complex = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``, in the dtype that all three meet in.

    >>> import rushlight as torch
    >>> torch.addr(torch.ones(2, 2), torch.tensor([1, 2]), torch.tensor([0, 1]))
    tensor([[1., 2.],
            [1., 3.]])
    """
    if older:
        (input, vec1, vec2), factors = older_forms.scaled("addr", "vec1 vec2", (input, vec1, vec2, *older))
        return addr(input, vec1, vec2, **factors)
    for label, one in (("vec1", vec1), ("vec2", vec2)):
        if one._array.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {label}, but got {one._array.ndim}-D")
    check_bias(input, (vec1._array.size, vec2._array.size))
    dtype = dtypes.promote_types(input.dtype, dtypes.promote_types(vec1.dtype, vec2.dtype))
    for label, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and dtype.kind != "b":
            raise RuntimeError(f"Boolean {label} only supported for Boolean results.")
        if not (dtype.is_floating_point or dtype.is_complex or isinstance(factor, int)):
            raise RuntimeError(f"For integral input tensors, argument {label} must not be a floating point number.")
    given = [one if one.dtype is dtype else ops.astype(one, dtype.numpy) for one in (input, vec1, vec2)]
    beta, alpha = (checked_number(factor, given[0]._array) for factor in (beta, alpha))
    return ops.addr(*given, beta, alpha)


@public("_int_mm", method=False, out=False)
def int_mm(self: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices of int8, in int32; the first may be of uint8.

    RuntimeError for other dtypes and for sizes that do not go together.

    >>> import rushlight as torch
    >>> torch._int_mm(torch.full((1, 2), 100, dtype=torch.int8), torch.full((2, 1), 100, dtype=torch.int8))
    tensor([[20000]], dtype=torch.int32)
    """
    x, y = self._array, mat2._array
    for label, one in (("self", x), ("mat2", y)):
        if one.ndim != 2:
            raise RuntimeError(f"int_mm_out_cpu: Expected {label} to be of dimension 2 but got {one.ndim}")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {x.shape[1]} and {y.shape[0]}")
    if self.dtype not in (dtypes.int8, dtypes.uint8):
        raise RuntimeError(f"int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got {self.dtype.c_name}")
    if mat2.dtype is not dtypes.int8:
        raise RuntimeError(f"int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got {mat2.dtype.c_name}")
    if out is not None:
        if out.dtype is not dtypes.int32:
            raise RuntimeError(f"int_mm_out_cpu: Expected result dtype to be of type kInt but got {out.dtype.c_name}")
        for axis, size in enumerate((x.shape[0], y.shape[1])):
            if out._array.shape[axis] != size:
                raise RuntimeError(
                    f"int_mm_out_cpu: Expected result.size({axis}) to be {size} but got {out._array.shape[axis]}"
                )
    product = mm(ops.astype(self, np.dtype(np.int32)), ops.astype(mat2, np.dtype(np.int32)))
    return product if out is None else out.copy_(product)


@public("_addmm_activation", method=False, out=False)
def addmm_activation(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1, use_gelu: bool = False
) -> Tensor:
    """``relu``, or ``gelu``, of :func:`torch.addmm`.

    >>> import rushlight as torch
    >>> torch._addmm_activation(torch.zeros(2), torch.eye(2), -torch.eye(2))
    tensor([[0., 0.],
            [0., 0.]])
    """
    total = addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    return module(F)["gelu"](total) if use_gelu else total.relu()


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
    if isinstance(product._array, np.ndarray) and not can_be_seen(input._array, other._array, shape):
        raise not_a_view()
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
    axis = axis_of(dim, x.ndim, wrap_scalar=False)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.shape[axis]} and {y.shape[axis]}")
    mismatch = broadcast_error([x.shape, y.shape])
    if mismatch is not None:
        raise mismatch
    refuse("cross", input, "b")
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_name} but found {other.dtype.scalar_name}")
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
    if x._array.ndim == y._array.ndim == 1:
        if x._array.shape == y._array.shape:
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
    given, tensors = tensors, list(tensors)
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
                f"multi_dot(): tensors {index} and {index + 1} with shapes {list(given[index].shape)} and "
                f"{list(given[index + 1].shape)} cannot be multiplied"
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
            cuts = range(start, end)  # of equal ways the last is kept: PyTorch's first, but of three matrices its last
            ways = {
                cost[start, cut] + cost[cut + 1, end] + sizes[start] * sizes[cut + 1] * sizes[end + 1]: cut
                for cut in (cuts if count == 3 else reversed(cuts))
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


# Products added to a tensor in place.


def _in_place(name: str, input: Any, *args: Any, **kwargs: Any) -> Tensor:
    """The result of a product and a bias, where what is written to has its shape; `addmv` may give the bias, of a matrix of nothing."""
    factors = [one for one in (*args, *kwargs.values()) if isinstance(one, Tensor)]
    ranks = [one.ndim for one in factors]
    alike = all(one.dtype is input.dtype for one in factors)
    if name == "addmm" and ranks == [2, 2] and factors[0].shape[1] == factors[1].shape[0] and alike:
        _check_written(input, (factors[0].shape[0], factors[1].shape[1]))
    elif name == "addr" and ranks == [1, 1] and input.shape != (len(factors[0]), len(factors[1])):
        if input.ndim != 2:
            raise RuntimeError(f"2D tensor expected, got {input.ndim}D tensor for input")
        sizes = ", v1: ".join(str(list(one.shape)) for one in (input, factors[0]))
        raise RuntimeError(f"size mismatch, input: {sizes}, v2: {list(factors[1].shape)}")
    out = module("torch")[name](input, *args, **kwargs)
    if name == "addmv":
        _check_written(input, next(one.shape[:1] for one in factors if one.ndim == 2))
    elif name == "baddbmm":
        _check_written(input, out.shape)
    return out


def _check_written(input: Tensor, shape: tuple[int, ...]) -> None:
    if input.shape != shape:
        sizes = f"input tensor size {list(input.shape)} and output tensor size {list(shape)}"
        raise RuntimeError(f"Bad in-place call: {sizes} should match")


for _name in ("addmm", "addmv", "baddbmm", "addbmm", "addr"):

    def _inplace(self: Any, *args: Any, _name: str = _name, **kwargs: Any) -> Any:
        function = functools.partial(_in_place, _name)
        return views.inplace(function, _name + "_", self, *args, **kwargs)

    methods[_name + "_"] = named(_inplace, _name + "_")
