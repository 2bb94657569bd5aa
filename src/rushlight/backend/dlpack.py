"""DLPack capsules, also of bfloat16, which NumPy neither gives nor takes: it goes as whole numbers of two bytes.

The dtype that a capsule tells is written over. That is what dlpack.h is for: the structures below are its own, published and
stable within a major version, which is looked at first. Only a capsule that nobody has taken yet is read, and of that only the dtype.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

import numpy as np

from ..base import dtypes
from . import memory
from .numpy import Array

_UNSIGNED, _BFLOAT = 1, 4  # kDLUInt, kDLBfloat
_MAJOR = 1


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("dl_tensor", _Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", _Tensor),
    ]


_NAMES: dict[bytes, type[_Managed] | type[_Versioned]] = {b"dltensor": _Managed, b"dltensor_versioned": _Versioned}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def _dtype(capsule: Any) -> _DataType | None:
    """What a capsule that nobody has taken yet says of its numbers, to be read and written; None for anything else."""
    for name, structure in _NAMES.items():
        if _is_valid(capsule, name):
            managed = ctypes.cast(_pointer(capsule, name), ctypes.POINTER(structure)).contents
            if isinstance(managed, _Versioned) and managed.major != _MAJOR:
                return None
            dtype: _DataType = managed.dl_tensor.dtype
            return dtype
    return None


def is_untaken(value: Any) -> bool:
    """Whether it is a capsule of the older structure that nobody has taken yet: then it has another name."""
    return bool(_is_valid(value, b"dltensor"))


def capsule_of(array: Array, max_version: tuple[int, int] | None = None) -> Any:
    """A capsule of the array's memory, of the newer structure where the taker knows it: what it gives may be written to."""
    if not array.flags.writeable:  # as expanded arrays are; NumPy would hand on that they are
        array = memory.fenced(array)
    if array.dtype.name != "bfloat16":
        return array.__dlpack__(max_version=max_version)
    capsule = array.view(np.uint16).__dlpack__(max_version=max_version)
    dtype = _dtype(capsule)
    if dtype is None:
        raise BufferError("NumPy gave a DLPack capsule of an unknown version")
    dtype.code = _BFLOAT
    return capsule


class _Exporter:
    """Another library's tensor, of which NumPy gets a capsule that it can read."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.is_bfloat16 = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.source.__dlpack__(**options) if hasattr(self.source, "__dlpack__") else self.source
        dtype = _dtype(capsule)
        if dtype is not None and (dtype.code, dtype.bits, dtype.lanes) == (_BFLOAT, 16, 1):
            dtype.code = _UNSIGNED
            self.is_bfloat16 = True
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.source.__dlpack_device__() if hasattr(self.source, "__dlpack_device__") else (1, 0)


def array_of(source: Any) -> Array:
    """The memory of a capsule, or of another library's tensor, as an array."""
    exporter = _Exporter(source)
    array: Array = np.from_dlpack(exporter)
    if exporter.is_bfloat16:
        array = array.view(dtypes.bfloat16.numpy)
    # NumPy takes older capsules for read-only; tensors are written to.
    return array if array.flags.writeable else memory.fenced(array)


class DLDeviceType(IntEnum):
    """DLPack's numbers for kinds of devices. Tensors here are on the first.

    >>> import rushlight as torch
    >>> torch.ones(2).__dlpack_device__()
    (<DLDeviceType.kDLCPU: 1>, 0)
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
