"""Elementwise work and sums in parts, each on one of the threads of BLAS.

Measured on four processors of a Xeon: 1,000,000 products of floats 790 us on one thread and 250 on four, their sum 300 and
140; 100,000 products 35 and 21, of which 8 are the call's own.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import numpy_abi, waiting_threads
from .numpy import Array
from .numpy_abi import address
from .waiting_threads import Jobs

FROM = 5 << 14  # elements
_LEAST = 1 << 13  # elements of a part
_TOGETHER = 1 << 10  # elements that are not parted: a line of the cache is written by one thread only
_KEPT = 256


def are_free(size: int) -> bool:
    """Whether work on so many elements is shared out here, if nobody else has the threads."""
    return size >= FROM and waiting_threads.available(size // _LEAST) > 1


def elementwise(ufunc: np.ufunc, operands: Sequence[Array], into: Array | None = None) -> Array | None:
    """``ufunc(*operands, out=into)`` for arrays in C order of one shape, and single numbers; None, and nothing done, for others."""
    whole = operands[0] if operands[0].ndim else operands[-1]
    size, shape, dtype = whole.size, whole.shape, whole.dtype
    if size < FROM:
        return None
    count = waiting_threads.available(size // _LEAST)
    if count < 2:
        return None
    stretched, places, unaligned = [], [], dtype.itemsize - 1
    for array in operands:
        if array.dtype is not dtype:
            return None
        if array.shape == shape and array.flags.c_contiguous:
            stretched.append(False)
        elif (array.shape == shape or not array.ndim) and not any(array.strides):
            stretched.append(True)
        else:
            return None
        place = address(array)
        if place & unaligned:
            return None
        places.append(place)
    jobs = _elementwise(ufunc, dtype, size, tuple(stretched), count)
    if jobs is None:
        return None
    if into is None:
        out = np.empty(shape, dtype)
        places.append(address(out))
    else:
        if into.shape != shape or into.dtype is not dtype or not into.flags.carray:
            return None
        out, own = into, address(into)
        for place, one in zip(places, stretched, strict=True):
            if abs(place - own) < out.nbytes and (one or place != own):  # read by one part and written by another
                return None
        places.append(own)
    return out if jobs.run(places) else None


def sums(line: Array) -> Array | None:
    """What parts of a vector add up to; None, and nothing done, as for :func:`elementwise`."""
    size, dtype = line.size, line.dtype
    count = waiting_threads.available(size // _LEAST) if size >= FROM else 0
    if count < 2 or not (line.flags.c_contiguous and line.flags.aligned):
        return None
    jobs = _elementwise(np.add, dtype, size, None, count)
    if jobs is None:
        return None
    out = np.zeros(jobs.count, dtype)
    return out if jobs.run([address(out), address(line), address(out)]) else None


@functools.lru_cache(_KEPT)
def _elementwise(
    ufunc: np.ufunc, dtype: np.dtype[Any], size: int, stretched: tuple[bool, ...] | None, count: int
) -> Jobs | None:
    """The parts of a ufunc on vectors, of which those that are stretched are single numbers; None: of its reduction."""
    loop, item = _loop(ufunc, dtype), dtype.itemsize
    if loop is None:
        return None
    starts = _starts(size, count, _TOGETHER)
    lengths = [(stop - start,) for start, stop in zip(starts, [*starts[1:], size], strict=True)]
    if stretched is None:  # each part is added to a number of its own
        return Jobs(
            loop, lengths, (0, item, 0), [(number * item, start * item, number * item) for number, start in enumerate(starts)]
        )
    steps = [0 if one else item for one in (*stretched, False)]
    return Jobs(loop, lengths, steps, [[start * step for step in steps] for start in starts])


def _starts(length: int, count: int, together: int) -> list[int]:
    """Where at most so many parts of a length begin, at multiples of ``together``."""
    each = -(-length // (count * together)) * together
    return list(range(0, length, each))


def _loop(ufunc: np.ufunc, dtype: np.dtype[Any]) -> tuple[int, int] | None:
    if dtype.char not in "fd" or ufunc.nout != 1:
        return None
    return numpy_abi.inner_loop(ufunc, f"{dtype.char * ufunc.nin}->{dtype.char}")
