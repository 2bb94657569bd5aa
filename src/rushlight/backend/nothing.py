"""What stands for the array of a tensor on the meta device: shape, strides and dtype, and no numbers.

Whoever asks for numbers gets PyTorch's error, so no result can come of what is not there.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..base.strides import dense, span

Shape = tuple[int, ...]
Array = np.ndarray[Any, Any]
Kind = np.dtype[Any]


class NoData(NotImplementedError):
    """The numbers of a meta tensor were asked for."""

    def __init__(self) -> None:
        super().__init__("Cannot copy out of meta tensor; no data!")


NoData.__name__ = NoData.__qualname__ = "NotImplementedError"  # to whoever reads it
NoData.__module__ = "builtins"


class Nothing:
    """An array without numbers.

    ``lines``   an array that lies as this one would, over memory that is not there: to be taken views of, not to be read
    ``memory``  what its views share, as arrays share memory; an object that lives as long as one of them
    ``nbytes_of_memory``, ``offset``  how many bytes that memory would have, and at which of them the array begins
    """

    __slots__ = ("base", "lines", "memory", "nbytes_of_memory", "offset")

    def __init__(self, lines: Array, memory: object, nbytes_of_memory: int, offset: int = 0) -> None:
        self.lines, self.memory, self.nbytes_of_memory, self.offset = lines, memory, nbytes_of_memory, offset
        self.base = None

    shape = property(lambda self: self.lines.shape)
    strides = property(lambda self: self.lines.strides)
    dtype = property(lambda self: self.lines.dtype)
    ndim = property(lambda self: self.lines.ndim)
    size = property(lambda self: self.lines.size)
    itemsize = property(lambda self: self.lines.itemsize)
    nbytes = property(lambda self: self.lines.nbytes)
    flags = property(lambda self: self.lines.flags)

    def __len__(self) -> int:
        return len(self.lines)

    def zeros(self) -> Array:
        """An array that lies as this one would, of zeros; the system gives it memory where it is written to."""
        if self.flags.c_contiguous:
            return np.zeros(self.shape, self.dtype)
        memory = np.zeros(span(self) // self.itemsize, self.dtype)
        return np.lib.stride_tricks.as_strided(memory, self.shape, self.strides)

    def transpose(self, *axes: int) -> Nothing:
        return Nothing(self.lines.transpose(*axes), self.memory, self.nbytes_of_memory, self.offset)

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise NoData

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or name == "as_tensor":  # what stands for an array elsewhere says how it becomes a tensor
            raise AttributeError(name)
        raise NoData

    __array__ = __array_ufunc__ = __array_function__ = __getitem__ = __setitem__ = __iter__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mul__ = __rmul__ = _refuse
    __bool__ = __float__ = __int__ = __index__ = _refuse
    __hash__ = object.__hash__


def outlined(shape: Shape, dtype: Kind, strides: Shape | None = None) -> Array:
    """An array of a shape and strides (in bytes; dense where left out) that must not be read."""
    there = dense(shape, dtype.itemsize) if strides is None else strides
    return np.lib.stride_tricks.as_strided(np.empty(1, f"V{dtype.itemsize}"), shape, there).view(dtype)
