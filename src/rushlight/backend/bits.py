"""Choices between numbers by masks of bits.

The processor mispredicts half of the choices that a random mask asks for. Measured on a Xeon, 262,144 floats: np.where 1,600 us where
the mask is random and 230 where it is not, by bits 210 on four threads and 420 on one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .numpy import Array, laid_out

_MANY = 1 << 13  # elements from which on it pays
_WORDS: dict[str, np.dtype[Any]] = {"f": np.dtype(np.int32), "d": np.dtype(np.int64)}


@cache
def zero_of(dtype: np.dtype[Any]) -> Array:
    return np.zeros((), dtype)


def only(x: Array, mask: Array, zero: Array | None = None) -> Array:
    """``x`` where the mask is true, zero elsewhere (even where x is infinite or nan): PyTorch has a tensor of zeros for that."""
    bits = _bits(mask, x)
    if bits is None:
        out = np.where(mask, x, zero_of(x.dtype))
        return out if x.ndim < 2 or (mask.flags.c_contiguous and x.flags.c_contiguous) else laid_out(out, (mask, x))
    return np.bitwise_and(bits, x.view(bits.dtype), bits).view(x.dtype)


def either(condition: Array, a: Any, b: Any) -> Array:
    """``np.where(condition, a, b)`` for arrays and NumPy's numbers."""
    whole = a if a.size >= b.size else b
    bits = _bits(condition, whole)
    if bits is None or not all(each.dtype is whole.dtype and (each.ndim == 0 or _lies_like(each, whole)) for each in (a, b)):
        return np.where(condition, a, b)
    one, other = (np.asarray(each).view(bits.dtype) for each in (a, b))
    out = np.bitwise_xor(one, other)
    out &= bits
    out ^= other
    return out.view(whole.dtype)


def _bits(mask: Array, x: Array) -> Array | None:
    """A word of all bits or none for each of the mask's truth values; None where that does not pay or cannot be."""
    word = _WORDS.get(x.dtype.char)
    if x.size < _MANY or word is None or mask.dtype.kind != "b" or not _lies_like(mask, x) or not x.flags.c_contiguous:
        return None
    return np.negative(mask.view(np.int8)).astype(word)


def _lies_like(x: Array, whole: Array) -> bool:
    return x.shape == whole.shape and x.flags.c_contiguous
