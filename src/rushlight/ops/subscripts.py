"""``x[...]`` and ``x[...] = value``: elements by index, reading and writing.

An index goes through PyTorch's steps: integers, slices, None and ``...`` become views one by one (``select``, ``slice``,
``unsqueeze``); index arrays and masks are one op in the end (``index``). Writing copies into that view, or ``index_put``s.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..autograd import modes, overlaps, views
from ..backend import index as k
from ..backend.checked_convert import checked_element
from ..base.arguments import type_name
from ..kernels.half_precision import is_half
from ..tensor import Methods, Tensor, new_tensor
from . import promotion
from .inplace import count, in_graph, plain_write
from .operands import foreign_method, refuse_scalar, require_indices
from .public import alias, methods, module, ops, public, warn
from .shape import expand
from .table import op

op("index", k.index, inputs="*indices", kind="linear",
   x=lambda g, xp, indices, x_shape: xp.index_adjoint(g, indices, x_shape))  # fmt: skip
op("index_adjoint", k.index_adjoint, inputs="*indices", node="IndexPutImplBackward0", kind="linear",
   g=lambda g, xp, indices: xp.index(g, indices))  # fmt: skip
op("index_put", k.index_put, inputs="*indices", kind="linear",
   x=lambda g, xp, indices, accumulate, values_shape, values_dtype: g if accumulate else xp.index_put(
       g, xp.full_like_shape(g, values_shape), indices, False),
   values=lambda g, xp, indices: xp.index(g, indices))  # fmt: skip
op("full_like_shape", lambda x, shape: np.zeros(shape, x.dtype), inputs="x")


def _getitem(self: Any, key: Any, /) -> Any:
    kind = key.__class__
    if kind is int:
        shape = self._array.shape
        if not shape:
            raise _of_a_number(key, self)
        size = shape[0]
        if not -size <= key < size:
            raise _out_of_bounds(key, 0, size)
        return ops.select(self, 0, key if key >= 0 else key + size)
    if key is Ellipsis:
        return ops.alias(self)
    if key is None:
        return ops.expand_dims(self, 0)
    if kind is slice:
        if not self._array.ndim:
            raise _of_a_number(key, self)
        return _sliced(self, 0, key, True)
    if isinstance(key, Tensor) and key._array.ndim and key._array.dtype.char in _INDEX_TYPES and self._array.ndim:
        return ops.index(self, [key])
    if kind is not tuple and hasattr(kind, "__torch_function__") and not isinstance(key, Tensor):
        result = foreign_method("__getitem__", (self, key))
        if result is not NotImplemented:
            return result
    view, indices = _walk(self, key)
    if indices:
        return ops.index(
            view,
            indices
            if all(one is None or one._array.dtype.char in _INDEX_TYPES for one in indices)
            else _index_list(indices, view._array.shape),
        )
    return ops.alias(view) if view is self else view


_INDEX_TYPES = "ilq"  # the dtypes of indices by NumPy's characters: int32 and int64
_PLACES = _INDEX_TYPES + "?"
_NOT_INDICES = "tensors used as indices must be long, int, byte or bool tensors"
_ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to "
    "a number"
)


def _of_a_number(key: Any, self: Tensor) -> Exception:
    """The error for an integer or a slice of a tensor without dimensions."""
    if isinstance(key, slice):
        refuse_scalar(self, IndexError("slice() cannot be applied to a 0-dim tensor."))
    return _out_of_bounds(key, 0, 0) if key else IndexError(_ZERO_DIM)


def _out_of_bounds(index: int, dim: int, size: int) -> Exception:
    if not -(2**63) <= index < 2**63:
        return ValueError("Overflow when unpacking long long")
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def _walk(self: Any, key: Any) -> tuple[Any, list[Any]]:
    """The view that the basic parts of an index give; and the index tensors and masks left, None for whole dimensions, not looked at."""
    ndim = self._array.ndim
    if not isinstance(key, tuple):
        if isinstance(key, Tensor) and ndim and _is_whole_index(key._array, self._array.shape):
            return self, [key]
        if not ndim and key.__class__ in (int, slice):
            raise _of_a_number(key, self)
        key = _as_tuple(key)
    items = _items(key, ndim)
    view, axis = self, 0
    indices: dict[int, Any] = {}
    for position, one in enumerate(items):
        kind = one.__class__
        if kind is slice:
            view = _sliced(view, axis, one, False)
            axis += 1
        elif kind is int:
            size = view._array.shape[axis]
            if not -size <= one < size:
                raise _out_of_bounds(one, position, size)
            view = ops.select(view, axis, one if one >= 0 else one + size)
        elif one is None:
            view = ops.expand_dims(view, axis)
            axis += 1
        elif one is Ellipsis:
            axis = view._array.ndim - sum([_dimensions(other) for other in items[position + 1 :]])
        elif kind is bool:
            view = ops.expand_dims(view, axis)
            indices[axis] = new_tensor(np.zeros(1 if one else 0, np.int64))
            axis += 1
        elif isinstance(one, Exception):
            raise one
        elif _is_mask(one):
            if not one._array.ndim:
                view = ops.expand_dims(view, axis)
                indices[axis] = new_tensor(k.nonzero(one._array.reshape(1))[0])
                axis += 1
            else:
                indices[axis] = one
                axis += one._array.ndim
        else:
            indices[axis] = one
            axis += 1
    return view, _by_dimension(indices)


def _items(key: Any, ndim: int) -> list[Any]:
    """The parts of an index, arrays and sequences as tensors, and errors in place of what is no index, which come when it is met;
    IndexError where they are for more than ``ndim`` dimensions, which comes first."""
    items = []
    used = 0
    for one in key:
        if one.__class__ not in _AS_THEY_ARE:
            try:
                one = _item(one)
            except (IndexError, TypeError) as error:
                one = error
            used += 1 if isinstance(one, Exception) else _dimensions(one)
        elif one is not None and one is not Ellipsis:
            used += 1
        items.append(one)
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    return items


def _by_dimension(indices: dict[int, Any]) -> list[Any]:
    """Index tensors and masks in order of the dimensions that they begin at, with None for those before and between."""
    found: list[Any] = []
    axis = 0
    for place in sorted(indices):
        found += [None] * (place - axis)
        found.append(indices[place])
        axis = place + (indices[place]._array.ndim if _is_mask(indices[place]) else 1)
    return found


def _is_whole_index(array: Any, shape: tuple[int, ...]) -> bool:
    """Whether an array in place of an index is all of the index: positions of the first dimension, or a mask of everything."""
    if array.dtype.char in _INDEX_TYPES:
        return bool(array.ndim)
    return bool(array.dtype.kind == "b" and array.shape == shape)


_AS_THEY_ARE = frozenset((int, slice, type(None), type(Ellipsis)))


def _dimensions(one: Any) -> int:
    """How many dimensions a part of an index, as :func:`_item` gives it, is for."""
    if one is None or one is Ellipsis or one.__class__ is bool:
        return 0
    return int(one._array.ndim) if _is_mask(one) else 1


_READ_AS_TUPLE = 32  # a longer sequence is one index


def _is_sequence(one: object) -> bool:
    """Whether it is a sequence whose items are the index: a list, a pandas Series, ..."""
    return hasattr(one, "__getitem__") and hasattr(one, "__len__") and not isinstance(one, (dict, bytes, np.ndarray, Tensor))


_OF_TUPLES = (slice, type(None), type(Ellipsis), np.ndarray, Tensor)


def _as_tuple(key: Any) -> tuple[Any, ...]:
    # A short sequence that holds slices, None, ..., sequences or tensors is read as a tuple, as older NumPy did.
    if _is_sequence(key) and len(key) < _READ_AS_TUPLE and any(isinstance(one, _OF_TUPLES) or _is_sequence(one) for one in key):
        warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
            "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
            "which will result either in an error or a different result"
        )
        return tuple(key)
    return (key,)


def _item(one: Any) -> Any:
    """One part of an index as int, slice, None, Ellipsis, bool or a Tensor."""
    if one is None or one is Ellipsis or isinstance(one, (slice, bool)):
        return one
    if isinstance(one, Tensor):
        array = one._array
        if array.dtype.kind in "iu" and array.dtype.itemsize and not array.ndim and array.dtype != np.uint8:
            return int(array)
        return one
    if isinstance(one, (np.ndarray, list, tuple, range)):
        array = np.asarray(one)
        if array.dtype.kind == "U":
            raise TypeError("new(): invalid data type 'str'")
        if array.dtype.kind == "f" and not isinstance(one, np.ndarray):
            array = array.astype(np.int64)
        if array.dtype.kind not in "iub":
            raise IndexError(_NOT_INDICES)
        return new_tensor(array)
    if isinstance(one, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(one).__name__}'")
    if hasattr(one, "__index__"):
        return int(one)
    if _is_sequence(one):
        return _item(list(one))
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{type(one).__name__})"
    )


def _is_mask(one: Any) -> bool:
    return isinstance(one, Tensor) and (one._array.dtype.kind == "b" or one._array.dtype == np.uint8)


def _indices_of_mask(mask: Any) -> list[Any]:
    """Where a mask is true: an index tensor for each of its dimensions."""
    if mask._array.dtype.kind != "b":
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    return [new_tensor(found) for found in k.nonzero(mask._array)]


def _check_mask(mask: tuple[int, ...], shape: tuple[int, ...], axis: int) -> None:
    for place, size in enumerate(mask):
        if axis + place >= len(shape) or shape[axis + place] != size:
            raise IndexError(
                f"The shape of the mask {list(mask)} at index {place} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {axis + place}"
            )


def _sliced(view: Any, axis: int, one: slice, always: bool) -> Any:
    """A slice along an axis; a tensor that is all of it stays what it is, unless a view is wanted ``always``."""
    if not always and one.start is None and one.stop is None and one.step is None:
        return view
    size = view._array.shape[axis]
    first, last, step = one.indices(size)
    if step < 0:
        raise ValueError("step must be greater than zero")
    if not always and not one.start and last == size and step == 1:
        return view
    return ops.slice(view, axis, first, max(first, last), step)


_ASSIGNED = (Tensor, int, float, complex, np.integer)  # of NumPy's numbers those alone, and double ones, which are Python's too


def _setitem(self: Any, key: Any, value: Any, /) -> None:
    if not isinstance(value, _ASSIGNED):
        if foreign_method("__setitem__", (self, key, value)) is not NotImplemented:
            return
        raise TypeError(f"can't assign a {type_name(value)} to a {self.type()}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    indices: list[Any] = []
    error = None
    try:
        if key.__class__ is int:
            view = _getitem(self, key)
        elif isinstance(key, bool):
            view = ops.expand_dims(self, 0) if key else None
        else:
            view, indices = _walk(self, key)
    except (IndexError, TypeError, ValueError) as found:
        error, view = found, None
    if view is None:
        if not isinstance(value, Tensor):
            checked_element(value, self._array)  # a number is looked at before the index
        if error is not None:
            raise error
        return
    if indices:
        _put(view, indices, value)
        return
    if not isinstance(value, Tensor):
        if not (view._needs_grad and modes.state.grad_enabled):
            if not view._array.flags.c_contiguous:
                checked_element(value, view._array)
                views.check_writable(view)
                overlaps.check_memory(view)
            view.fill_(checked_element(value, view._array) if is_half(view._array) else value)
            return
        value = new_tensor(promotion.number_array(checked_element(value, view._array), view._array.dtype))
    if value._array.shape == view._array.shape:
        view.copy_(value)
    elif not value._array.ndim:
        view.fill_(value)
    else:
        lead = _ones_in_front(value._array.shape)
        value = ops.view(value, value._array.shape[lead:])  # a view even where there are none, as PyTorch records it
        view.copy_(value if value._array.shape == view._array.shape else expand(value, view._array.shape))


def _ones_in_front(shape: Sequence[int]) -> int:
    return next((place for place, size in enumerate(shape) if size != 1), len(shape))


def _without_leading_ones(value: Any) -> Any:
    lead = _ones_in_front(value._array.shape)
    return ops.view(value, value._array.shape[lead:]) if lead else value


def _put(view: Any, indices: list[Any], value: Any) -> None:
    array = view._array
    if _written(view, indices, value):
        return
    if not isinstance(value, Tensor):
        value = new_tensor(promotion.number_array(checked_element(value, array), array.dtype))
    view.index_put_(tuple(indices), _without_leading_ones(value))


def _written(view: Any, indices: Sequence[Any], value: Any, accumulate: bool = False) -> bool:
    """Writes at indices where that is a matter of memory alone, and says whether it did."""
    array = view._array
    if isinstance(value, Tensor):
        source = value._array
        if source.dtype is not array.dtype or overlaps.in_one_memory(view, value):
            return False
        needs = in_graph(value)
    else:
        source, needs = checked_element(value, array), False
    if modes.special.active or not plain_write(view, needs):
        return False
    key: list[Any] = []
    for one in indices:
        if one is not None and (one._array.dtype.char not in _PLACES or not one._array.size):  # also masks of nothing
            return False
        key.append(slice(None) if one is None else one._array)
    try:
        if accumulate:
            np.add.at(array, tuple(key), source)
        else:
            array[tuple(key)] = source
    except (IndexError, TypeError, ValueError):
        return False  # in the other way the error is found again, in PyTorch's words
    count(view, "index_put_")
    return True


_SAME_AS = {"index_put_": "[indices] = tensor", "index_fill_": "[mask] = scalar", "masked_fill_": "[mask] = scalar"}


class Overlapping(Methods):
    def _warn_of_overlap(self, name: str) -> None:
        """PyTorch's warning of a write at indices of an expanded tensor, where one index is several elements."""
        array = self._array
        if name in _SAME_AS and any(size > 1 and not stride for size, stride in zip(array.shape, array.strides, strict=True)):
            warn(
                f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
                f"This also applies to advanced indexing e.g. tensor{_SAME_AS[name]}",
                once=True,
            )


