"""DLPack capsules, also of bfloat16, which NumPy neither gives nor takes: it goes as whole numbers of two bytes.

The dtype that the capsule tells is written over in the structure that it points to.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..base import dtypes
from . import memory
from .numpy import Array

_UNSIGNED, _BFLOAT = 1, 4
# Where a DLTensor says what its numbers are: behind an address, a device and the number of dimensions.
_CODE = 20
# The newer structure has a version, a context, a deleter and flags before the DLTensor.
_NAMES = {b"dltensor": _CODE, b"dltensor_versioned": 32 + _CODE}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def _code(capsule: Any) -> Any:
    """The dtype's code in a capsule that nobody has taken yet, to be read and written; None for anything else."""
    for name, offset in _NAMES.items():
        if _is_valid(capsule, name):
            return ctypes.c_uint8.from_address(_pointer(capsule, name) + offset)
    return None


def capsule_of(array: Array, max_version: tuple[int, int] | None = None) -> Any:
    """A capsule of the array's memory, of the newer structure where the taker knows it: what it gives may be written to."""
    if not array.flags.writeable:  # as expanded arrays are; NumPy would hand on that they are
        array = memory.fenced(array)
    if array.dtype.name != "bfloat16":
        return array.__dlpack__(max_version=max_version)
    capsule = array.view(np.uint16).__dlpack__(max_version=max_version)
    _code(capsule).value = _BFLOAT
    return capsule


class _Exporter:
    """Another library's tensor, of which NumPy gets a capsule that it can read."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.is_bfloat16 = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.source.__dlpack__(**options) if hasattr(self.source, "__dlpack__") else self.source
        code = _code(capsule)
        if code is not None and code.value == _BFLOAT:
            code.value = _UNSIGNED
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
