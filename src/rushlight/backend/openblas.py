"""The OpenBLAS in NumPy's wheel, called for what it can do and NumPy has no call for."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import numpy as np


@functools.cache
def function(name: str) -> Any:
    """``openblas_get_num_threads`` say; None where NumPy is built with another BLAS. "64_" at the end of its own name says
    how wide its numbers of rows and columns are."""
    for library in _libraries():
        for full in (f"{prefix}{name}{suffix}" for suffix in ("64_", "") for prefix in ("scipy_", "")):
            if hasattr(library, full):
                return getattr(library, full)
    return None


_NUMBERS = {"s": ctypes.c_float, "d": ctypes.c_double, "i": ctypes.c_int, "a": ctypes.c_void_p}


@functools.cache
def routine(name: str, arguments: str) -> Any:
    """A function of BLAS's C interface that returns nothing, ``cblas_sger`` say; None where there is none to be called.

    ``arguments``  a letter for each: ``i`` for a choice, ``n`` for how many, ``a`` for an address, ``s`` and ``d`` for a number.
    """
    found = function(name)
    if found is not None:
        size = ctypes.c_int64 if found.__name__.endswith("64_") else ctypes.c_int
        found.argtypes = [size if letter == "n" else _NUMBERS[letter] for letter in arguments]
        found.restype = None
    return found


@functools.cache
def _libraries() -> list[ctypes.CDLL]:
    package = Path(np.__file__).parent
    libraries = []
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                libraries.append(ctypes.CDLL(str(path)))
            except OSError:
                continue
    return libraries


def kernels() -> str:
    """The processors that it has chosen its kernels for; empty where there is none."""
    name = function("openblas_get_corename")
    if name is None:
        return ""
    name.restype = ctypes.c_char_p
    return (name() or b"").decode()
