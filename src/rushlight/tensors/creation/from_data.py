"""Tensors from what Python holds: numbers, nested sequences, NumPy arrays, buffers and other libraries' tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import dlpack, memory
from ...backend.notes import not_differentiable
from ...backend.numpy import is_float8, rounded
from ...backend.pointwise import real_if
from ...base import dtypes
from ...base.device import changes
from ...base.errstate import silent
from ...base.strides import dense
from ...base.type_limits import iinfo
from ...ops.publishing import published
from ...storage import TypedStorage, UntypedStorage
from ...tensor import Tensor
from ..arguments import check_bool, options, type_name, warn
from .allocation import finished

_RANKS = {bool: 0, int: 1, float: 2, complex: 3}
_LISTS = frozenset((list, tuple))
_TEXT = (str, bytes)


@published
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A new leaf tensor with a copy of ``data``: a number, (nested) sequence, NumPy array or tensor.

    The dtype follows from the data unless given: Python's floats get the default dtype. ValueError for sequences of
    unequal length, RuntimeError where no dtype can be inferred.

    >>> import rushlight as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([0.5, 1], requires_grad=True)
    tensor([0.5000, 1.0000], requires_grad=True)
    """
    if device is not None or pin_memory is not False or dtype is not None or changes.count:
        numpy_type = options("tensor", dtype, None, device, False, pin_memory)
        array = array_of(data, None if dtype is None else numpy_type, True)
    else:
        array = array_of(data, None, True)
    if requires_grad is not False:
        check_bool("tensor", "requires_grad", requires_grad)
        if requires_grad and array.dtype.kind not in "fcVW":
            raise not_differentiable("Only Tensors of floating point and complex dtype can require gradients")
    if isinstance(data, Tensor):
        warn_of_copy("torch.tensor")
    if not array.size and array.ndim > 1:  # views keep the steps that NumPy itself does not give to nothing
        array = np.ndarray(array.shape, array.dtype, array, 0, dense(array.shape, array.itemsize))
    return finished(array, requires_grad)


def warn_of_copy(name: str) -> None:
    """Warns the caller of ``name(tensor)``."""
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor)."
    )


@published
def as_tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor: itself if it is one of that dtype, sharing memory with a NumPy array where it can.

    >>> import rushlight as torch
    >>> x = torch.zeros(2)
    >>> torch.as_tensor(x) is x
    True
    """
    numpy_type = options("as_tensor", dtype, None, device)
    if isinstance(data, Tensor):
        return data if dtype is None or data._array.dtype == numpy_type else data.to(dtype=dtypes.of(numpy_type))
    if data.__class__ in _LISTS or data.__class__ in _RANKS:
        return tensor(data, dtype=dtype)
    return finished(array_of(data, None if dtype is None else numpy_type, False))


@published
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a NumPy array. TypeError for arrays of types that tensors do not have.

    >>> import numpy as np
    >>> import rushlight as torch
    >>> array = np.zeros(2)
    >>> shared = torch.from_numpy(array)
    >>> array[0] = 5
    >>> shared
    tensor([5., 0.], dtype=torch.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    return finished(from_array(ndarray))


def from_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A NumPy array as the memory of a tensor; PyTorch's errors for types and strides that tensors cannot have."""
    dtypes.of(array.dtype)
    flags = array.flags
    if not flags.c_contiguous and array.size and min(array.strides) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  "
            "with array.copy().) "
        )
    if not flags.c_contiguous and any(step % array.itemsize for step in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
        )
    if not flags.writeable:
        _warn_once_of_read_only()
        array = writable(array)
    if array.__class__ is not np.ndarray:
        array = array.view(np.ndarray)
    array = dtypes.known(array)
    return array if array.base is None else memory.fenced(array)


_warned: set[str] = set()


def _warn_once_of_read_only() -> None:
    if "read-only" in _warned:
        return
    _warned.add("read-only")
    warn(
        "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing "
        "to this tensor will result in undefined behavior. You may want to copy the array to protect its data or make "
        "it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
        "program."
    )


