"""The OpenBLAS in NumPy's wheel, called for what it can do and NumPy has no call for."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path
from typing import Any

import numpy as np


@functools.cache
def function(name: str) -> Any:
    """A function of the library itself, ``get_num_threads`` say; None where NumPy is built with another BLAS."""
    for library in _libraries():
        for full in (f"{prefix}openblas_{name}{suffix}" for suffix in ("64_", "") for prefix in ("scipy_", "")):
            if hasattr(library, full):
                return getattr(library, full)
    return None


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


def runner(oldest: tuple[int, ...], newest: tuple[int, ...]) -> tuple[Any, Any] | None:
    """Its own ``exec_blas(count, jobs)`` and how many threads it may use now, where its version is one of these and its threads are
    POSIX's; None elsewhere."""
    config, parallel = function("get_config"), function("get_parallel")
    if config is None or parallel is None or parallel() != 1:
        return None
    config.restype = ctypes.c_char_p
    version = re.match(rb"OpenBLAS (\d+)\.(\d+)\.(\d+)", config() or b"")
    if version is None or not oldest <= tuple(map(int, version.groups())) <= newest:
        return None
    for library in _libraries():
        if hasattr(library, "exec_blas") and hasattr(library, "blas_cpu_number"):
            execute = library.exec_blas
            execute.argtypes, execute.restype = [ctypes.c_long, ctypes.c_void_p], ctypes.c_int
            return execute, ctypes.c_int.in_dll(library, "blas_cpu_number")
    return None


def kernels() -> str:
    """The processors that it has chosen its kernels for; empty where there is none."""
    name = function("get_corename")
    if name is None:
        return ""
    name.restype = ctypes.c_char_p
    return (name() or b"").decode()
