"""What NumPy's binary interface says and Python has no name for: its C functions, where arrays lie, what ufuncs are made of.

Structures are read as the headers of NumPy 2 lay them out; where the interface is another, or the interpreter is not
CPython, :data:`functions` is None and nothing else here may be called.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from typing import Any

import numpy as np

from .numpy import Array

_ABI = 0x02000000
_ABI_VERSION = 0  # where the table has it
_OBJECT = object.__basicsize__  # bytes, before what an array or a ufunc has of its own
DATA = _OBJECT  # where in an array the address of its first element is

pointer_at = ctypes.c_void_p.from_address


def _functions() -> Any:
    """NumPy's table of C functions."""
    table = getattr(sys.modules.get("numpy._core._multiarray_umath"), "_ARRAY_API", None)
    free_threaded = sysconfig.get_config_var("Py_GIL_DISABLED")
    if table is None or sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or free_threaded:
        return None
    address = capsule_content(table, None)
    found = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    return found if ctypes.CFUNCTYPE(ctypes.c_uint)(found[_ABI_VERSION])() == _ABI else None


def capsule_content(capsule: Any, name: bytes | None) -> Any:
    """The address that a capsule holds."""
    content = ctypes.pythonapi.PyCapsule_GetPointer
    content.restype, content.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return content(capsule, name)


def address(array: Array) -> int:
    """Where an array's first element lies: ``array.ctypes.data`` in an eighth of the time."""
    return pointer_at(id(array) + DATA).value or 0


def inner_loop(ufunc: np.ufunc, types: str) -> tuple[int, int] | None:
    """The C function ``loop(addresses, length, steps, data)`` of a ufunc for these types, ``"ff->f"`` say, and its data."""
    if types not in ufunc.types:
        return None
    number = ufunc.types.index(types)
    own = id(ufunc) + _OBJECT + 4 * ctypes.sizeof(ctypes.c_int)  # behind nin, nout, nargs and identity
    loops, data = pointer_at(own).value, pointer_at(own + 8).value
    if not loops:
        return None
    loop = pointer_at(loops + 8 * number).value
    return (loop, (data and pointer_at(data + 8 * number).value) or 0) if loop else None


functions = _functions()
