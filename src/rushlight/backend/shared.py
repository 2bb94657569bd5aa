"""Memory that processes share: a file without a name, which every process maps into its own memory.

A forked process has it as it is; to any other the file's descriptor is handed.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from . import memory
from .numpy import Array, address, root


class SharedBlock(mmap.mmap):
    """Bytes that live as long as a process maps them."""

    descriptor: int

    def __del__(self, close: Any = os.close) -> None:  # kept here, since at the end of the program there may be no os
        close(self.descriptor)


def mapped(descriptor: int, size: int) -> Array:
    """The bytes of a shared file, whose descriptor is closed with them."""
    block = SharedBlock(descriptor, size)
    block.descriptor = descriptor
    return np.frombuffer(block, np.uint8)


def block_of(array: Array) -> SharedBlock | None:
    """The shared memory in which an array lies, if it does."""
    base = root(array).base
    if isinstance(base, memoryview) and isinstance(base.obj, SharedBlock):
        return base.obj
    return None


def moved(array: Array) -> Array:
    """The array over a copy of its memory that processes share; strides and offset stay."""
    whole = memory.block(array)
    size = max(whole.size, 1)
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("rushlight")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    shared = mapped(descriptor, size)
    shared[: whole.size] = whole
    offset = address(array) - address(whole) if array.size else 0
    return view(shared, array.dtype, array.shape, array.strides, offset)


def view(shared: Array, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    """An array over shared bytes, from byte ``offset`` on."""
    return np.ndarray(shape, dtype, shared, offset, strides)
