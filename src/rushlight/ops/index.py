"""Ops that read and write slices by a vector of indices, and elements by their indices in the flattened tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.rule_errors import broadcast_error
from ..backend import index as k
from ..backend.checked_convert import checked_number
from ..backend.flat_indices import check
from ..backend.strided import as_strided
from ..base import dtypes
from ..tensor import Tensor, new_tensor
from . import promotion
from .inplace import record_as
from .operands import batches_of, of_several, refuse_history
from .public import alert_not_deterministic, axis_of, module, ops, public, warn
from .rule_functions import by_number
from .scatter import gather, scatter_reduce_src, scatter_reduce_x
from .table import op

op("index_select", k.index_select, inputs="index", kind="linear",
   x=lambda g, xp, x_shape, index, axis: xp.index_select_adjoint(g, index, x_shape, axis))  # fmt: skip
op("index_select_adjoint", k.index_select_adjoint, inputs="index", node="IndexSelectBackwardBackward0", kind="linear",
   g=lambda g, xp, index, axis: xp.index_select(g, index, axis))  # fmt: skip
# Of many inputs here the shape would do, but as in PyTorch a write into them is an error.
op("index_add", k.index_add, inputs="index", kind="linear", x=lambda g: g,
   src=lambda g, xp, src, index, axis, alpha: by_number(xp.index_select(g, index, axis), alpha).reshape(src.shape))  # fmt: skip
op("index_copy", k.index_copy, inputs="index", kind="linear",
   x=lambda g, xp, index, axis, src_shape: xp.index_copy(g, xp.full_like_shape(g, src_shape), index, axis),
   src=lambda g, xp, src, index, axis: xp.index_select(g, index, axis).reshape(src.shape))  # fmt: skip
op("distinct", lambda index: np.unique(index), inputs="index")
op("index_fill", k.index_fill, inputs="index", kind="linear",
   x=lambda g, xp, index, axis: xp.index_fill(g, xp.full_like_shape(g, ()), index, axis),
   value=lambda g, xp, index, axis: xp.sum(
       xp.index_select(g, xp.distinct(index), axis), tuple(range(len(g.shape))), False))  # fmt: skip
op("take", k.take, inputs="index", kind="linear", x=lambda g, xp, x, index: xp.take_adjoint(g, index, x.shape))
op("take_adjoint", k.take_adjoint, inputs="index", kind="linear", g=lambda g, xp, index: xp.take(g, index))
op("put", k.put, inputs="index", kind="linear",
   x=lambda g, xp, index, accumulate: g if accumulate else xp.put(g, xp.full_like_shape(g, index.shape), index, False),
   src=lambda g, xp, src, index: xp.take(g, index).reshape(src.shape))  # fmt: skip
op("index_reduce", k.index_reduce, inputs="index",
   x=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_x(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out),
   src=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_src(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out, True))  # fmt: skip


def _wide(xp: Any, index: Any, src: Any, axis: int) -> Any:
    shape = [1] * len(src.shape)
    if shape:
        shape[axis] = -1
    return xp.expand(index.reshape(tuple(shape)), tuple(src.shape))


@public()
def index_select(input: Any, dim: int, index: Any) -> Tensor:
    """The slices along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    i = index._array
    if i.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input._array.ndim and i.size != 1 and not of_several(input):
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {i.size} value(s)")
    if i.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size, several = _size(input, axis), input._array.ndim > 1
    if input._of_batch:  # the routine for batches is another one
        check(i, 0, size, lambda i: RuntimeError(f"index {i} is out of bounds for dimension {axis + 1} with size {size}"))
        return ops.index_select(input if input._array.ndim or i.size == 1 else ops.expand_dims(input, 0), index, axis)
    if several and not size and i.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    check(
        i, 0, size,
        lambda i: RuntimeError(f"INDICES element is out of DATA bounds, id={i} axis_dim={size}")
        if axis == 1 or (several and not input._array.size) else IndexError("index out of range in self"),
    )  # fmt: skip
    return ops.index_select(input, index, axis)


def _size(input: Any, axis: int) -> int:
    return int(input._array.shape[axis]) if input._array.ndim else 1


