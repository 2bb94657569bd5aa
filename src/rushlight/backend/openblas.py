"""The OpenBLAS in NumPy's wheel, called for what it can do and NumPy has no call for.

Its threads wait for work in a loop, so they begin at once where a thread of Python takes 30 us to wake. And what they
have read or written for a product lies in their processors' caches: another processor has to take it back from there, 64
bytes at a time, before it may write it (measured: 784 x 128 floats that a product has just read take 14 us to be
subtracted from in one cache, 70 to 290 when they lie in four, 20 to 55 by the threads that have them).
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import numpy as np

from .numpy import Array

_REAL = {"f": ("s", ctypes.c_float), "d": ("d", ctypes.c_double)}
# From so many elements on OpenBLAS adds vectors up on its threads; more than the last its integers may not be able to count.
SHARED, _MOST = 1 << 14, (1 << 31) - 1
_REMEMBERED = 256

# What products on several threads have read lately, by identity: where one has come to name another array, the sum below
# is as right, and a little slower.
_read: set[int] = set()


@functools.cache
def function(name: str) -> Any:
    """A function of the library itself, ``get_num_threads`` say; None where NumPy is built with another BLAS."""
    return next((getattr(library, full) for library, full, _ in _found("openblas_", name)), None)


@functools.cache
def _routine(name: str) -> tuple[Any, Any] | None:
    """A routine of BLAS, ``sgemm`` say, and the type of its integers."""
    return next(((getattr(library, full), integer) for library, full, integer in _found("cblas_", name)), None)


def _found(family: str, name: str) -> list[tuple[ctypes.CDLL, str, Any]]:
    return [
        (library, full, integer)
        for library in _libraries()
        for suffix, integer in (("64_", ctypes.c_int64), ("", ctypes.c_int))
        for prefix in ("scipy_", "")
        if hasattr(library, full := f"{prefix}{family}{name}{suffix}")
    ]


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
    name = function("get_corename")
    if name is None:
        return ""
    name.restype = ctypes.c_char_p
    return (name() or b"").decode()


def note_read(*factors: Array) -> None:
    """Remembers that several threads have read these arrays."""
    if len(_read) > _REMEMBERED:
        _read.clear()
    for each in factors:
        _read.add(id(each if each.base is None else each.base))


def added_by_threads(target: Array, values: Array, factor: float) -> bool:
    """Adds ``factor`` (1 or -1) times the values to an array that several threads have read; False, and nothing done, for others.

    To the last bit what ``target += values`` or ``target -= values`` gives: the product is exact.
    """
    if (
        id(target if target.base is None else target.base) not in _read
        or not SHARED <= target.size <= _MOST
        or values.shape != target.shape
        or values.dtype is not target.dtype
        or not (_plain(target) and target.flags.writeable and _plain(values))
        or np.may_share_memory(target, values)
    ):
        return False
    axpy = _adding(target.dtype.char)
    if axpy is None:
        return False
    axpy(target.size, factor, values.ctypes.data, 1, target.ctypes.data, 1)
    return True


def _plain(array: Array) -> bool:
    return array.flags.c_contiguous and array.flags.aligned


@functools.cache
def _adding(char: str) -> Any:
    """``y += alpha * x`` of BLAS; None where there is none."""
    letter, number = _REAL.get(char, ("", None))
    found = _routine(f"{letter}axpy") if letter else None
    if found is None:
        return None
    axpy, integer = found
    axpy.argtypes = [integer, number, ctypes.c_void_p, integer, ctypes.c_void_p, integer]
    axpy.restype = None
    return axpy