def _delitem(self: Any, key: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


def _reversed(self: Any) -> Any:
    return ops.flip(self, (0,)) if self._array.ndim else self


methods["__reversed__"] = _reversed
_getitem.__name__, _setitem.__name__ = "__getitem__", "__setitem__"
methods["__getitem__"] = _getitem
methods["__setitem__"] = _setitem
methods["__delitem__"] = _delitem


def _index_list(indices: Any, shape: tuple[int, ...]) -> list[Any]:
    """Index tensors with masks taken apart; all are asked for their dtypes before one is for its shape."""
    if any(one is not None and not _is_mask(one) and one._array.dtype.char not in _INDEX_TYPES for one in indices):
        raise IndexError(_NOT_INDICES)
    result: list[Any] = []
    for one in indices:
        if one is not None and _is_mask(one):
            _check_mask(one._array.shape, shape, len(result))
            result.extend(_indices_of_mask(one))
        else:
            result.append(one)
    return result


def _one_mask(indices: Iterable[Tensor | None], shape: tuple[int, ...]) -> Tensor | None:
    """The mask that is all that is given, if it is: one value for it is written as masked_fill writes it."""
    given = [(place, one) for place, one in enumerate(indices) if one is not None]
    if len(given) != 1 or not _is_mask(given[0][1]):
        return None
    place, mask = given[0]
    _check_mask(mask._array.shape, shape, place)
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    return mask


@public(inplace=True)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """A copy with ``values`` at the indices that a tuple of index tensors names; added there with ``accumulate``.

    IndexError for indices that are not there, RuntimeError for values of another dtype or of a shape that does not fit.

    >>> import rushlight as torch
    >>> torch.zeros(3).index_put((torch.tensor([0, 2, 0]),), torch.tensor(1.0), accumulate=True)
    tensor([2., 0., 1.])
    """
    array = input._array
    require_indices("index_put", 2, indices)
    if len(indices) > array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {array.ndim} (got {len(indices)})")
    if any(one is not None and one._array.dtype.char not in _INDEX_TYPES for one in indices):
        mask = _one_mask(indices, array.shape) if not accumulate and values._array.size == 1 else None
        if mask is not None:
            values = values if values._array.dtype == array.dtype else ops.astype(values, array.dtype)
            if not mask._array.ndim:
                indices = [new_tensor(np.broadcast_to(mask._array, array.shape))]
        indices = _index_list(indices, array.shape)
    else:
        indices = list(indices)
    given = values._array.shape
    if not array.size and any(i is not None and i._array.size and not n for i, n in zip(indices, array.shape, strict=False)):
        raise IndexError("index is out of bounds for dimension with size 0")
    shape = k.picked_shape(array.shape, tuple(None if one is None else one._array for one in indices))
    if given != shape and not k.stretches(given, shape):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape {list(shape)}"
        )
    if values._array.dtype != array.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {input.dtype.scalar_name} for the "
            f"destination and {values.dtype.scalar_name} for the source."
        )
    if not indices:
        raise RuntimeError("at least one index must be provided")
    return ops.index_put(input, values, indices, bool(accumulate))


_by_result = methods["index_put_"]


@functools.wraps(_by_result)
def _index_put_in_place(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    require_indices("index_put_", 1, indices)
    # Without history there is no need for a second tensor; masks take the long way, on which they are looked at.
    if not modes.special.active and all(one is None or one._array.dtype.char in _INDEX_TYPES for one in indices):
        with contextlib.suppress(IndexError):  # found again below, after what is asked of the tensor
            shape = k.picked_shape(self._array.shape, tuple(None if one is None else one._array for one in indices))
            if indices and k.stretches(values._array.shape, shape) and _written(self, indices, values, bool(accumulate)):
                return self
    return _by_result(self, indices, values, accumulate)


methods["index_put_"] = module("torch")["index_put_"] = _index_put_in_place
alias("_unsafe_index_put", "index_put")
module("torch")["_index_put_impl_"] = methods["index_put_"]
