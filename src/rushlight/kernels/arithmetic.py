"""Sums, differences, products and quotients of many numbers: as NumPy's, to the last bit, where several threads or a broadcast gain by it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import half_precision, native
from .half_precision import Array

MANY = 1 << 15
"""Numbers up to which NumPy's is left alone."""
_SHARED = 1 << 16  # from there on a call costs less than another thread saves, where both have as many


def _function(name: str) -> Callable[[Array, Array], Array | None]:
    loop: Callable[[Array, Array, Array], bool] | None = getattr(native, name, None)
    of_halves: Callable[[Array, Array], Array | None] = getattr(half_precision, name)

    def kernel(a: Array, b: Array) -> Array | None:
        if a.dtype.itemsize == 2:
            return of_halves(a, b)
        if loop is None or a.dtype is not b.dtype or a.dtype.char not in "fd":
            return None
        shape = a.shape
        if shape == b.shape or not b.ndim:
            if not is_shared(a):
                return None
        else:
            shape = np.broadcast(a, b).shape
        out = np.empty(shape, a.dtype)
        return out if loop(out, a, b) else None

    return kernel


add, subtract, multiply, divide = map(_function, ("add", "subtract", "multiply", "divide"))


def is_shared(x: Array) -> bool:
    """Whether several threads work on as many numbers of this kind."""
    return native is not None and x.size > _SHARED and x.dtype.char in "fd" and native.threads() > 1


def written(ufunc: np.ufunc, x: Array, other: Array) -> bool:
    """Writes ``ufunc(x, other)`` into the memory of ``x``; False, having done nothing, where that is NumPy's to do."""
    loop = getattr(native, ufunc.__name__, None) if is_shared(x) else None
    return loop is not None and loop(x, x, other)
