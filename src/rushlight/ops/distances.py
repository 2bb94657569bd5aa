"""Distances between vectors, cosines of the angles between them, and vectors scaled to length 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.grad_mode import no_grad
from ..backend import distances as k
from ..backend import norms
from ..base import dtypes
from .norms import norm_backward
from .operands import require_single_or_double
from .out import write_out
from .public import axis_of, module, ops, public
from .shape import common_shape
from .table import arrays, op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"

op("cdist", k.cdist,
   a=lambda g, xp, a, b, out, p: _cdist_backward(g, xp, a, b, out, p, 1),
   b=lambda g, xp, a, b, out, p: _cdist_backward(g, xp, a, b, out, p, 0))  # fmt: skip
op("euclidean_dist", k.distances_by_products,
   a=lambda g, xp, a, b, out:
       a * xp.sum(s := xp.masked_fill(g / out, out == 0, 0), (len(g.shape) - 1,), True)
       - (xp.mm if len(g.shape) == 2 else xp.bmm)(s, b),
   b=lambda g, xp, a, b, out:
       b * xp.expand_dims(xp.sum(s := xp.masked_fill(g / out, out == 0, 0), (len(g.shape) - 2,), False), len(g.shape) - 1)
       - (xp.mm if len(g.shape) == 2 else xp.bmm)(xp.transpose(s, len(g.shape) - 2, len(g.shape) - 1), a))  # fmt: skip
op("pdist", k.pdist, x=lambda g, xp, x, out, p: _pdist_backward(g, xp, x, out, p))
op("pair_differences", k.pair_differences, kind="linear",
   x=lambda g, xp, x_shape: xp.pair_differences_adjoint(g, x_shape[0]))  # fmt: skip
op("pair_differences_adjoint", k.pair_differences_adjoint, kind="linear", g=lambda g, xp: xp.pair_differences(g))
op("norm_along", norms.vector_norm, node="NormBackward1",
   x=lambda g, xp, x, out, ord, axis, keepdims: norm_backward(g, xp, x, out, ord, axis, keepdims))  # fmt: skip


def length_backward(g: Any, xp: Any, off: Any, length: Any, p: float) -> Any:
    """The rule of a length of order p along the last axis."""
    if p == 0:
        return xp.zeroed(off)
    if math.isinf(p):
        row = (*length.shape, 1)
        return xp.sgn(off) * g.reshape(row) * (xp.abs(off) == length.reshape(row))
    if p == 2:  # rows that are the same have no slope, whatever the cotangent
        g = xp.masked_fill(g, length == 0, 0)
    return norm_backward(g, xp, off, length, p, (len(off.shape) - 1,), False)


def _pdist_backward(g: Any, xp: Any, x: Any, out: Any, p: float) -> Any:
    if xp is arrays and p in k.USUAL_ORDERS:
        return k.pdist_backward(g, x, out, p)
    return xp.pair_differences_adjoint(length_backward(g, xp, xp.pair_differences(x), out, p), x.shape[0])


def _cdist_backward(g: Any, xp: Any, a: Any, b: Any, out: Any, p: float, of_first: int) -> Any:
    if xp is arrays and not a.shape[-1]:
        return xp.zeroed(a if of_first else b)
    if xp is arrays and p in k.USUAL_ORDERS and a.shape[:-2] == b.shape[:-2]:
        return k.cdist_backward(g, a, b, out, p, of_first)
    off = xp.expand_dims(a, len(a.shape) - 1) - xp.expand_dims(b, len(b.shape) - 2)
    slope = length_backward(g, xp, off, out, p)
    ndim = len(off.shape)
    return xp.sum(slope, (ndim - 2,), False) if of_first else -xp.sum(slope, (ndim - 3,), False)


_MANY_ROWS = 25  # with more, distances are computed from products of the rows


@public(method=False, out=False)
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Distances of order ``p`` between all rows of ``x1`` (..., n, d) and of ``x2`` (..., m, d): (..., n, m).

    >>> import rushlight as torch
    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    if compute_mode not in (
        "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
    ):  # fmt: skip
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    a, b = x1._array, x2._array
    for label, array in (("X1", a), ("X2", b)):
        if array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {label} got: {array.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    for label, value in (("X1", x1), ("X2", x2)):
        if value._array.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {label} got: {value.dtype.scalar_name}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if a.dtype != b.dtype:
        if a.size and b.size:
            if a.dtype.itemsize == 2 and max(a.shape[-2], b.shape[-2]) <= _MANY_ROWS:
                raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.scalar_name}'")
            raise RuntimeError(f"expected scalar type {x1.dtype.scalar_name} but found {x2.dtype.scalar_name}")
        x2 = ops.astype(x2, a.dtype)
    for axis in range(min(a.ndim, b.ndim) - 3, -1, -1):
        one, two = a.shape[axis - min(a.ndim, b.ndim)], b.shape[axis - min(a.ndim, b.ndim)]
        if one != two and 1 not in (one, two):
            raise RuntimeError(
                f"The size of tensor a ({one}) must match the size of tensor b ({two}) at non-singleton dimension {axis}"
            )
    many = a.shape[-2] > _MANY_ROWS or b.shape[-2] > _MANY_ROWS
    by_products = compute_mode == "use_mm_for_euclid_dist" or (many and compute_mode.startswith("use_mm"))
    by_products = by_products and p == 2 and a.size > 0 and b.size > 0
    if a.dtype.itemsize == 2 and not by_products and a.size and b.size:
        raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.scalar_name}'")
    return _by_products(x1, x2) if by_products else ops.cdist(x1, x2, float(p))


def _by_products(x1: Tensor, x2: Tensor) -> Tensor:
    """Distances of order 2 by a product of matrices, or of as many as there are in the batch."""
    a, b = x1._array.shape, x2._array.shape
    batch = common_shape([a[:-2], b[:-2]])
    matrices = math.prod(batch)
    if matrices > 1 or not len(a) == len(b) <= 3:
        x1, x2 = (
            ops.view(ops.expand(x, (*batch, *x._array.shape[-2:])).contiguous(), (matrices, *x._array.shape[-2:]))
            for x in (x1, x2)
        )
    return ops.view(ops.euclidean_dist(x1, x2), (*batch, a[-2], b[-2]))


@public(space=F, out=False)
def pdist(input: Any, p: float = 2.0) -> Tensor:
    """Distances of order ``p`` between each row of the input (n, d) and those behind it."""
    array = input._array
    if array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {array.ndim}D")
    if array.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    require_single_or_double(input, "pdist")
    return ops.pdist(input, float(p))


@public(space=F, out=False)
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of ``x1 - x2 + eps`` along the last dimension."""
    ndim = max(x1._array.ndim, x2._array.ndim)
    off = x1 - x2
    if off._array.dtype.kind in "bui":
        off = ops.astype(off, dtypes.get_default_dtype().numpy)
    return ops.norm_along(ops.plus(off, eps), float(p), (ndim - 1,) if ndim else (), bool(keepdim))


