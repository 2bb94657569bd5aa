"""Norms of vectors, distances, and slices scaled down to a norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import norms as k
from ..backend.arithmetic import no_bool_difference
from ..base import dtypes
from ..base.arguments import NUMBERS, refuse_too_large, type_name
from ..tensor import Tensor
from .out import write_out
from .public import axes_of, axis_of, module, ops, public
from .rule_functions import conj, expand, is_complex
from .table import op

SINGLE = np.dtype(np.float32)

op("vector_norm", k.vector_norm, kind="reduction", node="LinalgVectorNormBackward0",
   x=lambda g, xp, x, out, ord, axis, keepdims: norm_backward(g, xp, x, out, ord, axis, keepdims))  # fmt: skip
op("norm_of_all", lambda x, ord: k.vector_norm(x, ord, None), kind="reduction", node="NormBackward0",
   x=lambda g, xp, x, out, ord: norm_backward(g, xp, x, out, ord, None, False))  # fmt: skip
op("norm_along", k.vector_norm, kind="reduction", node="NormBackward1",
   x=lambda g, xp, x, out, ord, axis: norm_backward(g, xp, x, out, ord, axis, False))  # fmt: skip
op("dist", lambda a, b, ord: k.vector_norm(a - b, ord, None), kind="reduction", promote="same",
   a=lambda g, xp, a, b, out, ord: norm_backward(g, xp, a - b, out, ord, None, False),
   b=lambda g, xp, a, b, out, ord: -norm_backward(g, xp, a - b, out, ord, None, False))  # fmt: skip
op("weight_norm", k.weight_norm, node="WeightNormInterfaceBackward0",
   v=lambda g, xp, v, scale, axes: _direction_backward(g, xp, v, scale, axes),
   scale=lambda g, xp, v, axes: xp.sum(g * v, axes, True) / xp.vector_norm(v, 2, axes, True))  # fmt: skip
op("renorm", k.renorm, x=lambda g, xp, x, ord, axis, maxnorm: _renorm_backward(g, xp, x, ord, axis, maxnorm))


def norm_backward(g: Any, xp: Any, x: Any, norm: Any, ord: float, axis: Any, keepdims: bool) -> Any:
    """A norm's rule; zero where the norm is, and for the number of nonzeros."""
    if axis is not None:
        g, norm = (expand(value, axis, keepdims, len(x.shape)) for value in (g, norm))
    if ord == 0:
        return None
    if ord == 1:
        return xp.sgn(x) * g
    if ord == 2:
        return g * xp.masked_fill(x / norm, norm == 0, 0)
    if math.isinf(ord):
        axes = axis if axis is not None else tuple(range(len(x.shape)))
        return xp.sgn(x) * xp.masked_fill(xp.share(g, xp.abs(x), norm, axes, True), norm != norm, 0)  # none has the size nan
    if ord < 1:
        return xp.masked_fill(xp.sgn(x) * xp.pow_number(xp.abs(x), ord - 1), x == 0, 0) * g * xp.pow_number(norm, 1 - ord)
    elif ord < 2:
        along = xp.sgn(x) * xp.pow_number(xp.abs(x), ord - 1)
    else:
        along = x * xp.pow_number(xp.abs(x), ord - 2)
    return along * xp.masked_fill(g / xp.pow_number(norm, ord - 1), norm == 0, 0)


def _direction_backward(g: Any, xp: Any, v: Any, scale: Any, axes: tuple[int, ...]) -> Any:
    """How ``v / norm(v) * scale`` changes with v: what is along v changes nothing."""
    norm = xp.vector_norm(v, 2, axes, True)
    return scale / norm * (g - v * (xp.sum(g * v, axes, True) / (norm * norm)))


def _renorm_backward(g: Any, xp: Any, x: Any, ord: float, axis: int, maxnorm: float) -> Any:
    axes = tuple(one for one in range(len(x.shape)) if one != axis)
    dtype, product = getattr(x, "_array", x).dtype, xp.real(conj(x) * g) if is_complex(g) else x * g
    wide = x
    if dtype.itemsize == 2:  # sums of them, and what meets those, are in single precision
        wide, product = xp.astype(x, SINGLE), xp.astype(product, SINGLE)
    norm = xp.vector_norm(wide, ord, axes, True)
    along = xp.sum(product, axes, True)
    slope = norm_backward(along, xp, x, norm, ord, axes, True)
    inverse = 1 / (norm + k.RENORM_EPSILON)
    scaled = g if slope is None else g - inverse * slope
    scaled = maxnorm * inverse * scaled
    return xp.where(norm > maxnorm, xp.astype(scaled, dtype) if dtype.itemsize == 2 else scaled, g)


def _not_floating(x: Any) -> RuntimeError:
    return RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {x.dtype.scalar_name}")


def _order(ord: Any) -> float:
    if isinstance(ord, str) or not isinstance(ord, (int, float)):
        item = getattr(ord, "item", None)
        if item is None:
            raise TypeError(f"linalg_vector_norm(): argument 'ord' must be Number, not {type(ord).__name__}")
        ord = item()
    return float(ord)