def _check_rows(name: str, input: Any, axis: int, index: Any, source: Any) -> None:
    """The errors that index_add and index_reduce share."""
    x, i, rows = input._array, index._array, source._array
    if i.ndim > 1:
        raise IndexError(
            f"{name}_(): Index is supposed to be a vector, but got dim: {i.ndim} with type: {dtypes.of(i.dtype).scalar_name} and "
            f"size: {list(i.shape)}"
        )
    if i.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}_(): Expected dtype int32/int64 for index but got: {dtypes.of(i.dtype).scalar_name}")
    if rows.dtype != x.dtype:
        raise RuntimeError(
            f"{name}_(): self ({dtypes.of(x.dtype).scalar_name}) and source ({dtypes.of(rows.dtype).scalar_name}) must have the same scalar "
            "type"
        )
    if axis >= max(rows.ndim, 1):
        raise RuntimeError(f"{name}_(): Indexing dim {axis} is out of bounds of the source tensor with dim {rows.ndim}")
    have = rows.shape[axis] if rows.ndim else 1
    if i.size != have and not rows.ndim:
        raise IndexError(f"Dimension specified as {axis} but tensor has no dimensions")
    if i.size != have:
        place = axis if index._of_batch else axis + max(batches_of(input), batches_of(source))
        raise RuntimeError(
            f"{name}_(): Number of indices ({i.size}) should be equal to source.size(dim): ({have}), for dim: {place}"
        )
    if x.ndim != rows.ndim or x.shape[:axis] + x.shape[axis + 1 :] != rows.shape[:axis] + rows.shape[axis + 1 :]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(x.shape)} source.shape = {list(rows.shape)}"
        )


@public(inplace=True)
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    """A copy with slices of ``source`` added at the indices along ``dim`` that a vector of indices names."""
    axis = axis_of(dim, input._array.ndim)
    _check_rows("index_add", input, axis, index, source)
    size, several = _size(input, axis), input._array.ndim > 1 or input._of_batch

    def beyond(place: int) -> Exception:
        if several:
            return RuntimeError(f"index {place} is out of bounds for dimension {axis} with size {size}")
        return IndexError("index out of range in self")

    check(index._array, 0, size, beyond)
    return ops.index_add(input, source, index, axis, checked_number(alpha, input._array))


@public(inplace=True)
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Tensor:
    """A copy with slices of ``source`` at the indices along ``dim`` that a vector of indices names.

    IndexError for indices that are not there (they do not count from the end) and for the wrong number of them,
    RuntimeError for slices of another shape or dtype.

    >>> import rushlight as torch
    >>> torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    axis = axis_of(dim, input._array.ndim)
    x, i, slices = input._array, index._array, source._array
    if input._of_batch or index._of_batch or source._of_batch:
        return _scattered(input, axis, index, source)
    if i.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {i.ndim})")
    if not slices.ndim and i.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {i.size})")
    if slices.ndim != x.ndim and slices.ndim and x.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality "
            f"({slices.ndim}), destination dimensionality ({x.ndim})"
        )
    if i.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {dtypes.of(i.dtype).scalar_name}")
    if slices.dtype != x.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{dtypes.of(x.dtype).scalar_name} and (source) {dtypes.of(slices.dtype).scalar_name}"
        )
    here, there = (one.shape[:axis] + one.shape[axis + 1 :] for one in (x, slices))
    if here != there:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, here))} at dimension {axis} and source slice shape: {' '.join(map(str, there))} at dimension 0."
        )
    if slices.ndim and i.size != slices.shape[axis]:
        raise IndexError(
            f"index_copy_(): Number of indices ({i.size}) should be equal to source.size(dim) ({slices.shape[axis]})"
        )
    size = _size(input, axis)
    check(i, 0, size, lambda i: IndexError(f"index_copy_(): index {i} is out of bounds for dimension {axis} with size {size}"))
    return ops.index_copy(input, source, index, axis)


def _scattered(input: Tensor, axis: int, index: Tensor, source: Tensor) -> Tensor:
    """What vmap makes of :func:`index_copy`, which has more to copy from than there are indices, and other errors."""
    shape = list(input._array.shape)
    if shape and index._array.ndim:
        apart = [1] * len(shape)
        apart[axis] = shape[axis] = index._array.shape[0]
        index = index.view(apart)
    if shape:
        index = index.expand(shape)
    elif index._array.size == 1:
        index = index.view(())
    return module("torch")["scatter"](input, axis, index, source)  # type: ignore[no-any-return]


def _places_to_fill(input: Any, axis: int, count: int) -> tuple[int, ...]:
    """The shape of what is filled; where it has no elements, no index is looked at."""
    shape = list(input._array.shape)
    shape[axis : axis + 1] = [count] * min(len(shape), 1)
    return tuple(shape)


def _index_filled(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """What ``index_fill_`` writes."""
    is_tensor = isinstance(value, Tensor)
    if is_tensor and value._array.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} dimension(s)."
        )
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if input._array.dtype.kind != "c" and (value._array.dtype.kind == "c" if is_tensor else isinstance(value, complex)):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    axis = axis_of(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if not is_tensor:
        value = new_tensor(promotion.number_array(checked_number(value, input._array), input._array.dtype))
    elif value._array.dtype != input._array.dtype and not value._of_batch:
        checked_number(value._array.item(), input._array)
    size = _size(input, axis)
    places = _places_to_fill(input, axis, index._array.size)
    if not size and 0 not in places:
        steps = list(input.stride())
        steps[axis] = 0
        as_strided(input._array, places, tuple(steps), input.storage_offset())  # too little memory is told of first
    if 0 not in places:
        check(
            index._array, -size, size, lambda i: IndexError(f"index {i} is out of bounds for dimension {axis} with size {size}")
        )
    result = ops.index_fill(input, value, index, axis)
    if is_tensor and result._edge is not None:
        record_as(result._edge[0], "IndexFillBackward1")
    return result


@public(inplace=_index_filled)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Tensor:
    """A copy with one value in the slices along ``dim`` that a vector of indices names."""
    filled = _index_filled(input, dim, index, value)
    refuse_history(input.dtype, filled)
    return filled


def _refuse_reduction(input: Any, index: Any, reduce: str, include_self: bool) -> None:
    """What index_reduce does not do with bool and complex tensors: PyTorch's kernel in whose name it fails differs by case."""
    boolean = input._array.dtype.kind == "b"
    if not include_self:
        kernel = "index_reduce_func_exclude_input_init"
    elif input._array.ndim < 2:
        kernel = "index_func_"
    elif not index._array.size:
        return
    elif boolean and reduce == "mean":
        kernel = "div_floor_cpu"
    elif not boolean and reduce in ("amax", "amin"):
        kernel = "maximum_cpu" if reduce == "amax" else "minimum_cpu"
    else:
        return
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.scalar_name}'")


