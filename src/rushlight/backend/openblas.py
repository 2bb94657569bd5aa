"""The OpenBLAS in NumPy's wheel, called for what it can do and NumPy has no call for."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import symbols

# From one version to another: the words of a job, and in which the next one's address is. The fourth number counts the changes
# since a release, in the builds that NumPy's wheels have.
_JOBS = (((0, 3, 29), (0, 3, 34, 0), (21, 8)), ((0, 3, 34, 106), (0, 3, 34, 237), (22, 9)))


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


class Runner(NamedTuple):
    """``exec_blas(count, jobs)``, how many threads it may use now, and what a job is: so many words, the next job's address in one."""

    execute: Any
    threads: Any
    words: int
    next: int


def runner() -> Runner | None:
    """How its threads are given work, where its version is known and they are POSIX's; None elsewhere."""
    config, parallel = function("openblas_get_config"), function("openblas_get_parallel")
    if config is None or parallel is None or parallel() != 1:
        return None
    config.restype = ctypes.c_char_p
    layout = _layout(config() or b"")
    if layout is None:
        return None
    for library in _libraries():
        places = symbols.addresses(library, config.__name__, "exec_blas", "blas_cpu_number")
        if places is not None:
            execute = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_long, ctypes.c_void_p)(places[0])
            return Runner(execute, ctypes.c_int.from_address(places[1]), *layout)
    return None


def _layout(config: bytes) -> tuple[int, int] | None:
    """The words of a job and which is the next one's address; None for versions that are not known."""
    version = re.match(rb"OpenBLAS ([\d.]+)", config)
    number = tuple(map(int, re.findall(rb"\d+", version[1])[:4])) if version else ()
    return next((layout for oldest, newest, layout in _JOBS if oldest <= number <= newest), None)


def kernels() -> str:
    """The processors that it has chosen its kernels for; empty where there is none."""
    name = function("openblas_get_corename")
    if name is None:
        return ""
    name.restype = ctypes.c_char_p
    return (name() or b"").decode()
