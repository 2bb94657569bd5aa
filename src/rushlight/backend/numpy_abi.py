"""NumPy's table of C functions; None where its interface is another than NumPy 2's or the interpreter is not CPython."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from typing import Any

_ABI = 0x02000000
_ABI_VERSION = 0  # where the table has it


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


functions = _functions()
