"""Copies and pickles of tensors, in which views of one memory share a memory again."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..autograd import grad_mode, overlaps
from ..backend import memory
from ..backend import numpy as backend
from ..base import dtypes
from ..base.attributes import OWN_ATTRIBUTES, held
from ..base.public_names import methods
from ..tensor import Tensor
from .rebuilding import in_slots, reduced_meta, reduced_wrapper


def deep_copied(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """What ``copy.deepcopy`` makes of a leaf; ``memo`` holds what was copied before. RuntimeError for other tensors."""
    if tensor._edge is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If "
            "you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(tensor) in memo:
        return memo[id(tensor)]
    if not isinstance(tensor._array, np.ndarray):
        return _copied_wrapper(tensor, memo)
    result: Tensor = object.__new__(type(tensor))
    result._array = _copy_with_storage(tensor._array, memo)
    result._counter = _first_version(type(tensor))
    result._needs_grad = tensor.requires_grad
    memo[id(tensor)] = result
    if tensor._grad is not None:
        result._grad = copy.deepcopy(tensor._grad, memo)
    _copy_attributes(tensor, result, memo)
    return result


def _first_version(cls: type) -> list[Any]:
    """The version counter of a copy: in PyTorch a tensor, but no Parameter, is given its memory once it is made: a change."""
    return [int(cls is Tensor)]


def _copied_wrapper(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy of a tensor without memory of its own: what its class gives as a clone, with copies of its attributes."""
    with grad_mode.no_grad():
        result = tensor.clone()
        if type(result) is not type(tensor):
            raise RuntimeError(
                "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types that "
                "implement clone() and for which cloning returns another instance of the same subclass. You should either "
                "properly implement clone() for your subclass or override __deepcopy__() if it is intended behavior for clone() "
                "to return an instance of a different type."
            )
        memo[id(tensor)] = result
        _copy_attributes(tensor, result, memo)
        result._needs_grad = tensor._needs_grad
    if tensor._grad is not None:
        result._grad = copy.deepcopy(tensor._grad, memo)
    return result


def reduced(tensor: Tensor) -> Any:
    """What goes into a pickle of a tensor: all the memory that it lies in, once for each tensor, as in PyTorch."""
    array = tensor._array
    if tensor.is_meta:
        return reduced_meta(tensor)
    extra = {key: value for key, value in held(tensor).items() if key not in OWN_ATTRIBUTES}
    if not isinstance(array, np.ndarray):
        return reduced_wrapper(tensor, extra)
    if array.flags.c_contiguous and backend.root(array) is array:
        own = array.view()  # a pickle holds one object once, and this tensor's memory is to be its own
        return _rebuild, (type(tensor), own, tensor.requires_grad, extra, None)
    place = array.dtype, array.shape, array.strides, tensor.storage_offset()
    return _rebuild, (type(tensor), memory.block(array), tensor.requires_grad, extra, place)


def _copy_with_storage(array: np.ndarray[Any, Any], memo: dict[int, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array over a copy of all its memory, which copies of other views of it share."""
    whole = backend.root(array)
    copied = memo.get(id(whole))
    if copied is None:
        copied = memo[id(whole)] = whole.copy("K") if not overlaps.overlaps_itself(whole) else whole.copy()
    if whole is array:
        return copied
    return _laid_over(copied, array.dtype, array.shape, array.strides, backend.address(array) - backend.address(whole))


def _laid_over(
    whole: np.ndarray[Any, Any], dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...], start: int
) -> np.ndarray[Any, Any]:
    """A view of all the memory of ``whole``, ``start`` and ``strides`` in bytes."""
    if not whole.size or 0 in shape:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, memory.block(whole), start, strides)


def _copy_attributes(source: Tensor, target: Tensor, memo: dict[int, Any]) -> None:
    for key, value in held(source).items():
        if key not in OWN_ATTRIBUTES:
            held(target)[key] = copy.deepcopy(value, memo)
    for name, value in in_slots(source).items():
        setattr(target, name, copy.deepcopy(value, memo))


def _rebuild(cls: type, whole: np.ndarray[Any, Any], needs_grad: bool, extra: dict[str, Any], place: Any = None) -> Tensor:
    """A tensor out of a pickle: the array that owns the memory, and where in it the tensor lies."""
    result: Tensor = object.__new__(cls)
    if place is not None:
        dtype, shape, strides, offset = place
        whole = _laid_over(whole, dtype, shape, strides, offset * dtype.itemsize)
    whole = dtypes.known(whole)
    result._array = whole if whole.flags.writeable else whole.copy()
    result._counter = _first_version(cls)
    result._needs_grad = needs_grad
    held(result).update(extra)
    return result


def _reduce_ex(self: Tensor, protocol: object) -> Any:
    return reduced(self)


methods["__deepcopy__"] = deep_copied
methods["__reduce_ex__"] = _reduce_ex
# A name for pickles that stays, wherever this file lies.
_rebuild.__module__ = "rushlight.copying"
