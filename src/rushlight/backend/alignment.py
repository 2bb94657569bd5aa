"""Arrays that begin where a line of the cache does, for large work on Intel's processors.

The C library hands out memory at multiples of 16 bytes, so most loads and stores of AVX-512, 64 bytes each, reach from one
line of the cache into the next. Intel's processors need twice the time for that: in NumPy's sums and products (measured,
10,000 floats 4.0 us and 2.0) and in OpenBLAS's kernels that read factors where they lie (256 x 128 by 128 x 384 in tiles 305
us and 202). There NumPy's memory handler gets the C library's ``aligned_alloc`` for its own way to new memory; how memory
is filled with zeros, resized and freed stays NumPy's.

That costs an array 0.08 us, too much for small ones, so large work asks for it: :func:`within` for a kernel, :data:`begin`
and :data:`end` for a pass. On other processors, with other C libraries and where heap.py leaves the C library alone nothing
is done.
"""

from __future__ import annotations

import contextvars
import ctypes
import functools
import math
import sys
from collections.abc import Callable
from typing import Any

from . import heap, numpy_abi

LINE = 64  # bytes
_WORTH = 1 << 12  # elements
_SET_HANDLER, _GET_HANDLER = 304, 305  # where NumPy's table of C functions has them
_CAPSULE, _VERSION = b"mem_handler", 1

# From the first to the second, in one context, new arrays begin at multiples of LINE. What the first gives the second takes.
begin: Callable[[], Any]
end: Callable[[Any], object]
was_large = [False]  # whether anything went through `within` since the last pass


class _Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in "context malloc calloc realloc free".split()]


class _Handler(ctypes.Structure):
    """A ``PyDataMem_Handler``."""

    _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("allocator", _Allocator)]


def within(function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(*arguments)``, whose new arrays begin at a line."""
    was_large[0] = True
    before = begin()
    try:
        return function(*arguments)
    finally:
        end(before)


def made(make: Callable[..., Any], sizes: Any, dtype: Any) -> Any:
    """``make(sizes, dtype)``, a new array that begins at a line if it is large."""
    if PAYS and sizes.__class__ is tuple and math.prod(sizes) >= FROM:
        return within(make, sizes, dtype)
    return make(sizes, dtype)


def _pays() -> bool:
    if not heap.is_kept() or _found is None:
        return False
    try:
        with open("/proc/cpuinfo") as file:
            return "GenuineIntel" in file.read(200)
    except OSError:
        return False


def _handler() -> tuple[contextvars.ContextVar[Any], Any] | None:
    """Where NumPy looks for its handler, and a copy of its own that differs in how it gets new memory."""
    library, functions = heap.glibc(), numpy_abi.functions
    if library is None or functions is None:
        return None
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    capsule = ctypes.PYFUNCTYPE(ctypes.py_object)(functions[_GET_HANDLER])()
    usual = _Handler.from_address(numpy_abi.capsule_content(capsule, _CAPSULE))
    if usual.version != _VERSION:
        return None
    # Arrays may outlive this module, at the end of the program: what frees them is in memory that is never freed.
    handler, name = _kept(bytes(usual)), _kept(_CAPSULE + b"\0")
    ours = _Handler.from_address(handler)
    ours.name = b"rushlight"
    # NumPy passes the context first, so that is aligned_alloc(LINE, size).
    ours.allocator.context, ours.allocator.malloc = LINE, ctypes.cast(library.aligned_alloc, ctypes.c_void_p).value
    capsule = new_capsule(handler, name, None)
    context = contextvars.Context()
    context.run(ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(functions[_SET_HANDLER]), capsule)
    return next(((variable, capsule) for variable, value in context.items() if value is capsule), None)


def _kept(content: bytes) -> int:
    """The address of a copy of these bytes, for as long as the process lives."""
    copy = ctypes.create_string_buffer(content, len(content))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(copy))
    return ctypes.addressof(copy)


def _nothing(before: Any = None) -> None:
    pass


_found = _handler()
if _found is not None:
    begin, end = functools.partial(_found[0].set, _found[1]), _found[0].reset
else:
    begin = end = _nothing
PAYS = _pays()
FROM = _WORTH if PAYS else sys.maxsize  # elements
