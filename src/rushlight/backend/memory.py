"""The blocks of memory that arrays lie in, and arrays laid over them."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from ..base.strides import dense, reach, span
from . import numpy as backend
from .numpy import Array, Shape

_BYTE = np.dtype(np.uint8)


class _Bytes:
    """Memory of an array as bytes, for np.asarray; keeps the array alive."""

    def __init__(self, owner: Any, address: int, size: int) -> None:
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "data": (address, False), "shape": (size,)}
        self.owner = owner


class _Border(_Bytes):
    """Memory of a caller's array, which ends here: a tensor over it knows nothing of what lies around it."""


def fenced(array: Array) -> Array:
    """The same memory as an array that is the root of all its views, though ``array`` may be part of a larger one."""
    if array.base is None:
        return array
    whole = np.asarray(_Border(array, backend.address(array), span(array)))
    return np.ndarray(array.shape, array.dtype, whole, 0, array.strides)


def owner(array: Array) -> object:
    """What owns the memory of ``array``, which may be a caller's larger array, or no array at all."""
    found: Any = backend.root(array)
    while found is not None:
        last, base = found, getattr(found, "base", None)
        found = base.owner if isinstance(base, _Bytes) else getattr(base, "obj", base)  # a memoryview's
    return last


def block(array: Array) -> Array:
    """All the memory that ``array`` is a part of, as bytes."""
    whole = backend.root(array)
    if whole.flags.c_contiguous:
        return whole.reshape(-1).view(_BYTE)
    return np.asarray(_Bytes(whole, backend.address(whole), span(whole)))


# Blocks of which an array was handed out, by their ids. Their weak references have no callbacks, where a Ctrl-C would be lost: those
# of freed blocks go when there are many.
_shown: dict[int, weakref.ref[Array]] = {}
_most = [1024]


def show(array: Array) -> Array:
    """An array over the same memory, for the user, whose memory it stays: it is not replaced by a longer block from now on."""
    whole = backend.root(array)
    if not _is_shown(whole):
        if len(_shown) >= _most[0]:
            for key, shown in list(_shown.items()):
                if shown() is None:
                    _shown.pop(key, None)
            _most[0] = max(1024, 2 * len(_shown))
        _shown[id(whole)] = weakref.ref(whole)
    return array.view()


def _is_shown(whole: Array) -> bool:
    shown = _shown.get(id(whole))
    return shown is not None and shown() is whole


def resizable(array: Array) -> bool:
    """Whether the memory is a tensor's own, which may be replaced by a longer block."""
    whole = backend.root(array)
    base = whole.base
    return not _is_shown(whole) and (base is None or (isinstance(base, _Bytes) and not isinstance(base, _Border)))


def laid_over(whole: Array, dtype: np.dtype[Any], shape: Shape, strides: tuple[int, ...] | None, offset: int) -> Array:
    """An array over bytes, from element ``offset`` on; strides in elements. RuntimeError where they do not suffice."""
    size = dtype.itemsize
    if strides is None:
        strides = dense(shape)
    need = (offset + reach(shape, strides) + 1) * size
    if math.prod(shape) and need > whole.size:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and itemsize {size} "
            f"requiring a storage size of {need} are out of bounds for storage of size {whole.size}"
        )
    if not math.prod(shape):  # it keeps the memory, in which it may grow again
        return np.ndarray(shape, dtype, whole, min(offset * size, whole.size))
    return np.ndarray(shape, dtype, whole, offset * size, tuple(step * size for step in strides))
