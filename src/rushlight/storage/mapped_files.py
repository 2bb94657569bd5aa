"""Memory that is a file's."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

_BYTE = np.dtype(np.uint8)


def mapped(filename: str, shared: bool, nbytes: int) -> np.ndarray[Any, Any]:
    """The first ``nbytes`` bytes of a file, read when they are needed; ``shared``: changes go to the file, which grows if it must.

    RuntimeError where the file is shorter and not shared.
    """
    if not os.path.exists(filename):
        if not shared:
            raise RuntimeError(f"unable to open file <{filename}> in read-only mode: No such file or directory (2)")
        open(filename, "xb").close()
    with open(filename, "r+b" if shared else "rb") as file:
        have = file.seek(0, 2)
        if have < nbytes:
            if not shared:
                raise RuntimeError(f"file <{filename}> size <{have}> is smaller than the required mapping size <{nbytes}>")
            file.truncate(nbytes)
        if not nbytes:
            return np.empty(0, _BYTE)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        return np.frombuffer(mmap.mmap(file.fileno(), nbytes, access=access), _BYTE)
