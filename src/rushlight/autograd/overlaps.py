"""Memory in which elements of a tensor, or of two tensors, lie in one place, and writes into it."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import numpy as backend

if TYPE_CHECKING:
    from ..tensor import Tensor


def overlap_error() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation."
    )


def overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether several elements lie in one place of memory, as in an expanded tensor."""
    if array.flags.c_contiguous or not array.size:
        return False
    pairs = sorted((stride, size) for size, stride in zip(array.shape, array.strides, strict=True) if size > 1)
    reach = array.itemsize
    for stride, size in pairs:
        if stride < reach:
            return True
        reach = stride * (size - 1) + reach
    return False


def check_memory(tensor: Tensor, inputs: Iterable[Any] = (), wholly: bool = False) -> None:
    """Raises PyTorch's errors for a tensor that overlaps itself, or partly (``wholly`` too) one of the ``inputs`` of a write
    into it."""
    if overlaps_itself(tensor._array):
        raise overlap_error()
    if tensor._of_batch:
        return  # the write into the batch behind it looks
    for value in inputs:
        if wholly and value is tensor:
            raise shared_error()
        if getattr(value, "_counter", None) is tensor._counter:
            _check_overlap(tensor._array, value._array, wholly)


def _check_overlap(written: np.ndarray[Any, Any], read: np.ndarray[Any, Any], wholly: bool) -> None:
    same_layout = not wholly and written.shape == read.shape and written.strides == read.strides
    if same_layout and backend.address(written) == backend.address(read):
        return
    if without_gaps(written) and without_gaps(read) and np.may_share_memory(written, read):
        raise shared_error()


def shared_error() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


def without_gaps(array: np.ndarray[Any, Any]) -> bool:
    """Whether the elements fill one stretch of memory, in whatever order, each in a place of its own."""
    reach = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size == 1:
            continue
        if stride != reach:
            return False
        reach *= size
    return True


def repeated_within(array: np.ndarray[Any, Any]) -> bool:
    """Whether matrices are repeated along a dimension that is not the outermost: of those PyTorch writes a copy back."""
    steps = [step for step, size in zip(array.strides, array.shape[:-2], strict=False) if size > 1]
    return 0 in itertools.dropwhile(operator.not_, steps)


def write_changes(array: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> None:
    """Writes what is new into an array that overlaps itself: where nothing is new, an older write must not come back."""
    same = (array == values) | ((array != array) & (values != values))
    np.copyto(array, values, where=~same)