def writable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same memory, or where that is truly read-only a copy, as an array that can be written to."""
    view = array.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return array.copy()
    return view


# From Python data.


def _of_storage(storage: TypedStorage | UntypedStorage, numpy_type: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    if isinstance(storage, TypedStorage):
        if numpy_type is not None and storage._memory.dtype != numpy_type:
            raise RuntimeError(
                f"Expected a Storage of type {dtypes.of(numpy_type).scalar_name} or an UntypedStorage, but got type "
                f"{storage.dtype.scalar_name} for argument 1 'storage'"
            )
        return storage._memory
    kind = numpy_type or np.dtype(np.int64)
    octets = storage._memory
    return octets[: octets.size // kind.itemsize * kind.itemsize].view(kind)


def array_of(data: Any, numpy_type: np.dtype[Any] | None, copy: bool) -> np.ndarray[Any, Any]:
    """``data`` as an array of the given type or of the one it implies; shares memory with an array unless ``copy``."""
    kind = data.__class__
    if kind in _RANKS:
        return _from_numbers(data, {kind}, numpy_type)
    if kind in _LISTS:
        kinds = _kinds(data)
        if kinds is not None:
            return _from_numbers(data, kinds, numpy_type)
    elif isinstance(data, Tensor):
        array = data._array
        if data.is_conj():
            array = array.conj() if copy else data.resolve_conj()._array
        return _converted(array, numpy_type, copy)
    elif isinstance(data, np.ndarray):
        if copy and not data.flags.writeable:  # of a copy there is nothing to warn of
            data = data.copy("K")
        return _converted(from_array(data), numpy_type, copy)
    elif isinstance(data, (TypedStorage, UntypedStorage)):
        return _of_storage(data, numpy_type).copy()
    elif isinstance(data, np.generic):
        dtypes.of(data.dtype)
        return _converted(np.asarray(data), numpy_type, True)
    elif isinstance(data, _TEXT):
        raise TypeError(f"new(): invalid data type '{kind.__name__}'")
    elif hasattr(data, "__dlpack__"):
        return _converted(dlpack.array_of(data), numpy_type, copy)
    return _from_mixture(data, numpy_type)


def _converted(array: np.ndarray[Any, Any], numpy_type: np.dtype[Any] | None, copy: bool) -> np.ndarray[Any, Any]:
    if numpy_type is not None and array.dtype != numpy_type:
        return cast(array, numpy_type)
    return array.copy("K") if copy and 0 not in array.strides else array.copy() if copy else array


def cast(array: np.ndarray[Any, Any], numpy_type: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A copy in another type, as C casts: the real part of complex values, no warnings."""
    array = real_if(array, numpy_type)
    with silent():
        return rounded(array, numpy_type)


def _kinds(data: Any) -> set[type] | None:
    """The types of all numbers in nested lists, or None if there is anything but Python's numbers."""
    kinds = set(map(type, data))
    if not kinds:
        return {float}  # nothing has the default dtype
    if kinds <= _LISTS:
        found: set[type] = set()
        for row in data:
            inner = _kinds(row)
            if inner is None:
                return None
            found |= inner
        return found
    return kinds if kinds <= _RANKS.keys() else None


