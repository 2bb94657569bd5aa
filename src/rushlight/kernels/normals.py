"""Normal numbers and permutations of random ones, compiled: PyTorch's to the bit, as NumPy's kernels make them."""

from __future__ import annotations

import numpy as np

from . import native
from .rows import Array


def fill_blocks(uniform: Array, mean: float, std: float) -> Array | None:
    return uniform if native and native.normal_blocks(uniform, mean, std) else None


def swapped(words: Array, length: int) -> Array | None:
    order = np.empty(length, np.int64)
    return order if native and native.swapped(order, words) else None
