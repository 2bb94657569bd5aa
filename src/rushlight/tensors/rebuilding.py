"""What a pickle of a tensor names: the functions that put it together from a storage and its attributes."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..backend import memory
from ..backend.nothing import outlined
from ..base import dtypes
from ..base.attributes import OWN_ATTRIBUTES
from ..base.device import device, layout
from ..base.public_names import methods
from ..storage import TypedStorage, UntypedStorage
from ..tensor import Tensor, new_tensor, wrap
from .meta import nothing_like, on_meta

Sizes = tuple[int, ...]
Reduction = tuple[Any, ...]


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor over a typed storage; offset and strides in elements."""
    return _laid_over(storage, storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: dict[str, Any] | None = None,
) -> Tensor:
    """A tensor over a typed storage. RuntimeError where the storage is too short for it.

    >>> import rushlight as torch
    >>> from rushlight._utils import _rebuild_tensor_v2
    >>> _rebuild_tensor_v2(torch.arange(6.0)._typed_storage(), 1, (2, 2), (3, 1), False, None)
    tensor([[1., 2.],
            [4., 5.]])
    """
    return _finished(_laid_over(storage, storage.dtype, storage_offset, size, stride), requires_grad, backward_hooks, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Any,
    metadata: dict[str, Any] | None = None,
) -> Tensor:
    """As :func:`_rebuild_tensor_v2` over bytes, of dtypes that have no typed storage."""
    return _finished(_laid_over(storage, dtype, storage_offset, size, stride), requires_grad, backward_hooks, metadata)


def _rebuild_meta_tensor_no_storage(dtype: dtypes.dtype, size: Sizes, stride: Sizes, requires_grad: bool) -> Tensor:
    """A tensor on the meta device; strides in elements.

    >>> import rushlight as torch
    >>> from rushlight._utils import _rebuild_meta_tensor_no_storage
    >>> _rebuild_meta_tensor_no_storage(torch.float32, (2, 3), (3, 1), False)
    tensor(..., device='meta', size=(2, 3))
    """
    steps = tuple(step * dtype.itemsize for step in stride)
    made = new_tensor(nothing_like(outlined(tuple(size), dtype.numpy, steps)))
    made._needs_grad = bool(requires_grad)
    return made


def reduced_meta(tensor: Tensor) -> Reduction:
    """What goes into a pickle of a tensor on the meta device."""
    return _rebuild_meta_tensor_no_storage, (tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.requires_grad)


def _rebuild_wrapper_subclass(
    cls: type,
    dtype: dtypes.dtype,
    size: Sizes,
    stride: Sizes,
    storage_offset: int,
    layout: layout,
    device: device,
    requires_grad: bool,
) -> Tensor:
    """A tensor of a class with ``__torch_dispatch__``, of a form and without memory; its attributes come after."""
    made: Tensor = Tensor._make_wrapper_subclass(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )
    return made


def reduced_wrapper(tensor: Tensor, state: Any) -> Reduction:
    """What goes into a pickle of a tensor without memory of its own: its form, and the attributes."""
    outline: Any = tensor._array
    strides = tuple(step // outline.itemsize for step in outline.strides)
    form = (tensor.dtype, outline.shape, strides, outline.offset, tensor.layout, tensor.device, bool(tensor._needs_grad))
    return _rebuild_from_type_v2, (_rebuild_wrapper_subclass, type(tensor), (type(tensor), *form), state)


def in_slots(tensor: Tensor) -> dict[str, Any]:
    """The attributes that lie in slots of the tensor's class and of its bases."""
    return {
        name: getattr(tensor, name)
        for cls in type(tensor).__mro__[:-1]
        if not issubclass(Tensor, cls)
        for name in _slot_names(cls)
        if hasattr(tensor, name)
    }


def _slot_names(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


def set_state(tensor: Any, state: Any) -> Any:
    """Gives a tensor the attributes of a dict, or of a pair of dicts where its class has slots.

    Four items are a storage, an offset, sizes and strides: so tensors were saved before PyTorch 0.2.

    RuntimeError for names that are the tensor's own.
    """
    if isinstance(state, tuple) and len(state) == 4:
        return tensor.set_(*state)
    names, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    own = OWN_ATTRIBUTES & {*(names or ()), *(slots or ())}
    if own:
        raise RuntimeError(f"a saved tensor may not set its own {', '.join(sorted(own))}")
    tensor.__dict__.update(names or {})
    for name, value in (slots or {}).items():
        setattr(tensor, name, value)
    return tensor


def _rebuild_from_type_v2(func: Callable[..., Any], new_type: type, args: tuple[Any, ...], state: Any) -> Any:
    """What ``func(*args)`` makes, as an instance of ``new_type`` with the attributes in ``state``."""
    result = func(*args)
    if type(result) is not new_type:
        result = result.as_subclass(new_type)
    if type(result).__setstate__ is not Tensor.__setstate__:
        result.__setstate__(state)
    else:
        set_state(result, state)
    return result


def _laid_over(storage: Any, dtype: Any, offset: Any, size: Any, stride: Any) -> Tensor:
    if not isinstance(storage, (TypedStorage, UntypedStorage)) or not isinstance(dtype, dtypes.dtype):
        raise RuntimeError("a saved tensor has no storage")
    size, stride = tuple(size), tuple(stride)
    if not all(type(number) is int for number in (offset, *size, *stride)):
        raise RuntimeError(f"a saved tensor has sizes {size}, strides {stride} and storage offset {offset}: not integers")
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: sizes {list(size)}, strides {list(stride)}")
    if offset < 0 or any(number < 0 for number in (*size, *stride)):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}, storage offset {offset}"
        )
    if math.prod(size) >= 2**63:
        raise RuntimeError(f"numel: integer multiplication overflow: sizes {list(size)}")
    whole = storage.untyped()._memory
    try:
        made = wrap(memory.laid_over(whole, dtype.numpy, size, stride, offset))
        return on_meta(made) if storage._on_meta else made
    except ValueError as error:  # more dimensions or more elements than NumPy has
        raise RuntimeError(f"a saved tensor of sizes {list(size)} cannot be made: {error}") from None


def _finished(tensor: Tensor, requires_grad: Any, backward_hooks: Any, metadata: Any) -> Tensor:
    for name, value in (metadata or {}).items():
        if name == "conj" and value and tensor.is_complex():
            tensor = tensor.conj()
        elif name == "neg" and value:
            tensor = tensor._neg_view()
        elif value:
            raise RuntimeError(f"a saved tensor says {name}={value!r}, which rushlight does not have")
    if requires_grad:
        tensor.requires_grad = True
    if backward_hooks:
        tensor._backward_hooks = OrderedDict(backward_hooks)
    return tensor


def _set_state(self: Tensor, state: Any) -> None:
    if not isinstance(state, dict):
        count = len(state)
        if count not in (2, 4):  # what tensors of today and of long ago are saved as
            raise ValueError(f"not enough values to unpack (expected 3, got {count})")
    set_state(self, state)


methods["__setstate__"] = _set_state
# Where PyTorch has them: pickles name the place.
_rebuild_from_type_v2.__module__ = "rushlight._tensor"
for _function in (
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_meta_tensor_no_storage,
    _rebuild_wrapper_subclass,
):
    _function.__module__ = "rushlight._utils"
