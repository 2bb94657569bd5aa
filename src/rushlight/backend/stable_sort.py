"""The order of elements: the indices that sort them.

NumPy sorts whole numbers of 64 bits many at a time, but has no such way that leaves equal elements in their order. So where a
value takes 32 bits its place is put behind it, which makes all of them different (measured: 512 rows of 512 floats 20 ms by
NumPy's stable argsort, 3.3 ms so).
"""

from __future__ import annotations

import numpy as np

from .numpy import Array, backwards

_MANY = 1 << 11  # elements from which on that is quicker
_HALF = 32  # bits
_MOST = (1 << _HALF - 1) - 1


def order(x: Array, axis: int, descending: bool = False) -> Array:
    """The indices that sort ``x`` along ``axis``, equal elements in their order; nan counts as the greatest."""
    ranks = _ranks(x) if x.size >= _MANY else None
    if ranks is not None:
        return _by_rank(ranks, axis, descending)
    if not descending:
        return x.argsort(axis, kind="stable")
    back = backwards(axis % x.ndim)
    return x.shape[axis] - 1 - x[back].argsort(axis, kind="stable")[back]


def _ranks(x: Array) -> Array | None:
    """Whole numbers of 32 bits, held in 64, in the order of the elements; None where these have more."""
    kind, bits = x.dtype.kind, 8 * x.dtype.itemsize
    if kind == "f" and bits <= _HALF:
        single = np.add(x, np.float32(0), dtype=np.float32)  # 0.0 for -0.0, which is its equal
        ranks = single.view(np.int32)
        unknown = np.isnan(single)
        ranks ^= (ranks >> _HALF - 1) & _MOST  # negative ones have their order turned round
        if unknown.any():
            ranks[unknown] = _MOST
        return ranks.astype(np.int64, "C")
    if kind not in "biu":
        return None
    if bits < _HALF or x.dtype == np.int32:
        return x.astype(np.int64, "C")
    least = x.min()
    return (x - least).astype(np.int64, "C") if int(x.max()) - int(least) <= _MOST else None


def _by_rank(ranks: Array, axis: int, descending: bool) -> Array:
    """:func:`order` by such numbers, over which it writes."""
    if descending:
        np.invert(ranks, ranks)
    ranks <<= _HALF
    ranks |= np.arange(ranks.shape[axis]).reshape(-1, *(1,) * (ranks.ndim - 1 - axis % ranks.ndim))
    ranks.sort(axis)
    ranks &= (1 << _HALF) - 1
    return ranks
