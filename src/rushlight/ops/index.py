"""Ops that read and write slices by a vector of indices, and elements by their places in the flattened tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import views
from ..backend import index as k
from . import dispatch
from .public import axis_of, ops, public
from .scatter import gather, scatter_reduce_src, scatter_reduce_x
from .table import op

op("index_select", k.index_select, inputs="index", kind="linear",
   x=lambda g, xp, x_shape, index, axis: xp.index_select_adjoint(g, index, x_shape, axis))  # fmt: skip
op("index_select_adjoint", k.index_select_adjoint, inputs="index", node="IndexSelectBackwardBackward0", kind="linear",
   g=lambda g, xp, index, axis: xp.index_select(g, index, axis))  # fmt: skip
op("index_add", k.index_add, inputs="index", kind="linear", x=lambda g: g,
   src=lambda g, xp, index, axis, alpha, src_shape: (xp.index_select(g, index, axis) * alpha).reshape(src_shape))  # fmt: skip
op("index_copy", k.index_copy, inputs="index", kind="linear",
   x=lambda g, xp, index, axis, src_shape: xp.index_copy(g, xp.full_like_shape(g, src_shape), index, axis),
   src=lambda g, xp, index, axis, src_shape: xp.index_select(g, index, axis).reshape(src_shape))  # fmt: skip
op("distinct", lambda index: np.unique(index), inputs="index")
op("index_fill", k.index_fill, inputs="index", kind="linear",
   x=lambda g, xp, index, axis: xp.index_fill(g, xp.full_like_shape(g, ()), index, axis),
   value=lambda g, xp, index, axis: xp.sum(
       xp.index_select(g, xp.distinct(index), axis), tuple(range(len(g.shape))), False))  # fmt: skip
op("take", k.take, inputs="index", kind="linear", x=lambda g, xp, x_shape, index: xp.take_adjoint(g, index, x_shape))
op("take_adjoint", k.take_adjoint, inputs="index", kind="linear", g=lambda g, xp, index: xp.take(g, index))
op("put", k.put, inputs="index", kind="linear",
   x=lambda g, xp, index, accumulate: g if accumulate else xp.put(g, xp.full_like_shape(g, index.shape), index, False),
   src=lambda g, xp, index, src_shape: xp.take(g, index).reshape(src_shape))  # fmt: skip
op("index_reduce", k.index_reduce, inputs="index",
   x=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_x(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out),
   src=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_src(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out))  # fmt: skip


def _wide(xp: Any, index: Any, src: Any, axis: int) -> Any:
    shape = [1] * len(src.shape)
    if shape:
        shape[axis] = -1
    return xp.expand(index.reshape(tuple(shape)), tuple(src.shape))


@public()
def index_select(input: Any, dim: int, index: Any) -> Any:
    """The slices along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    i = index._array
    if i.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if i.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = input._array.shape[axis] if input._array.ndim else 1
    bad = i[(i < 0) | (i >= size)]
    if bad.size:
        if axis == 1:
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad.flat[0]} axis_dim={size}")
        raise IndexError("index out of range in self")
    return ops.index_select(input, index, axis)


def _check_vector_index(name: str, input: Any, axis: int, index: Any, source: Any) -> None:
    i = index._array
    if i.ndim > 1:
        raise IndexError(f"{name}(): Index should have dimension 1 or 0 (got {i.ndim})")
    size = input._array.shape[axis] if input._array.ndim else 1
    if source is not None and source._array.ndim and i.size != source._array.shape[axis]:
        shown, kind = ("index_add_", RuntimeError) if name == "index_add" else (name, IndexError)
        raise kind(
            f"{shown}(): Number of indices ({i.size}) should be equal to source.size(dim): ({source._array.shape[axis]}), for "
            f"dim: {axis}"
        )
    bad = i[(i < -size) | (i >= size)]
    if bad.size:
        raise IndexError(f"index out of range in self: index {bad.flat[0]} for dimension {axis} with size {size}")


@public(inplace=True)
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """A copy with slices of ``source`` added at the places along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"index_add_(): self ({views.type_word(input._array.dtype)}) and source ({views.type_word(source._array.dtype)}) "
            "must have the same scalar type"
        )
    others = [one._array.shape[:axis] + one._array.shape[axis + 1 :] for one in (input, source) if one._array.ndim]
    if len(others) == 2 and others[0] != others[1]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input._array.shape)} source.shape = {list(source._array.shape)}"
        )
    _check_vector_index("index_add", input, axis, index, source)
    return ops.index_add(input, source, index, axis, alpha)


@public(inplace=True)
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """A copy with slices of ``source`` at the places along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{views.type_word(input._array.dtype)} and (source) {views.type_word(source._array.dtype)}"
        )
    _check_vector_index("index_copy", input, axis, index, source)
    return ops.index_copy(input, source, index, axis)


@public(inplace=True)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy with one value in the slices along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    if not isinstance(value, dispatch.Tensor_):
        value = dispatch.new_tensor(dispatch.number_array(value, input._array.dtype))
    elif value._array.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} dimension(s)."
        )
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    _check_vector_index("index_fill", input, axis, index, None)
    return ops.index_fill(input, value, index, axis)


@public(inplace=True)
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """As :func:`index_add`, with prod, mean, amax or amin instead of the sum."""
    axis = axis_of(dim, input._array.ndim)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError("index_reduce(): Expected self and source to have the same dtype")
    _check_vector_index("index_reduce", input, axis, index, source)
    return ops.index_reduce(input, source, index, axis, reduce, include_self)


@public()
def take(input: Any, index: Any) -> Any:
    """Elements of the flattened tensor."""
    i, size = index._array, input._array.size
    if i.dtype != np.int64:
        raise RuntimeError("take(): Expected a long tensor for index, but got " + views.type_word(i.dtype))
    if not size and i.size:
        raise IndexError("take(): tried to take from an empty tensor")
    bad = i[(i < -size) | (i >= size)]
    if bad.size:
        raise IndexError(f"out of range: tried to access index {bad.flat[0]} on a tensor of {size} elements.")
    return ops.take(input, index)


@public(inplace=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """A copy with elements of ``source`` at places of the flattened tensor."""
    if source._array.size != index._array.size:
        raise RuntimeError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {input.dtype} and source.dtype = "
            f"{source.dtype}"
        )
    return ops.put(input, source, index, bool(accumulate))


@public()
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """As :func:`gather`, with broadcasting; over the flattened tensor without ``dim``."""
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {views.type_word(indices._array.dtype)}"
        )
    if dim is None:
        return gather(input.reshape(-1), 0, _from_the_end(indices, input._array.size).reshape(-1))
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    axis = axis_of(dim, input._array.ndim)
    lead = [size for place, size in enumerate(input._array.shape) if place != axis]
    other = [size for place, size in enumerate(indices._array.shape) if place != axis]
    common = list(np.broadcast_shapes(tuple(lead), tuple(other)))
    x_shape, i_shape = list(common), list(common)
    x_shape.insert(axis, input._array.shape[axis])
    i_shape.insert(axis, indices._array.shape[axis])
    indices = _from_the_end(indices, input._array.shape[axis])
    return gather(input.expand(x_shape), axis, indices.expand(i_shape))


def _from_the_end(indices: Any, size: int) -> Any:
    """Negative indices count from the end."""
    array = indices._array
    return dispatch.new_tensor(np.where(array < 0, array + size, array)) if (array < 0).any() else indices
