"""Products of matrices in parts, each on one of the threads of BLAS.

OpenBLAS shares out a large product by itself, but copies its factors first, and a batch of small ones not at all. Measured
on four processors of a Xeon: 64 x 784 by 784 x 128 140 us on one thread, 100 on four as OpenBLAS shares it out, 65 in parts; by a
transpose, as a layer's weight is, 105 and 61; 256 x 128 by 128 x 384 150 and 115; 2048 x 64 by 64 x 256 430 and 260; 512 x 512 by
512 x 512 by either way 850 to 1,000; 64 products of 64 x 64 by 64 x 64 390 on one thread, 115 in parts. What smaller
batches gain the caches lose again, where that which comes before and after is done by one thread.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import numpy_abi, parted, small_products, waiting_threads
from .numpy import Array
from .numpy_abi import address
from .threads import blas_threads
from .waiting_threads import Jobs

_WORTH = 1 << 23  # multiplications of a batch, or of a matrix that is not cut into tiles
_LEAST = 1 << 18  # of a part
_LINES = 1 << 18  # elements of a matrix for products with a vector: fewer one thread has multiplied before others have them
_NARROW, _NARROW_BY_TRANSPOSE = 32, 8  # rows or columns of a tile: BLAS multiplies narrower ones at half its speed
_LONG = 2  # times as many rows, or columns, as each has numbers: from there on parts gain that copy one factor each
_KEPT = 256
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def product(a: Array, b: Array) -> Array | None:
    """``a @ b`` for matrices; None where OpenBLAS is as good at sharing it out."""
    (rows, inner), columns = a.shape, b.shape[1]
    if not (_for_blas(a) and _for_blas(b)):
        return None
    count = min(waiting_threads.count(), rows * inner * columns // _LEAST)
    if count < 2:
        return None
    return _multiplied(_pieces(a.dtype, a.shape, columns, a.strides, b.strides, count), a, b, (rows, columns))


def batch(a: Array, b: Array) -> Array | None:
    """``a @ b`` for stacks of matrices (G, M, K) and (G, K, N); None where that is no gain."""
    (stack, rows, inner), columns = a.shape, b.shape[2]
    work = stack * rows * inner * columns
    if work < _WORTH or b.shape[0] != stack or not (_for_blas(a) and _for_blas(b)):
        return None
    count = min(waiting_threads.count(), stack, work // _LEAST)
    if count < 2:
        return None
    return _multiplied(_stacks(a.dtype, a.shape, columns, a.strides, b.strides, count), a, b, (stack, rows, columns))


def by_vector(rows: Array, weights: Array) -> Array | None:
    """``rows @ weights`` for a matrix and a vector; None where it is not worked on in parts."""
    if not _are_lines(rows, weights):
        return None
    return _multiplied(_by_vector(rows.dtype, rows.shape, waiting_threads.count()), rows, weights, rows.shape[:1])


def of_rows(weights: Array, rows: Array, most: int) -> Array | None:
    """``weights @ rows`` for a vector and a matrix as some lines still to be added up, each of ``most`` rows at most."""
    if not _are_lines(rows, weights):
        return None
    parts = waiting_threads.count()
    slabs = -(-len(rows) // (parts * most))
    each = len(rows) // (parts * slabs)
    sums = _multiplied(
        _of_rows(rows.dtype, rows.shape[1], each, slabs, parts) if each else None,
        weights,
        rows,
        (parts * slabs, rows.shape[1]),
    )
    done = parts * slabs * each
    if sums is not None and done < len(rows):
        sums[0] += weights[done:].dot(rows[done:])
    return sums


def _are_lines(rows: Array, weights: Array) -> bool:
    """Whether a large matrix in C order meets a vector."""
    if rows.size < _LINES or not parted.are_free(rows.size):
        return False
    return rows.flags.c_contiguous and weights.flags.c_contiguous and _for_blas(rows)


def _for_blas(x: Array) -> bool:
    """Whether matrices are of floats and lie as BLAS takes them: by rows or by columns, with gaps or without."""
    if x.dtype is not _SINGLE and x.dtype is not _DOUBLE:
        return False
    (rows, columns), (down, right) = x.shape[-2:], x.strides[-2:]
    item = x.itemsize
    return (right == item and down >= columns * item) or (down == item and right >= rows * item)


def _multiplied(jobs: Jobs | None, a: Array, b: Array, shape: tuple[int, ...]) -> Array | None:
    if jobs is None or b.dtype is not a.dtype:
        return None
    out = np.empty(shape, a.dtype)
    with blas_threads(1):  # those of BLAS must not wait for each other
        return out if jobs.run([address(a), address(b), address(out)]) else None


@functools.lru_cache(_KEPT)
def _pieces(
    dtype: np.dtype[Any], shape: tuple[int, ...], columns: int, a_steps: tuple[int, ...], b_steps: tuple[int, ...], count: int
) -> Jobs | None:
    """Some rows of the result for each part, or some columns where there are more of these.

    Tile by tile where BLAS multiplies tiles as they lie, else at once where there is little to copy for so much to multiply.
    """
    loop, (rows, inner), item = _loop(dtype), shape, dtype.itemsize
    line = columns * item
    by_rows = rows >= columns
    length, width = (rows, columns) if by_rows else (columns, rows)
    each = -(-length // (count * small_products.VECTOR)) * small_products.VECTOR
    most, least = small_products.MOST // (inner * each), _NARROW
    if b_steps[1] != item:  # a transpose
        most, least = min(most, small_products.OUTCOMES // each), _NARROW_BY_TRANSPOSE
    across = small_products.even_part(width, most) if a_steps[1] == item or b_steps[1] == item else 0
    if across < least:
        across = width if length >= _LONG * inner and rows * inner * columns >= _WORTH else 0
    if not across or loop is None:
        return None
    steps = (*a_steps, *b_steps, line, item)
    starts = range(0, length, each)
    if by_rows:
        lengths = [(columns // across, min(each, rows - start), inner, across) for start in starts]
        steps = (0, across * b_steps[1], across * item, *steps)
        offsets = [(start * a_steps[0], 0, start * line) for start in starts]
    else:
        lengths = [(rows // across, across, inner, min(each, columns - start)) for start in starts]
        steps = (across * a_steps[0], 0, across * line, *steps)
        offsets = [(0, start * b_steps[1], start * item) for start in starts]
    return Jobs(loop, lengths, steps, offsets, item)


@functools.lru_cache(_KEPT)
def _by_vector(dtype: np.dtype[Any], shape: tuple[int, ...], count: int) -> Jobs | None:
    """Some rows for each part."""
    loop, (rows, inner), item = _loop(dtype), shape, dtype.itemsize
    if loop is None:
        return None
    each = -(-rows // count)
    line = inner * item
    starts = range(0, rows, each)
    lengths = [(1, min(each, rows - start), inner, 1) for start in starts]
    steps = (0, 0, 0, line, item, item, item, item, item)
    return Jobs(loop, lengths, steps, [(start * line, 0, start * item) for start in starts], item)


@functools.lru_cache(_KEPT)
def _of_rows(dtype: np.dtype[Any], columns: int, each: int, slabs: int, count: int) -> Jobs | None:
    """For each part some slabs of so many rows, each of which becomes a line."""
    loop, item = _loop(dtype), dtype.itemsize
    if loop is None:
        return None
    line = columns * item
    steps = (each * item, each * line, line, item, item, line, item, line, item)
    starts = range(0, count * slabs, slabs)
    offsets = [(start * steps[0], start * steps[1], start * line) for start in starts]
    return Jobs(loop, [(slabs, 1, each, columns)] * count, steps, offsets, item)


@functools.lru_cache(_KEPT)
def _stacks(
    dtype: np.dtype[Any], shape: tuple[int, ...], columns: int, a_steps: tuple[int, ...], b_steps: tuple[int, ...], count: int
) -> Jobs | None:
    """Some matrices for each part."""
    loop = _loop(dtype)
    if loop is None:
        return None
    stack, rows, inner = shape
    each = -(-stack // count)
    line = columns * dtype.itemsize
    steps = (a_steps[0], b_steps[0], rows * line, *a_steps[1:], *b_steps[1:], line, dtype.itemsize)
    starts = range(0, stack, each)
    lengths = [(min(each, stack - start), rows, inner, columns) for start in starts]
    return Jobs(
        loop, lengths, steps, [(start * steps[0], start * steps[1], start * steps[2]) for start in starts], dtype.itemsize
    )


def _loop(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    return numpy_abi.inner_loop(np.matmul, f"{dtype.char * 2}->{dtype.char}")
