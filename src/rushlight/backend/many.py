"""Many numbers whose operators are compiled: what rules compute with in a backward pass.

NumPy's own operators turn those of float16 and bfloat16 into single precision one after another, which takes ten times as long; of
float32 and float64 they work on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.strides import is_stretched
from ..kernels import arithmetic
from ..kernels.half_precision import is_half
from .arithmetic import subtract
from .numpy import Array, in_single
from .pointwise import add_of_many, divide_of_many, multiply_of_many


def _operator(kernel: Callable[[Array, Array], Array], name: str, is_swapped: bool = False) -> Any:
    usual = getattr(np.ndarray, name)

    def operator(self: Array, other: object) -> object:
        if other.__class__ is float or other.__class__ is int:
            other = np.asarray(other, self.dtype)
        if not isinstance(other, np.ndarray) or other.dtype is not self.dtype:  # a number is one of single precision
            return usual(in_single(self) if getattr(other, "dtype", None) == np.float32 else self, other)
        return (kernel(other, self) if is_swapped else kernel(self, other)).view(Many)

    return operator


class Many(Array):
    """An array of many numbers."""

    __add__, __radd__ = _operator(add_of_many, "__add__"), _operator(add_of_many, "__radd__", True)
    __sub__, __rsub__ = _operator(subtract, "__sub__"), _operator(subtract, "__rsub__", True)
    __mul__, __rmul__ = _operator(multiply_of_many, "__mul__"), _operator(multiply_of_many, "__rmul__", True)
    __truediv__ = _operator(divide_of_many, "__truediv__")
    __rtruediv__ = _operator(divide_of_many, "__rtruediv__", True)


def as_many(x: object) -> object:
    """The same memory under these operators, where it holds such numbers."""
    return x.view(Many) if isinstance(x, np.ndarray) and (is_half(x) or arithmetic.is_shared(x)) else x


def summed(have: Array, g: Array) -> Array:
    """``have + g``."""
    return add_of_many(have, g) if g.__class__ is np.ndarray else have + g


def add_into(total: Array, values: Array) -> None:
    """``total += values``; ValueError where there is no room for it, or one place for several elements."""
    if total.base is not None and 0 in total.strides and is_stretched(total):
        raise ValueError("several elements in one place")
    if total.itemsize == 2 and is_half(total):
        total[...] = add_of_many(total, values)
    elif not arithmetic.written(np.add, total, values):
        np.add(total, values, total)


def plain_arrays(grads: tuple[object, ...]) -> tuple[object, ...]:
    """The same memory under NumPy's."""
    return tuple([g.view(np.ndarray) if isinstance(g, Many) else g for g in grads])
