"""Memory that `torch.empty` gave: what an element held before something was written there is nobody's value."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from ..backend.numpy import Array, strided
from ..tensor import Tensor
from .noted import quietly
from .values import array_of

LARGEST = 1_000_000  # elements of memory that is watched
# Ops in place that write to some elements: to which is seen by what has changed.
SOME = ("index_", "masked_", "scatter_", "put_", "fill_diagonal_")


@dataclass
class Memory:
    """What an array held at first, the elements that are still to be written, and how many writes were told of."""

    array: weakref.ref[Array]
    before: Array
    waiting: Array
    version: int = 0


class Unset:
    """Which elements nothing was written to, by the arrays that have the memory."""

    def __init__(self, failures: list[str]) -> None:
        self.failures = failures
        self._memories: dict[int, Memory] = {}

    @quietly
    def made(self, array: Array) -> None:
        """An array is handed on whose elements nobody has set."""
        root = _root(array)
        if array.size and array.dtype == root.dtype and root.flags.c_contiguous and root.size <= LARGEST:
            key, memories = id(root), self._memories
            if self._memory(root) is None:
                gone = weakref.ref(root, lambda _: memories.pop(key, None) and None)
                memories[key] = Memory(gone, root.copy(), np.zeros(root.shape, bool))
            _part(memories[key].before, array, root)[...] = array
            _part(memories[key].waiting, array, root)[...] = True

    @quietly
    def written(self, name: str, tensor: Tensor) -> None:
        """An op in place has run."""
        array = array_of(tensor)
        memory = None if array is None else self._memory(_root(array))
        if memory is not None:
            memory.version = int(tensor._counter[0])
            if array.itemsize != memory.before.itemsize:
                memory.waiting[...] = False
            elif not name.startswith(SOME):
                _part(memory.waiting, array, _root(array))[...] = False

    def holes(self, value: object) -> Array | None:
        """Which elements of a value nothing was written to; None where that is none."""
        array = array_of(value) if self._memories else None
        if array is None or not array.size:
            return None
        root = _root(array)
        memory = self._memory(root)
        if memory is None or array.dtype != root.dtype:
            return None
        if isinstance(value, Tensor) and value._counter[0] != memory.version:  # `out=`, random numbers: they write to all
            memory.waiting[...] = False
        before = _part(memory.before, array, root)
        found = _part(memory.waiting, array, root) & ((array == before) | ((array != array) & (before != before)))
        return found if found.any() else None

    def _memory(self, root: Array) -> Memory | None:
        memory = self._memories.get(id(root))
        return memory if memory is not None and memory.array() is root else None


def _root(array: Array) -> Array:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _part(of: Array, array: Array, root: Array) -> Array:
    """The elements of something laid out as ``root`` that ``array``, a view of it, has."""
    size = root.itemsize
    first = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // size
    return strided(of, array.shape, tuple(step // size * of.itemsize for step in array.strides), first * of.itemsize)
