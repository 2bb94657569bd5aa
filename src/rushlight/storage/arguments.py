"""What storages may be made of and indexed with, and PyTorch's words for what they may not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from ..base.device import device as Device
from ..tensors.arguments import type_name
from .absent import Absent

Array = Any

_TYPED = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)
_LEGACY = (
    "<class 'torch.{name}'>.__new__ received an invalid combination of arguments. Expected one of:\n"
    " * no arguments\n"
    " * (int size)\n"
    " * (Sequence data)\n"
    " * (*, UntypedStorage wrap_storage)"
)
_UNTYPED = (
    "torch.UntypedStorage() received an invalid combination of arguments - got ({given}), but expected one of:\n"
    " * (*, int allocator = None, torch.device device = None)\n"
    " * (int size, *, int allocator = None, torch.device device = None)\n"
    " * (object sequence, *, int allocator = None, torch.device device = None)\n"
)


def numbers(source: Any, dtype: np.dtype[Any], is_meta: bool = False) -> Array:
    """The memory of a new storage: so many numbers, or those of a sequence."""
    if is_meta:
        return Absent(source if isinstance(source, int) else len(source), dtype)
    if isinstance(source, int):
        return block_of(source, dtype)
    if isinstance(source, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_name(source)}'")
    for place, each in enumerate(source):
        if isinstance(each, str):
            raise TypeError("must be real number, not str") if place else ValueError("too many dimensions 'str'")
        if each is None:  # nan to NumPy
            raise TypeError("must be real number, not NoneType")
    try:
        return np.array(source, dtype).reshape(-1)
    except OverflowError:
        raise RuntimeError(f"value cannot be converted to type {dtypes.of(dtype).name} without overflow") from None


def check_typed(args: tuple[object, ...], dtype: object, device: object, wrap_storage: object, untyped: type) -> None:
    """RuntimeError or TypeError for what ``torch.TypedStorage`` is not made of."""
    if len(args) > 1:
        raise RuntimeError(f"{_TYPED}\nToo many positional arguments")
    if wrap_storage is not None:
        if args:
            raise RuntimeError(f"{_TYPED}\nNo positional arguments should be given when using 'wrap_storage'")
        if dtype is None:
            raise RuntimeError(f"{_TYPED}\nArgument 'dtype' must be specified")
        _check_dtype(dtype)
        if device is not None:
            raise RuntimeError(f"{_TYPED}\nArgument 'device' should not be specified when 'wrap_storage' is given")
        check_wrapped(wrap_storage, _TYPED, untyped)
        return
    if dtype is not None:
        _check_dtype(dtype)
    if args:
        _check_source(args[0], _TYPED)


def check_legacy(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], untyped: type) -> None:
    """The same of ``torch.FloatStorage`` and its like."""
    words = _LEGACY.format(name=name)
    wrapped = kwargs.get("wrap_storage")
    for keyword in kwargs:
        if keyword not in ("wrap_storage", "dtype", "device"):
            raise TypeError(f"TypedStorage.__new__() got an unexpected keyword argument {keyword!r}")
        if keyword != "wrap_storage":
            raise RuntimeError(f"{words}\nKeyword argument {keyword!r} cannot be specified")
    if wrapped is not None:
        if args:
            raise RuntimeError(f"{words}\nNo positional arguments should be given when using 'wrap_storage'")
        check_wrapped(wrapped, words, untyped)
    elif len(args) > 1:
        raise RuntimeError(f"{words}\nToo many positional arguments")
    elif args:
        _check_source(args[0], words)


def check_untyped(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The same of ``torch.UntypedStorage``."""
    if len(args) > 1 or kwargs:
        given = [type_name(each) for each in args] + [f"{name}={type_name(each)}, " for name, each in kwargs.items()]
        raise TypeError(_UNTYPED.format(given=", ".join(given)))


def as_bytes(source: Any, is_meta: bool = False) -> Array:
    """The memory of a new storage of bytes: so many, or those of a sequence."""
    if is_meta:
        return Absent(source if isinstance(source, int) else len(source), np.dtype(np.uint8))
    if isinstance(source, int) and not isinstance(source, bool):
        return block_of(source, np.dtype(np.uint8))
    if not isinstance(source, Sequence) and not hasattr(source, "untyped"):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(source)}")
    for each in source:
        if not isinstance(each, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type_name(source)}), but one of the "
                f"items was of type {type_name(each)} instead of int"
            )
    return np.array([each & 255 for each in source], np.uint8)


def block_of(size: int, dtype: np.dtype[Any]) -> Array:
    """Memory for so many numbers; PyTorch's errors where there is none."""
    octets = size * dtype.itemsize
    if not -(2**63) <= octets < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if size < 0:
        raise RuntimeError(f"alloc_cpu() seems to have been called with negative number: {2**64 + octets}")
    try:
        return np.empty(size, dtype)
    except MemoryError:
        raise RuntimeError(
            f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {octets} bytes. Error code 12 (Cannot "
            "allocate memory)"
        ) from None


def is_meta(device: object) -> bool:
    """Whether a new storage is one of the meta device; :func:`check_device` for all others."""
    if device is not None and Device(device).type == "meta":
        return True
    check_device(device)
    return False


def check_device(device: object) -> None:
    """Memory is the CPU's: AssertionError for another device."""
    if device is not None and Device(device).type != "cpu":
        raise AssertionError(f"Torch not compiled with {Device(device).type.upper()} enabled")


def _check_dtype(dtype: object) -> None:
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"{_TYPED}\nArgument 'dtype' must be torch.dtype, not {type(dtype)}")


def check_wrapped(storage: object, words: str, untyped: type) -> None:
    if not isinstance(storage, untyped):
        raise TypeError(f"{words}\nArgument 'wrap_storage' must be UntypedStorage, but got {type(storage)}")


def _check_source(source: object, words: str) -> None:
    if not isinstance(source, (int, Sequence)):
        raise TypeError(f"{words}\nArgument type not recognized: {type(source)}")


def element_index(storage: Any, index: Any, fault: str = "is out of bounds for dimension 0 with size") -> Any:
    """What to index a typed storage with. IndexError, which says ``fault``, where it has no such number."""
    if isinstance(index, slice):
        return index
    size = len(storage)
    if not isinstance(index, int):
        raise RuntimeError(f"can't index a {type(storage)} with {type(index)}")
    if not -size <= index < size:
        raise IndexError(f"index {index} {fault} {size}")
    return index


def byte_index(storage: Any, index: Any) -> Any:
    """What to index a storage of bytes with."""
    if isinstance(index, slice):
        step = 1 if index.step is None else index.step
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        return index
    if not isinstance(index, int):
        raise TypeError(f"can't index a torch.UntypedStorage with {type_name(index)}")
    return index


def as_byte(value: object) -> int:
    """A number as a byte. RuntimeError for what is no integer."""
    if not isinstance(value, int):
        raise RuntimeError(f"can only set storage content with a int types, but got {type_name(value)} instead")
    return value & 255


def refuse_value(value: object, kind: str) -> NoReturn:
    raise TypeError(f"can't assign a {type_name(value)} to a torch.{kind}Tensor")
