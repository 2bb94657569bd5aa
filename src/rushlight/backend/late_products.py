"""Sums of products that are multiplied out at the end: the gradient of a weight that every step of a loop uses.

Each step gives ``aᵀ @ g`` with as many rows in ``a`` and ``g`` as the batch has examples. Fifty products of 8 rows, each
added to the sum so far, cost several times what one product of 400 rows does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import threads
from .matmul import product
from .numpy import Array

_FEW_ROWS = 32  # of more a product is worth doing at once
_OUTCOMES = 1 << 12  # elements of the result, which it pays not to add up so often
_KEPT = 1 << 19  # elements that wait
_LARGE = 1 << 25  # multiplications


class LateProducts:
    """The sum of ``aᵀ @ g`` over pairs of real matrices. The engine adds to it, and asks for its sum before a leaf gets it."""

    __slots__ = ("done", "dtype", "lefts", "nbytes", "rights", "shape", "waiting")
    __array_ufunc__ = None  # an array leaves it to this class to be added

    def __init__(self, a: Array, g: Array) -> None:
        self.lefts, self.rights = [a], [g]
        self.shape, self.dtype = (a.shape[1], g.shape[1]), g.dtype
        self.nbytes = self.shape[0] * self.shape[1] * g.itemsize
        self.waiting = a.size + g.size
        self.done: Array | None = None

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not LateProducts or other.done is not None:
            return self.summed() + (other if isinstance(other, np.ndarray) else other.summed())
        self.lefts += other.lefts
        self.rights += other.rights
        self.waiting += other.waiting
        if self.waiting > _KEPT:
            self.done = self.summed()
            self.lefts, self.rights, self.waiting = [], [], 0
        return self

    __radd__ = __add__

    def summed(self) -> Array:
        if not self.lefts:
            assert self.done is not None
            return self.done
        if len(self.lefts) == 1:
            a, g = self.lefts[0], self.rights[0]
        else:
            a, g = np.concatenate(self.lefts), np.concatenate(self.rights)
        if a.size * g.shape[1] > _LARGE:
            total = product(a.T, g)
        else:  # threads that have slept through the loop would hold it up more than they help
            with threads.blas_threads(1):
                total = product(a.T, g)
        if self.done is not None:
            total += self.done
        return total


def later(g: Array, a: Array) -> LateProducts | None:
    """``aᵀ @ g`` for later; None where there would be nothing to gain."""
    if len(a) > _FEW_ROWS or a.dtype.char not in "fd" or a.shape[1] * g.shape[1] < _OUTCOMES:
        return None
    return LateProducts(a, g)
