"""Memory of others as tensors: asarray, frombuffer and DLPack, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import dlpack, memory
from ...base import dtypes
from ...base.device import as_device
from ...ops.public import warn
from ...ops.publishing import published
from ...storage import UntypedStorage
from ...tensor import Tensor
from ..arguments import as_dtype, check_bool, options, type_name
from .allocation import finished
from .from_data import array_of, writable


@published
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """``obj`` as a tensor: sharing memory where it can, unless ``copy``; ValueError where it cannot and copy is False.

    Takes tensors, NumPy arrays, DLPack exporters, buffers, numbers and sequences.

    >>> import numpy as np
    >>> import rushlight as torch
    >>> torch.asarray(np.array([1, 2]))
    tensor([1, 2])
    """
    if copy is False and device is not None and as_device(device, "asarray").type == "meta":
        _refuse_meta(obj)
    numpy_type = options("asarray", dtype, None, device)
    if requires_grad is not None:
        check_bool("asarray", "requires_grad", requires_grad)
    if copy is not None:
        check_bool("asarray", "copy", copy)
    wanted = None if dtype is None else as_dtype("asarray", dtype)
    if dlpack.is_untaken(obj):
        obj = from_dlpack(obj)
    if isinstance(obj, Tensor):
        return _from_tensor(obj, wanted, copy, requires_grad)
    if isinstance(obj, (np.ndarray, np.generic)) or hasattr(obj, "__dlpack__"):
        if copy is False and isinstance(obj, np.generic):
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        is_number = isinstance(obj, np.ndarray) and not obj.ndim  # copied, whatever was asked
        source = array_of(obj, None, bool(copy) or is_number)
        if wanted is not None and source.dtype != numpy_type:
            _refuse_alias(copy, dtypes.of(source.dtype), wanted)
            source = array_of(source, numpy_type, False)
    elif isinstance(obj, UntypedStorage) and wanted is not None:
        source = obj._memory.view(numpy_type)
        if copy:
            source = source.copy()
    elif _has_buffer(obj):
        source = _buffer(obj, numpy_type, -1, 0)
        if copy:
            source = source.copy()
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        source = array_of(obj, None if wanted is None else numpy_type, True)
    if requires_grad and source.dtype.kind not in "fcVW":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return finished(source, requires_grad)


def _from_tensor(obj: Tensor, wanted: dtypes.dtype | None, copy: bool | None, requires_grad: bool | None) -> Tensor:
    result = obj
    if wanted is not None and wanted is not obj.dtype:
        _refuse_alias(copy, obj.dtype, wanted)
        result = obj.to(wanted)
    elif copy:
        result = obj.clone()
    if requires_grad is None:
        if obj.requires_grad:
            warn(
                "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
                "requires_grad=False explicitly to get the old behavior and silence this warning.",
                once=True,
            )
        return result
    if not requires_grad and not result.is_leaf:
        return result.detach()
    return result.requires_grad_(requires_grad)  # the given tensor's own flag, where it is not copied


def _refuse_alias(copy: bool | None, have: dtypes.dtype, wanted: dtypes.dtype) -> None:
    if copy is False:
        raise ValueError(f"can't alias tensor with dtype '{have.scalar_name}' into dtype '{wanted.scalar_name}'.")


def _refuse_meta(obj: Any) -> None:
    have = obj.device.type if isinstance(obj, Tensor) else "cpu"
    if have == "cpu" and not isinstance(obj, np.generic) and (isinstance(obj, Tensor) or _has_buffer(obj)):
        raise ValueError("can't alias tensor from device 'cpu' to 'meta'.")


def _has_buffer(obj: Any) -> bool:
    if isinstance(obj, str):
        return False
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


@published
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A one-dimensional tensor over the memory of a buffer: ``count`` numbers (all), from byte ``offset`` on.

    ValueError for what is no buffer, or where numbers do not fit.

    >>> import rushlight as torch
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)
    tensor([1, 2, 3], dtype=torch.uint8)
    """
    if dtype is None:
        raise TypeError("frombuffer(): argument 'dtype' must be torch.dtype, not NoneType")
    numpy_type = options("frombuffer", dtype, None, None, requires_grad)
    if not _has_buffer(buffer):
        raise ValueError("object does not implement Python buffer protocol.")
    return finished(_buffer(buffer, numpy_type, count, offset), requires_grad)


def _buffer(buffer: Any, numpy_type: np.dtype[Any], count: int, offset: int) -> np.ndarray[Any, Any]:
    view = memoryview(buffer)
    length, size = view.nbytes, numpy_type.itemsize
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % size:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
        )
    if count > 0 and offset + count * size > length:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    octets = np.frombuffer(view.cast("B") if view.contiguous else view, np.uint8)
    if view.readonly:
        warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
            "write to "
            "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to "
            "protect its "
            "data or make it writable before converting it to a tensor.",
            once=True,
        )
        octets = writable(octets)
    number = (length - offset) // size if count < 0 else count
    return memory.laid_over(octets[offset:], numpy_type, (number,), None, 0)


# DLPack.


@published
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's tensor, or of a DLPack capsule.

    >>> import numpy as np
    >>> import rushlight as torch
    >>> torch.from_dlpack(np.arange(3.0))
    tensor([0., 1., 2.], dtype=torch.float64)
    """
    options("from_dlpack", None, None, device)
    if isinstance(ext_tensor, Tensor):
        array = dlpack.array_of(ext_tensor if ext_tensor.requires_grad else ext_tensor.detach())
    elif hasattr(ext_tensor, "__dlpack__"):
        array = dlpack.array_of(ext_tensor)
    else:
        try:
            array = dlpack.array_of(ext_tensor)
        except (TypeError, ValueError):
            raise RuntimeError(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
                "might have already constructed a tensor from it once."
            ) from None
    return finished(array.copy() if copy else array)


@published
def to_dlpack(data: Tensor) -> object:
    """A DLPack capsule of a tensor's memory, whether or not the tensor needs a gradient."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_name(data)}")
    return data.detach().__dlpack__()
