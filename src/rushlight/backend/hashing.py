"""The sum of bits that hash_tensor is."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array


def xor_sum(x: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
    """The exclusive or of the 64 bits of each element, as a double or a long integer."""
    wide = x.astype(np.int64 if x.dtype.kind in "biu" else np.float64)
    reduce: Any = np.bitwise_xor.reduce
    return np.asarray(reduce(wide.view(np.uint64), axis, keepdims=keepdims))