def _from_numbers(data: Any, kinds: set[type], numpy_type: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    """An array of Python numbers of the given types."""
    if numpy_type is None:
        if float in kinds and complex not in kinds:
            numpy_type = dtypes.get_default_dtype().numpy
        elif complex in kinds:
            numpy_type = dtypes.default_complex_dtype().numpy
        else:
            numpy_type = _INT64 if int in kinds else _BOOL
    elif (numpy_type.kind in "iu" and kinds and not kinds <= {bool}) or (complex in kinds and numpy_type.kind not in "cW"):
        return _from_mixture(data, numpy_type)  # every number is looked at, whether it fits
    try:
        made = np.array(data, numpy_type)
        return cast(np.array(data), numpy_type) if is_float8(numpy_type) or numpy_type.char == "e" else made
    except (ValueError, OverflowError, TypeError, RuntimeWarning):
        return _from_mixture(data, numpy_type)


_INT64, _BOOL = np.dtype(np.int64), np.dtype(np.bool_)


def _from_mixture(data: Any, numpy_type: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    """The way for whatever is not plain numbers: one element after another, as PyTorch goes."""
    if numpy_type is None:
        try:
            inferred = _inferred(data)
        except RecursionError:
            raise TypeError("new(): self-referential lists are incompatible") from None
        numpy_type = (dtypes.get_default_dtype() if inferred is None else inferred).numpy
    shape = _shape(data)
    array = np.empty(shape, numpy_type)
    if array.ndim == 0:
        array[()] = _element(data, numpy_type)
    elif array.size:
        _fill(array, data, 0)
    return array


def _inferred(data: Any) -> dtypes.dtype | None:
    """The dtype that holds everything in ``data``; None if there is nothing in it."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return dtypes.of(data.dtype)
    if isinstance(data, (bool, int, float, complex)):
        return dtypes.of_number(type(data))
    if isinstance(data, _TEXT):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {_bare_name(data)}")
    result: dtypes.dtype | None = None
    for item in _items(data):
        if isinstance(item, str) and len(data) and result is None and not isinstance(data[0], (list, tuple)):
            raise ValueError(f"too many dimensions '{type(item).__name__}'")
        found = _inferred(item)
        found = found or dtypes.get_default_dtype()
        result = found if result is None else dtypes.promote_types(result, found)
    return result


def _items(data: Any) -> Any:
    """The items of a sequence, by their places; PyTorch's error where it has a length and no items."""
    if not isinstance(data, Sequence) and len(data):
        try:
            data[0]
        except Exception:
            raise ValueError(f"could not determine the shape of object type '{_bare_name(data)}'") from None
        if not isinstance(data, np.ndarray):
            return (data[place] for place in range(len(data)))  # pandas.Series: NumPy's scalars, iterated over Python's
    return data


def _bare_name(value: Any) -> str:
    return "torch.dtype" if isinstance(value, dtypes.dtype) else type(value).__name__


def is_sequence(data: Any) -> bool:
    """Whether tensors are made of its items."""
    if isinstance(data, (dict, set, frozenset)):
        return False
    return isinstance(data, Sequence) or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))


def _shape(data: Any) -> tuple[int, ...]:
    """The shape that the first item of each level promises."""
    if isinstance(data, (Tensor, np.ndarray)):
        return tuple(data.shape)
    shape: list[int] = []
    while is_sequence(data) and not isinstance(data, (*_TEXT, np.generic)):
        if isinstance(data, Tensor):  # stands for its one element
            break
        if isinstance(data, np.ndarray):
            return (*shape, *data.shape)
        shape.append(len(data))
        if not len(data):
            break
        data = data[0]
    return tuple(shape)


def _fill(array: np.ndarray[Any, Any], data: Any, level: int) -> None:
    if not is_sequence(data) or isinstance(data, _TEXT):
        raise TypeError("not a sequence")
    if len(data) != len(array):
        raise ValueError(f"expected sequence of length {len(array)} at dim {level} (got {len(data)})")
    if array.ndim > 1:
        for row, item in zip(array, data, strict=True):
            _fill(row, item, level + 1)
        return
    for index, item in enumerate(data):
        array[index] = _element(item, array.dtype)


def _element(value: Any, numpy_type: np.dtype[Any]) -> Any:
    """One item as a scalar of the type. The errors are those of Python's own conversions, as in PyTorch."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            if numpy_type.kind in "iu":
                raise TypeError("only integer tensors of a single element can be converted to an index")
            raise ValueError("only one element tensors can be converted to Python scalars")
        value = value.item()
    elif isinstance(value, (np.generic, np.ndarray)):
        value = value.item()
    kind = numpy_type.kind
    if kind == "b":
        return bool(value)
    if kind in "iu":
        return _whole(value, dtypes.of(numpy_type))
    if kind in "cW":
        return numpy_type.type(complex(value))
    if isinstance(value, complex):
        raise TypeError("must be real number, not complex")
    if isinstance(value, _TEXT):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    if not isinstance(value, (bool, int, float)) and not hasattr(value, "__float__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    with silent():
        return rounded(np.asarray(value, np.float64), numpy_type)[()]


def _whole(value: Any, dtype: dtypes.dtype) -> Any:
    limits = iinfo(dtype)
    if isinstance(value, float):
        if not abs(value) < 2.0**63 or (value <= -1.0 and not limits.min):
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
        value = int(value)
    elif not hasattr(value, "__index__"):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    value = value.__index__()
    if dtype is dtypes.int64 and not limits.min <= value <= limits.max:
        raise ValueError("Overflow when unpacking long long")
    low = -limits.max if limits.min == 0 else limits.min
    if not low <= value <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return value & limits.max if limits.min == 0 else value
