"""Tensors over other memory, or more or less of their own: ``set_``, ``resize_`` and their like."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from ..autograd import modes, views
from ..autograd.write_errors import refuse_inference
from ..backend import creation as layouts
from ..backend import memory
from ..backend.resizing import resized
from ..base.device import channels_last, channels_last_3d, contiguous_format, preserve_format
from ..ops.public import function_of, module
from ..ops.publishing import method
from ..ops.table import op, table
from ..tensor import Tensor
from ..tensors.arguments import checked_shape, memory_format_name, type_name, warn
from . import _BYTE, TypedStorage, _Storage


@method
def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Lays this tensor over the memory of another tensor or a storage; over none without arguments."""
    views.check_writable(self)
    array = _memory_for(self, source, storage_offset, size, stride)
    needs = self.requires_grad or (isinstance(source, Tensor) and source.requires_grad)
    if needs and modes.state.grad_enabled:
        given = (source,) if isinstance(source, Tensor) else ()
        edge = table["set_to" if given else "set_"].call(self, *given, array)._edge
        if source is self and self._base is not None:  # which stays a view of what it was
            views.write_through(self, edge[0])
        else:
            self._edge, self._needs_grad, self._base = edge, True, None
    self._sink = None  # what was computed before belongs to the tensor as it was
    self._array = array
    views.bump(self, "set_")
    return self


def _underivable(g: Any) -> Any:
    raise RuntimeError("derivative for set_ is not implemented")


op("set_", lambda x, array: array, node="NotImplemented", x=_underivable)
op("set_to", lambda x, source, array: array, node="NotImplemented", x=_underivable, source=_underivable)


def _memory_for(self: Tensor, source: Any, storage_offset: int, size: Any, stride: Any) -> np.ndarray[Any, Any]:
    dtype = self._array.dtype
    if source is None:
        return np.empty(0, dtype)
    if isinstance(source, Tensor):
        if source._array.dtype != dtype:
            raise RuntimeError(f"Could not set tensor of type {source.dtype.c_name} to a tensor of type {self.dtype.c_name}")
        if size is None:
            return source._array
        whole = memory.block(source._array)
    elif isinstance(source, _Storage):
        if isinstance(source, TypedStorage) and source.dtype is not self.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {self.dtype.c_name} or an UntypedStorage, but got type "
                f"{source.dtype.scalar_name} for argument 1 'storage'"
            )
        whole = source._memory.view(_BYTE)
    else:
        raise TypeError(
            f"set_() received an invalid combination of arguments - got ({type_name(source)}), but expected one of:\n"
            " * ()\n * (torch.Storage source)\n * (torch.Storage source, int storage_offset, tuple of ints size, tuple "
            "of ints "
            "stride = None)\n * (Tensor source)\n * (Tensor source, int storage_offset, tuple of ints size, tuple of "
            "ints stride "
            "= None)\n"
        )
    shape = (whole.size // dtype.itemsize,) if size is None else checked_shape("set_", size)
    return memory.laid_over(whole, dtype, shape, None if stride is None else tuple(stride), storage_offset)


@method
def resize_(self: Tensor, *sizes: Any, size: Any = None, memory_format: Any = None) -> Tensor:
    """Gives this tensor another size, keeping its memory where that is long enough, its first values otherwise.

    ``memory_format``  the order of the dimensions in memory: contiguous unless ``torch.channels_last`` say is given

    RuntimeError for sizes that no memory can hold, and for a tensor that needs a gradient.

    >>> import rushlight as torch
    >>> torch.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if size is None and not sizes:
        raise TypeError('resize_() missing 1 required positional arguments: "size"')
    wanted = size if size is not None else sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    if self.requires_grad and self._inference is None:
        raise RuntimeError("cannot resize variables that require grad")
    if any(isinstance(each, int) and each < 0 for each in wanted):
        raise RuntimeError("numel: integer multiplication overflow")
    shape = checked_shape("resize_", wanted)
    if math.prod(shape) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod([max(each, 1) for each in shape[1:]]) >= 2**63:
        raise RuntimeError("Stride calculation overflowed")
    array = self._array
    if shape == array.shape and memory_format is None:
        return self
    refuse_inference(self)
    order = layouts.order_of(len(shape), memory_format_name("resize_", memory_format or contiguous_format))
    self._array = resized(array, shape, order)
    views.bump(self, "resize_")
    return self


@method
def resize_as_(self: Tensor, the_template: Any, *, memory_format: Any = None) -> Tensor:
    """Gives this tensor the size of another."""
    if not isinstance(the_template, Tensor):
        raise TypeError(f"resize_as_(): argument 'the_template' (position 1) must be Tensor, not {type_name(the_template)}")
    if memory_format is preserve_format:
        # Of the orders in memory, only channels last is passed on.
        likely = (form for form in (channels_last, channels_last_3d) if the_template.is_contiguous(memory_format=form))
        memory_format = contiguous_format if the_template.is_contiguous() else next(likely, contiguous_format)
    return resize_(self, size=the_template._array.shape, memory_format=memory_format)


module("torch")["resize_as_"] = function_of(resize_as_)

# The older forms, which make a new tensor of the same elements.
op("resize", lambda x, shape: np.ascontiguousarray(x).reshape(shape).copy(), node="ResizeBackward", kind="linear",
   x=lambda g, x_shape: g.reshape(x_shape))  # fmt: skip


@method
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """Deprecated: use reshape."""
    warn("non-inplace resize is deprecated")
    return _resized(self, sizes)


@method
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Deprecated: use reshape_as."""
    warn("non-inplace resize_as is deprecated")
    return _resized(self, tuple(tensor.size()))


def _resized(self: Tensor, sizes: tuple[int, ...]) -> Tensor:
    count = functools.reduce(operator.mul, sizes, 1)
    if count != self._array.size:
        wanted, have = ("x".join(map(str, each)) for each in (sizes, self._array.shape))
        raise RuntimeError(
            f"requested resize to {wanted} ({count} elements in total), but the given tensor has a size of {have} "
            f"({self._array.size} elements). autograd's resize can only change the shape of a given tensor, while preserving the "
            "number of elements. "
        )
    return table["resize"].call(self, checked_shape("resize", sizes))
