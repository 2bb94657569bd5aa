"""A tensor in a different dtype: ``to`` in all its forms, ``type``, ``float()``, ``long()`` and the like.

A tensor that is what is asked for already comes back itself. Otherwise the copy remembers where it came from
(``ToCopyBackward0``), as far as its dtype can have a gradient.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...autograd.modes import state
from ...backend import creation as backend
from ...backend.memory_formats import has_channels_last
from ...backend.numpy import converted
from ...backend.pointwise import real_if
from ...base import dtypes
from ...base.device import device as Device
from ...base.device import require_cpu
from ...ops.publishing import method, published
from ...ops.table import op, table
from ...tensor import Tensor
from ..arguments import as_dtype, check_bool, memory_format_name, type_name, warn


def _cast(x: np.ndarray[Any, Any], dtype: np.dtype[Any], memory_format: str) -> np.ndarray[Any, Any]:
    """A copy in another dtype, C's casts; as ``x`` lies in memory, or in a memory format."""
    x = real_if(x, dtype)
    if memory_format == "preserve_format" and 0 not in x.strides:
        return converted(x, dtype)
    made = backend.empty_in_format(x.shape, dtype, memory_format, x)
    np.copyto(made, x, casting="unsafe")
    return made


def _underivable(g: object) -> NoReturn:
    raise RuntimeError("derivative for dequantize is not implemented")


op("to_copy", _cast, node="ToCopyBackward0", kind="linear", x=lambda g, xp, x_dtype: xp.astype(g, x_dtype))
op("to_integers", _cast, inputs="x")  # nothing to differentiate: integers and truth values
op("dequantize", lambda x: converted(real_if(x, np.dtype(np.float32)), np.dtype(np.float32)), node="NotImplemented",
   x=_underivable)  # fmt: skip
_to_copy, _to_integers = table["to_copy"].call, table["to_integers"].call

_warned: set[str] = set()


def _convert(self: Tensor, dtype: np.dtype[Any], memory_format: str = "preserve_format", copy: bool = False) -> Tensor:
    """``self`` if nothing changes, else a recorded copy."""
    array = self._array
    if not copy and array.dtype == dtype and _lies_in(array, memory_format):
        return self
    _warn_of_lost_parts(self, dtype)
    if self._conjugate:
        self = self.resolve_conj()
    if dtype.kind in "iub":
        return _to_integers(self, dtype, memory_format)  # type: ignore[no-any-return]
    return _to_copy(self, dtype, memory_format)


def _warn_of_lost_parts(tensor: Tensor, dtype: np.dtype[np.generic]) -> None:
    if tensor._array.dtype.kind in "cW" and dtype.kind not in "cbW" and "complex" not in _warned:
        _warned.add("complex")
        warn("Casting complex values to real discards the imaginary part")


def _lies_in(array: np.ndarray[Any, Any], memory_format: str) -> bool:
    """Whether the order of the axes is right, whatever gaps there are, as PyTorch looks at it."""
    likely = {4: "channels_last", 5: "channels_last_3d"}[array.ndim] if has_channels_last(array) else "contiguous_format"
    return memory_format in ("preserve_format", likely)


@published
def dequantize(input: object) -> Tensor:
    """The numbers of a tensor in single precision: there are no quantized ones."""
    if isinstance(input, (tuple, list)):
        raise NotImplementedError("Could not run 'aten::dequantize.tensors' with arguments from the 'CPU' backend.")
    if not isinstance(input, Tensor):
        raise TypeError  # which is then said in PyTorch's words
    if input._array.dtype == np.float32 and not (state.grad_enabled and input._needs_grad):
        return input
    _warn_of_lost_parts(input, np.dtype(np.float32))
    return table["dequantize"].call(input)  # type: ignore[no-any-return]


def _dequantize(self: Tensor) -> Tensor:
    """See :func:`torch.dequantize`."""
    return dequantize(self)


_dequantize.__name__ = _dequantize.__qualname__ = "dequantize"  # which is the function's, too
method(_dequantize)


