"""The OpenBLAS in NumPy's wheel: how many threads it has, and the processor that it has chosen its kernels for.

What threadpoolctl asks, of the same functions: they are published, and take and give numbers and words, no arrays.
"""

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
