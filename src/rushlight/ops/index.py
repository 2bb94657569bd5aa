"""Picking elements by index, reading and writing.

``x[...]`` goes through PyTorch's steps: integers, slices, None and ``...`` become views one after another (``select``, ``slice``,
``unsqueeze``); index arrays and masks that remain are one op at the end (``index``). Writing takes the same view and copies
into it, or ``index_put``s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import modes, views
from ..backend import index as k
from . import dispatch
from .public import alias, axis_of, methods, module, ops, public
from .shape import expand
from .table import op

op("index", k.index, inputs="*indices", kind="linear",
   x=lambda g, xp, indices, x_shape: xp.index_adjoint(g, indices, x_shape))  # fmt: skip
op("index_adjoint", k.index_adjoint, inputs="*indices", node="IndexBackwardBackward0", kind="linear",
   g=lambda g, xp, indices: xp.index(g, indices))  # fmt: skip
op("index_put", k.index_put, inputs="*indices", kind="linear",
   x=lambda g, xp, indices, accumulate, values_shape, values_dtype: g if accumulate else xp.index_put(
       g, xp.full_like_shape(g, values_shape), indices, False),
   values=lambda g, xp, indices: xp.index(g, indices))  # fmt: skip
op("full_like_shape", lambda x, shape: np.zeros(shape, x.dtype), inputs="x")
op("gather", k.gather, inputs="index", kind="linear",
   # As in PyTorch the input is kept, although its shape would do: that it was changed since is an error there.
   x=lambda g, xp, x, index, axis: xp.gather_adjoint(g, index, tuple(x.shape), axis))  # fmt: skip
op("gather_adjoint", k.gather_adjoint, inputs="index", node="GatherBackwardBackward0", kind="linear",
   g=lambda g, xp, index, axis: xp.gather(g, index, axis))  # fmt: skip
op("scatter", k.scatter, inputs="index", kind="linear",
   x=lambda g, xp, index, axis, src_shape: xp.scatter(g, xp.full_like_shape(g, index.shape), index, axis),
   src=lambda g, xp, index, axis, src_shape: _padded(xp.gather(g, index, axis), xp, src_shape))  # fmt: skip
op("scatter_value", lambda x, index, axis, value: k.scatter(x, np.full(index.shape, value, x.dtype), index, axis),
   inputs="index", node="ScatterBackward1",
   x=lambda g, xp, index, axis: xp.scatter(g, xp.full_like_shape(g, index.shape), index, axis))  # fmt: skip
op("scatter_add", k.scatter_add, inputs="index", kind="linear", x=lambda g: g,
   src=lambda g, xp, index, axis, src_shape: _padded(xp.gather(g, index, axis), xp, src_shape))  # fmt: skip
op("scatter_reduce", k.scatter_reduce, inputs="index",
   x=lambda g, xp, x, src, index, axis, reduce, include_self, out: _scatter_reduce_x(
       g, xp, x, src, index, axis, reduce, include_self, out),
   src=lambda g, xp, x, src, index, axis, reduce, include_self, out: _scatter_reduce_src(
       g, xp, x, src, index, axis, reduce, include_self, out))  # fmt: skip
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
op("masked_select", k.masked_select, inputs="mask", kind="linear",
   x=lambda g, xp, x_shape, mask: xp.masked_select_adjoint(g, mask, x_shape))  # fmt: skip
op("masked_select_adjoint", k.masked_select_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask: xp.masked_select(g, mask))  # fmt: skip
op("masked_scatter", k.masked_scatter, inputs="mask", kind="linear",
   x=lambda g, xp, mask: xp.masked_scatter(g, xp.full_like_shape(g, g.shape), mask),
   source=lambda g, xp, mask, source_shape: xp.masked_scatter_adjoint(g, mask, source_shape))  # fmt: skip
op("masked_scatter_adjoint", k.masked_scatter_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask, g_shape: xp.masked_scatter(xp.full_like_shape(g, g_shape), g, mask))  # fmt: skip
op("index_reduce", k.index_reduce, inputs="index",
   x=lambda g, xp, x, src, index, axis, reduce, include_self, out: _scatter_reduce_x(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out),
   src=lambda g, xp, x, src, index, axis, reduce, include_self, out: _scatter_reduce_src(
       g, xp, x, src, _wide(xp, index, src, axis), axis, reduce, include_self, out))  # fmt: skip


def _padded(g: Any, xp: Any, shape: tuple[int, ...]) -> Any:
    """Zeros behind what was gathered, where src was larger than the index."""
    for axis, size in enumerate(shape):
        if g.shape[axis] != size:
            g = xp.embed_slice(g, (*g.shape[:axis], size, *g.shape[axis + 1 :]), axis, 0, g.shape[axis], 1)
    return g


def _wide(xp: Any, index: Any, src: Any, axis: int) -> Any:
    shape = [1] * len(src.shape)
    if shape:
        shape[axis] = -1
    return xp.expand(index.reshape(tuple(shape)), tuple(src.shape))


def _ones_at(g: Any, xp: Any, x: Any, index: Any, axis: int, include_self: bool) -> Any:
    """How many values met at each place."""
    one = xp.full_like_shape(x, tuple(index.shape)) + 1
    base = xp.full_like_shape(x, tuple(x.shape))
    if include_self:
        return xp.scatter_add(base + 1, one, index, axis)
    count = xp.scatter_add(base, one, index, axis)
    return count + (count == 0)


def _scatter_reduce_x(
    g: Any, xp: Any, x: Any, src: Any, index: Any, axis: int, reduce: str, include_self: bool, out: Any
) -> Any:
    if reduce in ("amax", "amin"):
        equal_x, equal_src = x == out, src_equal(xp, src, out, index, axis)
        ties = xp.scatter_add(equal_x * 1.0 + 0 * x if include_self else 0 * x, equal_src + 0 * src, index, axis)
        grad = g / xp.where(ties == 0, ties + 1, ties) * equal_x
    elif reduce == "prod":
        masked = xp.where(x == 0, x * 0 + 1, x)
        grad = g * xp.where(x == 0, xp.scatter_reduce(masked, src, index, axis, "prod", True), out) / masked
    elif reduce == "mean":
        grad = g / _ones_at(g, xp, x, index, axis, include_self)
    else:
        grad = g
    if include_self:
        return grad
    return xp.scatter(grad, xp.full_like_shape(g, tuple(index.shape)), index, axis)


def src_equal(xp: Any, src: Any, out: Any, index: Any, axis: int) -> Any:
    """Where a value of src is the one that was kept."""
    return xp.gather(out, index, axis) == _cut(xp, src, tuple(index.shape))


def _cut(xp: Any, src: Any, shape: tuple[int, ...]) -> Any:
    for axis, size in enumerate(shape):
        if src.shape[axis] != size:
            src = xp.slice(src, axis, 0, size, 1)
    return src


def _scatter_reduce_src(
    g: Any, xp: Any, x: Any, src: Any, index: Any, axis: int, reduce: str, include_self: bool, out: Any
) -> Any:
    part = _cut(xp, src, tuple(index.shape))
    if reduce in ("amax", "amin"):
        equal_x, equal_src = x == out, src_equal(xp, src, out, index, axis)
        ties = xp.scatter_add(equal_x * 1.0 + 0 * x if include_self else 0 * x, equal_src + 0 * part, index, axis)
        grad = xp.gather(g / xp.where(ties == 0, ties + 1, ties), index, axis) * equal_src
    elif reduce == "prod":
        zero = part == 0
        zeros = xp.gather(xp.scatter_add(x * 0, zero + 0 * part, index, axis), index, axis)
        masked = xp.where(zero, part * 0 + 1, part)
        start = x if include_self else x * 0 + 1
        without = xp.scatter_reduce(start, masked, index, axis, "prod", True)
        single = xp.where((zeros == 1) & zero, xp.gather(without, index, axis), part * 0)
        plain = xp.gather(out, index, axis) / masked
        grad = xp.gather(g, index, axis) * xp.where(zero, single, plain)
    elif reduce == "mean":
        grad = xp.gather(g / _ones_at(g, xp, x, index, axis, include_self), index, axis)
    else:
        grad = xp.gather(g, index, axis)
    return _padded(grad, xp, tuple(src.shape))


# x[...] and x[...] = value.


def _getitem(self: Any, key: Any) -> Any:
    kind = key.__class__
    if kind is int:
        shape = self._array.shape
        if not shape:
            raise IndexError(_ZERO_DIM)
        size = shape[0]
        if not -size <= key < size:
            raise IndexError(f"index {key} is out of bounds for dimension 0 with size {size}")
        return ops.select(self, 0, key if key >= 0 else key + size)
    if key is Ellipsis:
        return ops.alias(self)
    if kind is slice:
        if not self._array.ndim:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        return _sliced(self, 0, key, True)
    view, indices = _walk(self, key)
    if indices:
        return ops.index(view, indices)
    return ops.alias(view) if view is self else view


_ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to "
    "a number"
)


def _walk(self: Any, key: Any) -> tuple[Any, list[Any]]:
    """The view that the basic parts of an index give, and the index tensors that are left, None for whole dimensions."""
    if not isinstance(key, tuple):
        key = _as_tuple(key)
    items = [_item(one) for one in key]
    used = 0
    for one in items:
        if one is None or one is Ellipsis or isinstance(one, (bool, np.bool_)):
            continue
        used += one._array.ndim if _is_mask(one) else 1
    ndim = self._array.ndim
    if used > ndim:
        if not ndim and len(items) == 1 and isinstance(items[0], int):
            raise IndexError(_ZERO_DIM)
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, axis = self, 0
    indices: dict[int, Any] = {}
    for position, one in enumerate(items):
        if one is None:
            view = ops.expand_dims(view, axis)
            axis += 1
        elif one is Ellipsis:
            rest = sum(
                0 if other is None or other is Ellipsis or isinstance(other, (bool, np.bool_))
                else other._array.ndim if _is_mask(other) else 1
                for other in items[position + 1 :]
            )  # fmt: skip
            axis = view._array.ndim - rest
        elif isinstance(one, (bool, np.bool_)):
            view = ops.expand_dims(view, axis)
            indices[axis] = dispatch.new_tensor(np.zeros(1 if one else 0, np.int64))
            axis += 1
        elif isinstance(one, slice):
            view = _sliced(view, axis, one, False)
            axis += 1
        elif isinstance(one, int):
            size = view._array.shape[axis]
            if not -size <= one < size:
                raise IndexError(f"index {one} is out of bounds for dimension {position} with size {size}")
            view = ops.select(view, axis, one if one >= 0 else one + size)
        elif _is_mask(one):
            mask = one._array.astype(bool, copy=False)
            _check_mask(mask.shape, view._array.shape, axis)
            if not mask.ndim:
                view = ops.expand_dims(view, axis)
                indices[axis] = dispatch.new_tensor(np.zeros(1 if mask else 0, np.int64))
                axis += 1
            else:
                for found in np.nonzero(mask):
                    indices[axis] = dispatch.new_tensor(found)
                    axis += 1
        else:
            indices[axis] = one if one._array.dtype.kind == "i" else dispatch.new_tensor(one._array.astype(np.int64))
            axis += 1
    if not indices:
        return view, []
    return view, [indices.get(place) for place in range(max(indices) + 1)]


def _as_tuple(key: Any) -> tuple[Any, ...]:
    # A list that holds slices, None, ... , lists or tensors is read as a tuple, as older NumPy did.
    if isinstance(key, list) and any(
        one is None or one is Ellipsis or isinstance(one, (slice, list, tuple, dispatch.Tensor_)) for one in key
    ):
        return tuple(key)
    return (key,)


def _item(one: Any) -> Any:
    """One part of an index as int, slice, None, Ellipsis, bool or a Tensor."""
    if one is None or one is Ellipsis or isinstance(one, (slice, bool, int)):
        return one
    if isinstance(one, dispatch.Tensor_):
        array = one._array
        if array.dtype.kind in "iu" and array.dtype.itemsize and not array.ndim and array.dtype != np.uint8:
            return int(array)
        if array.dtype.kind not in "iub" or array.dtype in (np.uint16, np.uint32, np.uint64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return one
    if isinstance(one, (np.ndarray, list, tuple, range)):
        array = np.asarray(one)
        if not array.size and array.dtype.kind == "f" and not isinstance(one, np.ndarray):
            array = array.astype(np.int64)
        if array.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return dispatch.new_tensor(array)
    if isinstance(one, str):
        raise TypeError("new(): invalid data type 'str'")
    if hasattr(one, "__index__"):
        return int(one)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{type(one).__name__})"
    )


def _is_mask(one: Any) -> bool:
    return isinstance(one, dispatch.Tensor_) and (one._array.dtype.kind == "b" or one._array.dtype == np.uint8)


def _check_mask(mask: tuple[int, ...], shape: tuple[int, ...], axis: int) -> None:
    for place, size in enumerate(mask):
        if shape[axis + place] != size:
            raise IndexError(
                f"The shape of the mask {list(mask)} at index {place} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {axis + place}"
            )


def _sliced(view: Any, axis: int, one: slice, always: bool) -> Any:
    """A slice along an axis; a tensor that is all of it stays what it is, unless a view is wanted ``always``."""
    size = view._array.shape[axis]
    step = 1 if one.step is None else int(one.step)
    if step <= 0:
        raise ValueError("slice step cannot be zero" if step == 0 else "step must be greater than zero")
    start = None if one.start is None else int(one.start)
    stop = None if one.stop is None else int(one.stop)
    first, last, _ = slice(start, stop).indices(size)
    if not always and not start and last == size and step == 1:
        return view
    return ops.slice(view, axis, first, max(first, last), step)


def _setitem(self: Any, key: Any, value: Any) -> None:
    if not isinstance(value, (dispatch.Tensor_, *dispatch.NUMBERS)):
        if isinstance(value, np.ndarray):
            value = dispatch.new_tensor(value)
        else:
            raise TypeError(f"can't assign a {type(value).__name__} to a {self.type()}")
    if isinstance(value, complex) and self._array.dtype.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {self.dtype.c_name} without overflow")
    if isinstance(key, bool):
        view = ops.expand_dims(self, 0) if key else None
        indices: list[Any] = []
        if view is None:
            return
    else:
        view, indices = _walk(self, key)
    if indices:
        _put(view, indices, value)
        return
    if not isinstance(value, dispatch.Tensor_):
        if not (view._needs_grad and modes.state.grad_enabled):
            if not view._array.flags.c_contiguous:
                views.check_writable(view)
                views.check_memory(view)
            view.fill_(value)
            return
        value = dispatch.new_tensor(dispatch.number_array(value, view._array.dtype))
    if value._array.shape == view._array.shape:
        view.copy_(value)
    elif not value._array.ndim:
        view.fill_(value)
    else:
        value = _without_leading_ones(value, view._array.ndim)
        if value._array.shape != view._array.shape:
            expand(value.detach(), view._array.shape)  # for its error
        view.copy_(value)


def _without_leading_ones(value: Any, ndim: int) -> Any:
    shape = value._array.shape
    lead = 0
    while len(shape) - lead > ndim and shape[lead] == 1:
        lead += 1
    return (
        value.view(shape[lead:]) if lead and value._array.flags.c_contiguous else value.reshape(shape[lead:]) if lead else value
    )


def _put(view: Any, indices: list[Any], value: Any) -> None:
    array = view._array
    if not isinstance(value, dispatch.Tensor_):
        value = dispatch.new_tensor(dispatch.number_array(value, array.dtype))
    view.index_put_(tuple(indices), _without_leading_ones(value, _result_ndim(array, indices)))


def _result_ndim(array: Any, indices: Sequence[Any]) -> int:
    arrays = [one._array for one in indices if one is not None]
    return int(array.ndim) - len(arrays) + max(one.ndim for one in arrays)


methods["__getitem__"] = _getitem
methods["__setitem__"] = _setitem


# The functions.


def _index_list(indices: Any, shape: tuple[int, ...]) -> list[Any]:
    """Index tensors with masks taken apart."""
    result: list[Any] = []
    for one in indices:
        if one is not None and _is_mask(one):
            _check_mask(one._array.shape, shape, len(result))
            result.extend(dispatch.new_tensor(found) for found in np.nonzero(one._array))
        else:
            result.append(one)
    return result


@public(inplace=True)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with ``values`` at the places that a tuple of index tensors names; added there with ``accumulate``."""
    array = input._array
    if values._array.dtype != array.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {views.type_word(array.dtype)} for the "
            f"destination and {views.type_word(values._array.dtype)} for the source."
        )
    places = _index_list(indices, array.shape)
    shape = k.index(array, [None if one is None else one._array for one in places]).shape
    try:
        fits = np.broadcast_shapes(values._array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values._array.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        )
    return ops.index_put(input, values, places, bool(accumulate))


