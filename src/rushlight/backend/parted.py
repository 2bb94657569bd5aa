"""Elementwise work and sums in parts, each on one of the threads of BLAS.

Measured on four processors of a Xeon: 1,000,000 products of floats 790 us on one thread and 250 on four, their sum 300 and
140; 100,000 products 35 and 19, of which 7 are the call's own.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from . import numpy_abi, waiting_threads
from .numpy import Array, number
from .numpy_abi import address
from .waiting_threads import Jobs

FROM = 5 << 14  # elements
_LEAST = 1 << 13  # elements of a part
_TOGETHER = 1 << 10  # elements that are not parted: a line of the cache is written by one thread only
NATIVE = {char: np.dtype(char) for char in "fdil"}  # other byte orders have the same characters
# Never an error, unlike powers.
_OF_INTEGERS = frozenset((np.add, np.subtract, np.multiply, np.bitwise_and, np.bitwise_xor, np.sign))
_KEPT = 256


def are_free(size: int) -> bool:
    """Whether work on so many elements is shared out here, if nobody else has the threads."""
    return size >= FROM and waiting_threads.count() > 1


def elementwise(ufunc: np.ufunc, operands: Sequence[Array], into: Array | None = None) -> Array | None:
    """``ufunc(*operands, out=into)`` for arrays in C order of one shape, and single numbers; None, and nothing done, for others."""
    whole = into if into is not None else operands[0] if operands[0].ndim else operands[-1]
    size = whole.size
    count = waiting_threads.count() if size >= FROM else 0
    if count < 2:
        return None
    shape, dtype = whole.shape, whole.dtype
    if into is not None and not into.flags.carray:
        return None
    single, places = 0, []  # a bit for each operand, and its address
    for array in operands:
        if array.dtype is not dtype:
            return None
        single += single
        if array.shape != shape or not array.flags.c_contiguous:
            if any(array.strides) or (array.ndim and array.shape != shape):
                return None
            single += 1
        places.append(address(array))
    jobs = _elementwise(ufunc, dtype.char, size, single, count) if NATIVE.get(dtype.char) is dtype else None
    if jobs is None or (into is not None and _is_in_the_way(into, places, single)):
        return None
    out = np.empty(shape, dtype) if into is None else into
    places.append(address(out))
    return out if jobs.run(places) else None


def copy(array: Array) -> Array | None:
    """A copy; None as for :func:`elementwise`."""
    one = number(1, array.dtype)  # NumPy's loop that only copies takes three times as long
    return None if one is None else elementwise(np.multiply, (array, one))


def _is_in_the_way(out: Array, places: list[int], single: int) -> bool:
    """Whether what one part reads another part may have written."""
    own, reach = address(out), out.nbytes
    for place in reversed(places):
        off = place - own
        if -reach < off < reach and (off >= 0 if single & 1 else off):
            return True
        single >>= 1
    return False


def reduced(ufunc: np.ufunc, line: Array) -> Array | None:
    """What parts of a vector come to, added up or the greatest of each; None, and nothing done, as for :func:`elementwise`."""
    size, dtype = line.size, line.dtype
    if size < FROM or not line.flags.c_contiguous or NATIVE.get(dtype.char) is not dtype:
        return None
    jobs = _elementwise(ufunc, dtype.char, size, -1, waiting_threads.count())
    if jobs is None:
        return None
    out = np.full(jobs.count, 0 if ufunc is np.add else -np.inf, dtype)
    return out if jobs.run([address(out), address(line), address(out)]) else None


@functools.lru_cache(_KEPT)
def _elementwise(ufunc: np.ufunc, char: str, size: int, single: int, threads: int) -> Jobs | None:
    """The parts of a ufunc on vectors of which some are single numbers, those whose bit is set; with -1 of its reduction."""
    count = min(threads, size // _LEAST)
    if count < 2 or ufunc.nout != 1 or (char in "il" and ufunc not in _OF_INTEGERS):
        return None
    loop, item = numpy_abi.inner_loop(ufunc, f"{char * ufunc.nin}->{char}"), np.dtype(char).itemsize
    if loop is None:
        return None
    each = -(-size // (count * _TOGETHER)) * _TOGETHER
    starts = range(0, size, each)
    lengths = [(min(each, size - start),) for start in starts]
    if single < 0:  # each part is added to a number of its own
        offsets = [(number * item, start * item, number * item) for number, start in enumerate(starts)]
        return Jobs(loop, lengths, (0, item, 0), offsets, item)
    steps = [0 if single >> (ufunc.nin - 1 - number) & 1 else item for number in range(ufunc.nin)] + [item]
    return Jobs(loop, lengths, steps, [[start * step for step in steps] for start in starts], item)