@public(space=F, out=False)
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between two vectors along ``dim``; each norm is at least ``eps``.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.cosine_similarity(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]), dim=0)
    tensor(0.7071)
    """
    first, second = dtypes.of(x1._array.dtype), dtypes.of(x2._array.dtype)
    common = first if first is second else dtypes.promote_types(first, second)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {common.scalar_name}")
    x1, x2 = (one if one._array.dtype.kind in "fcVW" else ops.astype(one, common.numpy) for one in (x1, x2))
    if x1._array.shape != x2._array.shape:
        x1, x2 = _meeting(x1, x2, dim)
    axis = axis_of(dim, x1._array.ndim)
    units = []  # each in the precision of its own vector
    for value in (x1, x2):
        norm = ops.clone(ops.vector_norm(value, 2.0, (axis,) if value._array.ndim else (), True))
        with no_grad():
            norm.clamp_(min=eps)
        units.append(value / norm)
    return (units[0] * units[1]).sum(dim)


def _meeting(x1: Any, x2: Any, dim: int) -> tuple[Any, Any]:
    """Both as if stretched to their common shape, for vectors along ``dim``. A unit vector is the same wherever stretching
    puts it, so each keeps its own shape, but for dimensions that it has too few of, until they are multiplied."""
    shapes = x1._array.shape, x2._array.shape
    try:
        common = np.broadcast_shapes(*shapes)
    except ValueError:
        return module("torch")["broadcast_tensors"](x1, x2)  # type: ignore[no-any-return]  # which says what is wrong
    axis = axis_of(dim, len(common))
    own = [(1,) * (len(common) - len(shape)) + shape for shape in shapes]
    if own[0][axis] != own[1][axis]:
        own = [common, common]
    return ops.expand(x1, own[0]), ops.expand(x2, own[1])


module("torch")["pdist"] = module(F)["pdist"]
module("torch")["pairwise_distance"] = module(F)["pairwise_distance"]
module("torch")["cosine_similarity"] = module(F)["cosine_similarity"]


@public(space=F, out=False)
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """The input divided by its norm along ``dim`` (at least ``eps``)."""
    if out is not None:
        return write_out(normalize, "normalize", out, (input, p, dim, eps), {})  # type: ignore[no-any-return]
    norm = module("torch")["norm"](input, p, dim, True)
    return input / ops.clamp_min(norm, eps).expand_as(input)
