"""Tensors after the model of another: the ``*_like`` functions and the ``new_*`` methods.

They take dtype and device from that tensor; the ``*_like`` functions its shape and the order of its axes in memory too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import creation as backend
from ...backend.checked_convert import checked_fill
from ...base import dtypes
from ...base.device import CPU
from ...ops.publishing import method, published
from ...tensor import Tensor
from ..arguments import checked_shape, memory_format_name, number, options, shape_of, type_name
from .allocation import allocated, finished
from .from_data import array_of, warn_of_copy


def unset_like(
    name: str, input: Any, dtype: Any, layout: Any, device: Any, requires_grad: Any, pin_memory: Any, memory_format: Any
) -> np.ndarray[Any, Any]:
    """An unset array of the shape, dtype and layout of ``input``, as far as the options do not say otherwise."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    array = input._array
    if dtype is layout is device is memory_format is None and not requires_grad and not pin_memory:
        return backend.empty_like(array, array.dtype)
    if device is None:
        device = CPU
    numpy_type = options(name, dtype, layout, device, requires_grad, pin_memory, dtypes.of(array.dtype))
    if memory_format is None:
        return backend.empty_like(array, numpy_type)
    return backend.empty_in_format(array.shape, numpy_type, memory_format_name(name, memory_format), array)


@published
def zeros_like(
    input: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Zeros of the shape and dtype of ``input``.

    >>> import rushlight as torch
    >>> torch.zeros_like(torch.tensor([3, 4]))
    tensor([0, 0])
    """
    array = unset_like("zeros_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    array.fill(0)
    return finished(array, requires_grad)


@published
def ones_like(
    input: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Ones of the shape and dtype of ``input``."""
    array = unset_like("ones_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    array.fill(1)
    return finished(array, requires_grad)


@published
def empty_like(
    input: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """An unset tensor of the shape and dtype of ``input``."""
    array = unset_like("empty_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    return finished(backend.unset(array), requires_grad)


@published
def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """One value in the shape and dtype of ``input``."""
    array = unset_like("full_like", input, dtype, layout, device, requires_grad, pin_memory, memory_format)
    array.fill(checked_fill(number("full_like", "fill_value", 2, fill_value), array))
    return finished(array, requires_grad)


# Methods of the model.


def _options(name: str, self: Tensor, dtype: Any, layout: Any, device: Any, requires_grad: Any, pin_memory: Any) -> Any:
    own = dtypes.of(self._array.dtype)
    return options(name, dtype, layout, CPU if device is None else device, requires_grad, pin_memory, own)


@method
def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A new leaf with a copy of ``data``, in this tensor's dtype unless told otherwise."""
    numpy_type = _options("new_tensor", self, dtype, layout, device, requires_grad, pin_memory)
    if isinstance(data, Tensor):
        warn_of_copy("tensor.new_tensor")
    return finished(array_of(data, numpy_type, True), requires_grad)


@method
def new_empty(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """An unset tensor of this one's dtype."""
    numpy_type = _options("new_empty", self, dtype, layout, device, requires_grad, pin_memory)
    wanted = shape_of("new_empty", sizes, size)
    array = allocated(np.empty, "new_empty", wanted, wanted is sizes, numpy_type)
    return finished(backend.unset(array), requires_grad)


@method
def new_zeros(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Zeros of this tensor's dtype.

    >>> import rushlight as torch
    >>> torch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    numpy_type = _options("new_zeros", self, dtype, layout, device, requires_grad, pin_memory)
    wanted = shape_of("new_zeros", sizes, size)
    return finished(allocated(np.zeros, "new_zeros", wanted, wanted is sizes, numpy_type), requires_grad)


@method
def new_ones(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Ones of this tensor's dtype."""
    numpy_type = _options("new_ones", self, dtype, layout, device, requires_grad, pin_memory)
    wanted = shape_of("new_ones", sizes, size)
    array = allocated(np.empty, "new_ones", wanted, wanted is sizes, numpy_type)
    array.fill(1)
    return finished(array, requires_grad)


@method
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """One value in this tensor's dtype."""
    numpy_type = _options("new_full", self, dtype, layout, device, requires_grad, pin_memory)
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"new_full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    value = number("new_full", "fill_value", 2, fill_value)
    array = allocated(np.empty, "new_full", size, False, numpy_type)
    array.fill(checked_fill(value, array))
    return finished(array, requires_grad)


@method
def new_empty_strided(
    self: Tensor,
    size: Sequence[Any],
    stride: Sequence[Any],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """An unset tensor of this one's dtype with given strides, counted in elements."""
    numpy_type = _options("new_empty_strided", self, dtype, layout, device, requires_grad, pin_memory)
    shape = checked_shape("new_empty_strided", size)
    if len(shape) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(stride)})")
    return finished(backend.unset(backend.empty_strided(shape, tuple(stride), numpy_type)), requires_grad)