@method
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """``to(dtype)``, ``to(device, dtype)`` or ``to(other)``, each with ``non_blocking, copy, memory_format``; other may be a number.

    The tensor itself if it has that dtype already, unless ``copy``. Only the CPU is a device here.

    >>> import rushlight as torch
    >>> torch.tensor([1.5, -1.5]).to(torch.int64)
    tensor([ 1, -1])
    """
    if len(args) == 1 and not kwargs:
        wanted = args[0]
        if wanted.__class__ is dtypes.dtype:
            return _convert(self, wanted.numpy)
        if (wanted.__class__ is Device and wanted.type == "cpu") or (wanted.__class__ is str and wanted == "cpu"):
            return self
    given = dict(kwargs)
    memory_format = given.pop("memory_format", None)
    names: tuple[str, ...]
    first = args[0] if args else None
    if isinstance(first, dtypes.dtype) or (isinstance(first, type) and first in (float, int, bool, complex)):
        names = ("dtype", "non_blocking", "copy")
    elif isinstance(first, (Tensor, bool, float, complex)) or "tensor" in given:
        names = ("tensor", "non_blocking", "copy")
    else:
        names = ("device", "dtype", "non_blocking", "copy")
    if (
        (len(args) > 1 and isinstance(args[1], str))
        or len(args) > len(names)
        or any(name in given for name in names[: len(args)])
    ):
        _refuse_to(args, kwargs)
    given.update(zip(names, args, strict=False))
    if given.keys() - {"tensor", "device", "dtype", "non_blocking", "copy"}:
        _refuse_to(args, kwargs)
    dtype, device, other = given.get("dtype"), given.get("device"), given.get("tensor")
    if device is not None:
        if not isinstance(device, (Device, str, int)) or isinstance(device, bool):
            _refuse_to(args, kwargs)
        require_cpu(device, "to")
    if other is not None and not isinstance(other, (Tensor, bool, float, complex)):
        _refuse_to(args, kwargs)
    if dtype is not None and not isinstance(dtype, (dtypes.dtype, type)):
        _refuse_to(args, kwargs)
    for name in ("non_blocking", "copy"):
        if name in given:
            check_bool("to", name, given[name])
    if other is not None:
        numpy_type = other._array.dtype if isinstance(other, Tensor) else np.dtype(type(other))
    else:
        numpy_type = self._array.dtype if dtype is None else as_dtype("to", dtype).numpy
    return _convert(self, numpy_type, memory_format_name("to", memory_format), bool(given.get("copy")))


def _refuse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    got = ", ".join([type_name(value) for value in args] + [f"{name}={type_name(value)}" for name, value in kwargs.items()])
    options = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
    raise TypeError(
        f"to() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        f" * (torch.device device = None, torch.dtype dtype = None, {options})\n"
        f" * (torch.dtype dtype, {options})\n * (Tensor tensor, {options})\n"
    )


# Tensor type names.

_BY_TYPE_NAME = {each.type_name: each for each in dtypes.ALL}


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False, *, memory_format: object = None) -> Any:
    """Without argument the name of the tensor's type, 'torch.FloatTensor' say; else the tensor in that type.

    Takes a dtype, such a name or such a class.

    >>> import rushlight as torch
    >>> torch.ones(2).type(), torch.ones(2).type(torch.LongTensor)
    ('torch.FloatTensor', tensor([1, 1]))
    """
    if dtype is None:
        return dtypes.of(self._array.dtype).type_name
    if isinstance(dtype, dtypes.dtype):
        return _convert(self, dtype.numpy)
    if isinstance(dtype, str):
        found = _BY_TYPE_NAME.get(dtype)
        if found is None and dtype.startswith("torch.cuda."):
            raise RuntimeError("Cannot initialize CUDA without ATen_cuda library. rushlight runs on the CPU.")
        if found is None and dtype == "torch.Tensor":
            found = dtypes.get_default_dtype()
    elif isinstance(dtype, type):
        found = dtypes.get_default_dtype() if dtype is Tensor else getattr(dtype, "dtype", None)
        if not isinstance(found, dtypes.dtype):
            raise ValueError(f"invalid type: '{dtype.__name__}'")
    else:
        raise TypeError("dtype must be a type, str, or dtype object")
    if found is None:
        raise ValueError(f"invalid type: '{dtype}'")
    return _convert(self, found.numpy)


_type.__name__ = "type"  # which is Python's, too
method(_type)


@method
def type_as(self: Tensor, other: Any) -> Tensor:
    """The tensor in the dtype of another."""
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    return _convert(self, other._array.dtype)


def _casting_method(name: str, dtype: dtypes.dtype) -> None:
    def cast(self: Tensor, *, memory_format: Any = None) -> Tensor:
        if memory_format is None and self._array.dtype is dtype.numpy:
            return self
        return _convert(self, dtype.numpy, memory_format_name(name, memory_format))

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The tensor as torch.{dtype.name}; itself if that is what it is."
    method(cast)


for _name, _dtype in {
    "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32, "double": dtypes.float64,
    "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32, "long": dtypes.int64,
    "bool": dtypes.bool_, "chalf": dtypes.named("complex32"), "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    _casting_method(_name, _dtype)


# Devices.


@method
def cpu(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself: it is on the CPU."""
    return _convert(self, self._array.dtype, memory_format_name("cpu", memory_format))


def _device_method(kind: str) -> None:
    def move(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> NoReturn:
        where = Device(kind) if device is None else device if isinstance(device, Device) else Device(device)
        if where.type != kind:
            raise RuntimeError(f"Invalid device, must be {kind} device")
        require_cpu(where, kind)
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")

    move.__name__ = move.__qualname__ = kind
    move.__doc__ = "Raises PyTorch's error of a build for the CPU alone."
    method(move)


_device_method("cuda")
_device_method("xpu")
