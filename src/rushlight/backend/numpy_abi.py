"""What NumPy's binary interface says and Python has no name for: its C functions, where arrays lie, what ufuncs are made of.

Structures are read as the headers of NumPy 2 lay them out; where the interface is another, or the interpreter is not
CPython, :data:`functions` is None and nothing else here but :func:`address` may be called.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .numpy import Array

_ABI = 0x02000000
_ABI_VERSION = 0  # where the table has it
_OBJECT = object.__basicsize__  # bytes, before what an array, the address of its first element, or a ufunc has of its own

# All of it, in words: an index is four times as quick as a pointer made anew.
_memory = (ctypes.c_size_t * (sys.maxsize // 16)).from_address(0)


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
    """Where an array's first element lies: what ``__array_interface__`` says, in a tenth of the time."""
    return _memory[id(array) + _OBJECT >> 3]


def _address_as_told(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def _word(address: int) -> int:
    return _memory[address >> 3]


def inner_loop(ufunc: np.ufunc, types: str) -> tuple[int, int] | None:
    """The C function ``loop(addresses, length, steps, data)`` of a ufunc for these types, ``"ff->f"`` say, and its data."""
    if types not in ufunc.types:
        return None
    number = ufunc.types.index(types)
    own = id(ufunc) + _OBJECT + 4 * ctypes.sizeof(ctypes.c_int)  # behind nin, nout, nargs and identity
    loops, data = _word(own), _word(own + 8)
    loop = loops and _word(loops + 8 * number)
    return (loop, data and _word(data + 8 * number)) if loop else None


functions = _functions()
if functions is None:
    address = _address_as_told