@public(inplace=True)
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """As :func:`index_add`, with prod, mean, amax or amin instead of the sum."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    axis = axis_of(dim, input._array.ndim)
    _check_rows("index_reduce", input, axis, index, source)
    warn("index_reduce() is in beta and the API may change at any time.", once=True)
    if input._array.dtype.kind in "bc":
        _refuse_reduction(input, index, reduce, include_self)
    check(index._array, 0, _size(input, axis), lambda i: IndexError("index out of range in self"))
    return ops.index_reduce(input, source, index, axis, reduce, include_self)


@public()
def take(input: Any, index: Any) -> Tensor:
    """Elements of the flattened tensor."""
    i, size = index._array, input._array.size
    if i.dtype != np.int64:
        raise RuntimeError("take(): Expected a long tensor for index, but got " + dtypes.of(i.dtype).scalar_name)
    if not size and i.size:
        raise IndexError("take(): tried to take from an empty tensor")
    check(i, -size, size, lambda i: IndexError(f"out of range: tried to access index {i} on a tensor of {size} elements."))
    return ops.take(input, index)


@public(inplace=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """A copy with elements of ``source`` at indices of the flattened tensor."""
    if not accumulate:
        alert_not_deterministic("put_")
    x, i, values = input._array, index._array, source._array
    if i.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {dtypes.of(i.dtype).scalar_name}")
    if values.dtype != x.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {dtypes.of(x.dtype).scalar_name} and "
            f"source.dtype = {dtypes.of(values.dtype).scalar_name}"
        )
    if values.size != i.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{values.size}, index.numel() = {i.size}"
        )
    if not x.size and i.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check(
        i, -x.size, x.size,
        lambda i: IndexError(f"out of range: tried to access index {i} on a tensor of {x.size} elements."),
    )  # fmt: skip
    return ops.put(input, source, index, bool(accumulate))


@public()
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Tensor:
    """As :func:`gather`, with broadcasting; over the flattened tensor without ``dim``."""
    if indices._array.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.scalar_name}")
    if dim is None:
        return gather(input.view(-1), 0, _within(indices, input._array.size).view(-1))
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    wanted = (*input._array.shape[:axis], indices._array.shape[axis], *input._array.shape[axis + 1 :])
    mismatch = broadcast_error([wanted, indices._array.shape])
    if mismatch is not None:
        raise mismatch
    common = list(np.broadcast_shapes(wanted, indices._array.shape))
    indices = _within(indices, size).expand(common)
    return gather(input.expand([*common[:axis], size, *common[axis + 1 :]]), axis, indices)


def _within(indices: Any, size: int) -> Any:
    """Indices beyond either end go around."""
    return new_tensor(np.asarray(indices._array % size)) if size else indices