@public(space="torch.linalg", method=False)
def vector_norm(input: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of order ``ord`` of all elements, or along one or several dimensions.

    The root of the sum of squares for 2; the greatest and least size for inf and -inf; the number of nonzeros for 0;
    ``sum(abs(x) ** ord) ** (1 / ord)`` for all others.

    >>> import rushlight as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    array = input._array
    if array.dtype.kind not in "fcVW":
        raise _not_floating(input)
    if dtype is not None:
        _check_dtype(input, dtype)
        dtype = None if dtype.numpy == array.dtype else dtype.numpy
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    order = _order(ord)
    axes = None if dim is None else axes_of(dim, array.ndim)
    if (order < 0 or order == math.inf) and not array.size:
        _check_empty(order, dim, axes, array)
    if axes is None and keepdim:
        axes = tuple(range(array.ndim))
    return ops.vector_norm(input, order, axes, bool(keepdim), dtype)


def _check_dtype(x: Any, dtype: Any) -> None:
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point or complex, but got {dtype.scalar_name}")
    if dtype.is_complex != x.dtype.is_complex:
        kind = "complex" if x.dtype.is_complex else "real"
        raise RuntimeError(f"linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_name}")
    if dtype.numpy.itemsize < x._array.dtype.itemsize:
        raise RuntimeError(
            f"linalg.vector_norm: the dtype of the input ({x.dtype.scalar_name}) should be convertible without "
            "narrowing to "
            f"the specified dtype ({dtype.scalar_name})"
        )


def _check_empty(order: float, dim: Any, axes: Any, array: Any) -> None:
    if dim is None or dim == () or dim == []:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {_shown(order)} norm on an empty tensor because the operation "
            "does not have "
            "an identity"
        )
    given = dim if isinstance(dim, (list, tuple)) else (dim,)
    for axis, said in zip(axes, given, strict=True):
        if not array.shape[axis]:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {_shown(order)} norm on the dimension {said}because this "
                "dimension is "
                "empty and the operation does not have an identity"
            )


def _shown(order: float) -> str:
    return f"{order:g}"


@public(method=False, out=False)
def norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: Any = None
) -> Tensor:
    """The norm of a tensor, all of it or along dimensions: :func:`torch.linalg.vector_norm` under its older name.

    >>> import rushlight as torch
    >>> torch.norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    if out is not None:
        return write_out(norm_of_tensor, "norm", out, (input, p, dim, keepdim, dtype), {})  # type: ignore[no-any-return]
    return norm_of_tensor(input, p, dim, keepdim, dtype)


@public("norm", function=False)
def norm_of_tensor(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """:func:`norm` of this tensor."""
    array = input._array
    if isinstance(p, str):
        if p == "fro" and dim is None and not keepdim and dtype is None and array.dtype.kind in "fcVW":
            return ops.vector_norm(input, 2.0, None, False, None)
        axes = tuple(range(array.ndim)) if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
        if p == "fro" and (dim is None or len(axes) <= 2):
            return vector_norm(input, 2, dim, keepdim, dtype=dtype)
        if (p == "nuc" and dim is None and array.ndim != 2) or len(axes) != 2:
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, axes))}")
        return module("torch.linalg")["matrix_norm"](input, p, axes, keepdim, dtype=dtype)
    if p is not None and not (isinstance(p, NUMBERS) or (isinstance(p, Tensor) and not p._array.ndim)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(p)}")
    refuse_too_large(p)
    return vector_norm(input, 2 if p is None else p, dim, keepdim, dtype=dtype)


@public(out=False)
def dist(input: Any, other: Any, p: Any = 2) -> Tensor:
    """The norm of ``input - other``.

    >>> import rushlight as torch
    >>> torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0]))
    tensor(5.)
    """
    no_bool_difference([one._array.dtype.kind == "b" for one in (input, other)])
    kind = dtypes.promote_types(input.dtype, other.dtype)
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind.scalar_name} instead.")
    return ops.dist(input, other, float(p))


@public(inplace=True)
def renorm(input: Any, p: Any, dim: int, maxnorm: float) -> Tensor:
    """Slices along ``dim`` whose norm is above ``maxnorm`` scaled down to it."""
    array = input._array
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {array.ndim} dimensions")
    axis = axis_of(dim, array.ndim)
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if array.dtype.kind in "bui":
        raise _not_floating(input)
    return ops.renorm(input, float(p), axis, float(maxnorm))


@public("_weight_norm", method=False, out=False)
def weight_norm(v: Any, g: Any, dim: int = 0) -> Tensor:
    """``v`` with the lengths ``g``: every slice along ``dim`` is scaled to its own; all of ``v`` if ``dim`` is -1.

    >>> import rushlight as torch
    >>> torch._weight_norm(torch.tensor([[3.0, 4.0], [0.0, 2.0]]), torch.tensor([[1.0], [3.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 3.0000]])
    """
    ndim = len(v._array.shape)
    if dim != 0 and dim != ndim - 1:
        return v * (g / module("torch")["norm_except_dim"](v, 2, dim))
    if v.dtype is not g.dtype:
        raise RuntimeError(f"expected scalar type {v.dtype.scalar_name} but found {g.dtype.scalar_name}")
    return ops.weight_norm(v, g, tuple(axis for axis in range(ndim) if axis != dim))
