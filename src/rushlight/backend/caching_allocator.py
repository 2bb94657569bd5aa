"""Freed memory, kept for the arrays to come.

A fresh array of 100 KB or more costs several times its arithmetic in page faults, for the C library gives large blocks
back to the system as soon as they are freed. Here GNU's C library is told to keep them: blocks of up to 32 MB (the most it
allows) lie in its heap, and the heap is cut back only when more than a bound is free at its end. So whatever NumPy
allocates, temporaries of kernels among it, is handed out again, and a block is free when ``free`` was called and at no
other time: views, ``numpy()``, DLPack and threads need no care.

Other C libraries keep their own habits: the functions here then answer and do nothing.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # of <malloc.h>
_LARGEST_KEPT = 32 << 20  # the highest threshold that mallopt takes on 64 bits
_MOST = (1 << 31) - 1  # it takes an int
_USUAL_THRESHOLD = 128 << 10
_FRACTION = 1 / 8


class _Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def glibc() -> Any:
    """GNU's C library, if that is the process's."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "gnu_get_libc_version") and hasattr(library, "mallopt") else None


def _machine() -> int:
    """Bytes of memory that this process may use."""
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/sys/fs/cgroup/memory.max") as file:
            return min(size, int(file.read()))
    except (OSError, ValueError):  # no such control group, or "max"
        return size


class _Heap:
    def __init__(self) -> None:
        self.library = glibc()
        self.limit = 0
        wanted = float(os.environ.get("RUSHLIGHT_MEMORY_FRACTION", _FRACTION))
        if self.library is not None and wanted > 0:
            self.keep(wanted)

    def keep(self, fraction: float) -> None:
        """Lets freed memory of up to this fraction of the machine's stay with the process."""
        if self.library is None:
            return
        self.limit = min(int(_machine() * fraction), _MOST)
        self.library.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT if self.limit else _USUAL_THRESHOLD)
        self.library.mallopt(_TRIM_THRESHOLD, self.limit)
        self.library.mallopt(_TOP_PAD, 0)


_heap = _Heap()


def set_memory_fraction(fraction: float) -> None:
    """Bounds the freed memory kept for new tensors to a fraction of the machine's; 0 gives everything back at once.

    An eighth unless set here or in the environment (``RUSHLIGHT_MEMORY_FRACTION``); never more than 2 GB. ValueError unless
    0 <= fraction <= 1.

    >>> import rushlight
    >>> rushlight.set_memory_fraction(0.125)
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction must be between 0 and 1, but got {fraction}")
    _heap.keep(fraction)


def memory_stats() -> dict[str, int]:
    """Bytes ``in_use`` by the process's tensors and objects, ``kept`` for new ones, and the ``limit`` of what is kept.

    All zero where the C library does not say.

    >>> import rushlight
    >>> sorted(rushlight.memory_stats())
    ['in_use', 'kept', 'limit']
    """
    library = _heap.library
    if library is None or not hasattr(library, "mallinfo2"):
        return {"in_use": 0, "kept": 0, "limit": _heap.limit}
    library.mallinfo2.restype = _Mallinfo2
    info = library.mallinfo2()
    return {"in_use": info.uordblks + info.hblkhd, "kept": info.fordblks, "limit": _heap.limit}


def empty_cache() -> None:
    """Gives the memory kept for new tensors back to the system.

    >>> import rushlight
    >>> rushlight.empty_cache()
    """
    if _heap.library is not None:
        _heap.library.malloc_trim(0)
