"""`torch.Size`: the shape of a tensor, a tuple of ints that stays one when sliced or joined."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from operator import index
from typing import Any


class _Named(type):
    """Of a class that Python's own errors call by its whole name, as they do PyTorch's, which is C's."""

    __name__ = property(lambda cls: cls.__qualname__)  # type: ignore[assignment]


class Size(tuple[int, ...], metaclass=_Named):
    """A tuple of ints. Raises TypeError for an item that is no integer.

    >>> import rushlight as torch
    >>> size = torch.Size([2, 3])
    >>> size[:1] + (4,), size.numel()
    (torch.Size([2, 4]), 6)
    """

    __module__ = "rushlight"  # where pickles find it
    __slots__ = ()

    def __new__(cls, iterable: Iterable[Any] = (), /) -> Size:
        return tuple.__new__(cls, [_checked(item, nr) for nr, item in enumerate(iterable)])

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return of_ints(found) if key.__class__ is slice else found

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size((*self, *other))

    def __radd__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented  # a list says what it cannot do, and takes the items for `+=`
        return Size((*other, *self))

    def __mul__(self, times: Any) -> Size:
        if not hasattr(times, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(times).__name__}'")
        return of_ints(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)


type.__dict__["__name__"].__set__(Size, "torch.Size")
of_ints: Callable[[Iterable[int]], Size] = partial(tuple.__new__, Size)  # no checks: for shapes known to be ints


def _checked(item: Any, nr: int) -> int:
    try:
        value = index(item)
    except (TypeError, ValueError, RuntimeError):
        kind = type(item)
        name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {nr} is '{name}')") from None
    if not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return value


class _Sizes(dict[tuple[int, ...], Size]):
    """Shapes as ``torch.Size``: a program asks again and again for the same few, and making one takes longer than finding it."""

    def __missing__(self, shape: tuple[int, ...]) -> Size:
        size = tuple.__new__(Size, shape)
        if len(self) < _KEPT:
            self[shape] = size
        return size


_KEPT = 4096
known_sizes = _Sizes()
