"""0, 1, 2, ... in random order, from the words that decide where each place swaps."""

from __future__ import annotations

import numpy as np

from ..kernels import normals, register
from .numpy import Array

LONG = (2**32 - 1) // 20  # from this length on PyTorch grows its permutations
_SHORT = 2048  # up to this length swapping one by one is quicker than chasing chains


@register(normals.swapped)
def swapped(words: Array, length: int) -> Array:
    """Fisher and Yates: place i swaps with place i + words[i] modulo (length - i), the first first. int32 or int64."""
    partner = words % np.arange(length, 1, -1, dtype=np.uint32)
    partner += np.arange(length - 1, dtype=np.uint32)
    if length > _SHORT:
        return _chased(partner, length)
    order = list(range(length))
    for i, j in enumerate(partner.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def grown(words: Array) -> Array:
    """Place i, when it comes to be, takes what stands at j, words[i] modulo (i + 1), and j takes i."""
    length = len(words)
    partner = (words % np.arange(1, length + 1, dtype=np.uint64)).astype(np.int64)
    # That is swapping i and j <= i for each i in turn. Undone it is swapping from the last to the first, and that, read
    # backwards, is swapping with later places from the first on.
    backwards = length - 1 - partner[:0:-1]
    order = np.empty(length, np.int64)
    order[length - 1 - _chased(backwards, length)[::-1]] = np.arange(length)
    return order


def _chased(partner: Array, length: int) -> Array:
    """0, ..., length - 1 after swapping places i and partner[i] >= i for each i in turn, without a loop over i.

    partner[i] is given for all i but the last. Place i ends with what stands at partner[i] at step i, and then takes no
    further part. What stands there was left by the last step before that had the same partner, if any, namely what that
    step had found at its own place: so, followed from step to step, each value comes from a place no step had touched.
    """
    small = np.int32 if length < 2**31 else np.int64
    partner = partner.astype(small)
    positions: Array = np.arange(length, dtype=small)
    steps = positions[:-1]
    moved = partner != steps
    # Where a place's finding at its own step comes from: the last step that left its own there. Follow to the first.
    source = positions.copy()
    source[partner[moved]] = steps[moved]  # of several the last stays
    while True:
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    # Steps by partner, then in time.
    by_partner = partner.astype(np.int64) << 32
    by_partner |= steps
    by_partner.sort()
    earlier, later = by_partner[:-1], by_partner[1:]
    again = (earlier ^ later) < 2**32
    order = np.append(partner, source[-1])
    order[later[again] & 0xFFFFFFFF] = source[earlier[again] & 0xFFFFFFFF]
    np.copyto(order[:-1], source[:-1], where=~moved)
    return order
