"""An array whose operators work in parts: how a rule made of operators is read where its arrays are large."""

from __future__ import annotations

from typing import Any

import numpy as np

from .blockwise import spread
from .numpy import Array, number


class PartedArray:
    """Stands for an array of floats within a rule; other arrays and numbers meet it as they are."""

    __slots__ = ("_array",)
    __array_ufunc__ = None  # arrays leave their operators with it to it

    def __init__(self, array: Array) -> None:
        self._array = array

    def __add__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.add, self._array, self._meeting(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.subtract, self._array, self._meeting(other)))

    def __rsub__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.subtract, self._meeting(other), self._array))

    def __mul__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.multiply, self._array, self._meeting(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.true_divide, self._array, self._meeting(other)))

    def __rtruediv__(self, other: Any) -> PartedArray:
        return PartedArray(spread(np.true_divide, self._meeting(other), self._array))

    def __neg__(self) -> PartedArray:
        return PartedArray(spread(np.negative, self._array))

    def conj(self) -> PartedArray:
        """For what came of meeting complex numbers."""
        return PartedArray(self._array.conj())

    def _meeting(self, other: Any) -> Array:
        if other.__class__ is PartedArray:
            return other._array  # type: ignore[no-any-return]
        kind = other.__class__
        if kind is float or kind is int:
            known = number(other, self._array.dtype)
            if known is not None:
                return known
        return np.asarray(other, np.result_type(self._array, other) if kind in _NUMBERS else None)


_NUMBERS = frozenset((bool, int, float, complex))  # Python's, which take the dtype of what they meet


def parted(value: Any) -> Any:
    """A large array of floats as one that works in parts; anything else as it is."""
    return PartedArray(value) if value.__class__ is np.ndarray and value.dtype.kind == "f" else value


def whole(value: Any) -> Any:
    """The array that :func:`parted` was given, or that came of it."""
    return value._array if value.__class__ is PartedArray else value