alias("_unsafe_index_put", "index_put")


def _check_index(name: str, index: Any) -> None:
    if index._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _check_scatter(name: str, input: Any, index: Any, axis: int, src: Any = None) -> None:
    _check_index(name, index)
    x, i = input._array, index._array
    if i.size == 0:
        return
    if max(i.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and max(src._array.ndim, 1) != max(i.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for place in range(i.ndim):
        too_large = i.shape[place] > x.shape[place] and place != axis if x.ndim else False
        if too_large or (src is not None and src._array.ndim and i.shape[place] > src._array.shape[place]):
            expected = f"Expected index {list(i.shape)} to be no larger than self {list(x.shape)} apart from dimension {axis}"
            if src is not None:
                expected += f" and to be no larger size than src {list(src._array.shape)}"
            raise RuntimeError(expected)
    _check_bounds(i, x.shape[axis] if x.ndim else 1, axis)


def _check_bounds(i: Any, size: int, axis: int) -> None:
    bad = i[(i < 0) | (i >= size)]
    if bad.size:
        raise RuntimeError(f"index {bad.flat[0]} is out of bounds for dimension {axis} with size {size}")


@public()
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """For each place of ``index`` the element of ``input`` that it names along ``dim``.

    >>> import rushlight as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    axis = axis_of(dim, input._array.ndim)
    x, i = input._array, index._array
    if i.size:
        _check_index("gather", index)
        if max(i.ndim, 1) != max(x.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        for place in range(i.ndim):
            if x.ndim and place != axis and i.shape[place] > x.shape[place]:
                raise RuntimeError(
                    f"Size does not match at dimension {place} expected index {list(i.shape)} to be no larger than self "
                    f"{list(x.shape)} apart from dimension {axis}"
                )
        _check_bounds(i, x.shape[axis] if x.ndim else 1, axis)
    return ops.gather(input, index, axis)


@public(inplace=True)
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """A copy with elements of ``src`` (or one value) put where ``index`` says along ``dim``."""
    axis = axis_of(dim, input._array.ndim)
    if src is None or not isinstance(src, dispatch.Tensor_):
        number = value if src is None else src
        _check_scatter("scatter", input, index, axis)
        if reduce is not None:
            src = dispatch.new_tensor(np.full(index._array.shape, number, input._array.dtype))
        else:
            return ops.scatter_value(input, index, axis, number)
    else:
        _check_scatter("scatter", input, index, axis, src)
    if src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        name = "sum" if reduce == "add" else "prod"
        return ops.scatter_reduce(input, src, index, axis, name, True)
    return ops.scatter(input, src, index, axis)


@public(inplace=True)
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy with elements of ``src`` added where ``index`` says along ``dim``."""
    axis = axis_of(dim, input._array.ndim)
    _check_scatter("scatter_add", input, index, axis, src)
    if src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index._array.size:
        return input.clone()
    return ops.scatter_add(input, src, index, axis)


@public(inplace=True)
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """A copy in which elements of ``src`` meet by sum, prod, mean, amax or amin where ``index`` says."""
    axis = axis_of(dim, input._array.ndim)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    _check_scatter("scatter_reduce", input, index, axis, src)
    if src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return ops.scatter_reduce(input, src, index, axis, reduce, include_self)


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


@public()
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where a mask is true, as a vector."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    error = dispatch.broadcast_error([input._array.shape, mask._array.shape])
    if error is not None:
        raise error
    return ops.masked_select(input, mask)


@public(inplace=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy with elements of ``source``, in order, where a mask is true."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter_: expected self and source to have same dtypes but got "
            f"{views.type_word(input._array.dtype)} and {views.type_word(source._array.dtype)}"
        )
    return ops.masked_scatter(input, source, mask)


@public(out=True)
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Where elements are not zero: one row of indices each, or a tuple of vectors."""
    found = np.nonzero(input._array) if input._array.ndim else np.nonzero(input._array.reshape(1))
    if as_tuple:
        return tuple(dispatch.new_tensor(one) for one in found)
    if not input._array.ndim:
        return dispatch.new_tensor(np.empty((len(found[0]), 0), np.int64))
    return dispatch.new_tensor(np.stack(found, 1) if found else np.empty((0, 0), np.int64))


@public(out=False)
def argwhere(input: Any) -> Any:
    """Where elements are not zero, one row of indices each."""
    return nonzero(input)


@public(method=False, out=False)
def unravel_index(indices: Any, shape: Any) -> Any:
    """Flat indices as a tuple of indices for each dimension."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (int(shape),)
    found = np.unravel_index(indices._array, sizes)
    return tuple(dispatch.new_tensor(np.asarray(one)) for one in found)


module("torch")["_index_put_impl_"] = methods["index_put_"]
