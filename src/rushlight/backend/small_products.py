"""Products in slices so small that BLAS multiplies them where they lie.

OpenBLAS copies the factors of a product into an order of its own first, which costs a third where one of them has few
rows. Its kernels for AVX-512 spare themselves that up to a million multiplications (measured, 16 x 400 by 400 x 1792 in
float32: 75 GFLOPS at once, 115 in slices of 128 columns).
"""

from __future__ import annotations

import functools

import numpy as np

from . import openblas
from .numpy import Array

MOST = 1_000_000  # multiplications, in OpenBLAS
OUTCOMES = 1024  # elements of the result, where the second factor is a transpose
VECTOR, _FEWEST = 16, 8  # rows or columns: what the kernels are quickest with, or a multiple, and the least of a part
_STEP = 64  # columns: what the kernels take at once, and a multiple of it
_WORTH_A_COPY = 192  # rows of the first factor from which on a copy of the second, a transpose, pays
_LONG_LINE = 2048  # bytes: lines so long are copied fewer at a time
_KERNELS = ("skylakex", "cooperlake", "sapphirerapids")


@functools.cache
def _in_place() -> bool:
    return openblas.kernels().lower() in _KERNELS


def is_small(work: int, outcomes: int = 0) -> bool:
    """Whether BLAS multiplies factors where they lie, in ``work`` multiplications; ``outcomes`` is the size of the result where
    the second is a transpose."""
    return work <= MOST and outcomes <= OUTCOMES and _in_place()


def multiply(matrix: Array, columns: Array, out: Array) -> None:
    """``out = matrix @ columns`` for stacks (G, M, K) and (G, K, N)."""
    length = columns.shape[-1]
    each = _slice(matrix, length, _STEP // 2)
    if not each:
        np.matmul(matrix, columns, out=out)
        return
    whole = length // each * each
    np.matmul(matrix[:, None], _cut(columns[..., :whole], each), out=_cut(out[..., :whole], each))
    if whole < length:
        np.matmul(matrix, columns[..., whole:], out=out[..., whole:])


def multiply_long(columns: Array, rows: Array) -> Array:
    """``columns @ rows`` for stacks (G, K, N) and (G, N, M), N much longer than the others."""
    length = rows.shape[-2]
    each = _slice(columns[..., : rows.shape[-1]], length, _STEP)
    if not each:
        return np.matmul(columns, rows)
    whole = length // each * each
    parts = np.matmul(_cut(columns[..., :whole], each), rows[:, :whole].reshape(len(rows), -1, each, rows.shape[-1]))
    total: Array = np.add.reduce(parts, axis=1)
    if whole < length:
        total += np.matmul(columns[..., whole:], rows[:, whole:])
    return total


def product(a: Array, b: Array) -> Array | None:
    """``a @ b`` for matrices, in tiles of the result; None where that is no gain.

    Measured in float32: 256 x 128 by 128 x 384, and the same with a transpose as the first factor, 98 GFLOPS at once and 115 in
    tiles. Where the second is a transpose, as a layer's weight is, there are kernels for small tiles only: for 16 rows 34
    and 95; for many rows its copy costs less than it gains.
    """
    (rows, inner), columns = a.shape, b.shape[1]
    if a.dtype.char not in "fd" or not inner or not columns or not _in_place():
        return None
    by_rows, plain = a.strides[1] == a.itemsize, b.strides[1] == b.itemsize
    if by_rows and not plain:
        if b.strides[0] != b.itemsize:
            return None
        if rows < _WORTH_A_COPY:
            each = _rows_by_transpose(rows, inner, columns)
            return _tiled(a, b, each, columns) if each else None
        b, plain = transposed(b), True
    if not plain or not (by_rows or a.strides[0] == a.itemsize) or rows * inner * columns <= MOST:
        return None
    tile = _tile(inner, rows, columns) if by_rows else _tile_by_transpose(inner, rows)
    return _tiled(a, b, *tile) if tile is not None else None


def even_part(length: int, most: int) -> int:
    """The largest part of a length, up to ``most``, that leaves nothing over, a multiple of what the kernels take at once if that
    can be; 0 if there is none, or if BLAS does not multiply small factors where they lie."""
    sizes = [size for size in range(_FEWEST, min(most, length) + 1) if length % size == 0] if _in_place() else []
    return max(sizes, key=lambda size: (size % VECTOR == 0, size), default=0)


def batch(a: Array, b: Array) -> Array | None:
    """``a @ b`` for stacks of matrices (G, M, K) and (G, K, N); None where one call of BLAS for each is as good.

    Measured in float32: 16 x (64 x 32 by a transpose 32 x 64) 73 us, 50 with a copy of the second factors.
    """
    (_, rows, inner), columns = a.shape, b.shape[2]
    work = rows * inner * columns
    if a.dtype.char not in "fd" or not a.size or not columns or not _in_place():
        return None
    by_rows, plain = a.strides[2] == a.itemsize, b.strides[2] == b.itemsize
    if by_rows and not plain and b.strides[1] == b.itemsize and rows * columns > OUTCOMES:
        if work <= MOST // 2:
            return np.matmul(a, np.ascontiguousarray(b))
        if work > MOST and rows >= _WORTH_A_COPY:
            b, plain = np.ascontiguousarray(b), True
    if not plain or not (by_rows or a.strides[1] == a.itemsize) or work <= MOST:
        return None
    tile = _tile(inner, rows, columns) if by_rows else _tile_by_transpose(inner, rows)
    return _tiled(a, b, *tile) if tile is not None else None


def transposed(array: Array) -> Array:
    """A copy in order of a matrix that is a transpose, so many lines at a time that the cache holds what is written."""
    lines = array.T
    out = np.empty(array.shape, array.dtype)
    each = 16 if lines.strides[0] >= _LONG_LINE else 32
    for start in range(0, len(lines), each):
        out[:, start : start + each] = lines[start : start + each].T
    return out


@functools.lru_cache(1024)
def _tile(inner: int, rows: int, columns: int) -> tuple[int, int] | None:
    """Rows and columns of the result that are computed at once, for factors that lie by rows."""
    for height in (16, 8, 4):  # whole rows if that can be
        if height * inner * columns <= MOST:
            return height, columns
    for height in (16, 8, 4):
        if height * inner * _STEP <= MOST:
            return height, _even(columns, MOST // (inner * height), _STEP)
    return None


@functools.lru_cache(1024)
def _tile_by_transpose(inner: int, rows: int) -> tuple[int, int] | None:
    """The same where the first factor is a transpose."""
    for width in (32, 16):
        most = MOST // (inner * width)
        height = min(rows, _even(rows, most, 16)) if most >= 16 else 0
        if height >= width and (rows % height == 0 or width == 16):
            return height, width
    return None


def _even(length: int, most: int, step: int) -> int:
    """The size of parts, a multiple of step up to ``most``, that leaves little over of a length: the largest of the best."""
    sizes = range(most // step * step, most // 4, -step)
    return max(sizes, key=lambda size: min(length // size * size, length // step * step))


def _tiled(a: Array, b: Array, height: int, width: int) -> Array:
    """``a @ b`` for stacks (..., M, K) and (..., K, N), in tiles of ``height`` x ``width``."""
    *stack, rows, inner = a.shape
    columns = b.shape[-1]
    out = np.empty((*stack, rows, columns), a.dtype)
    tall, wide = rows // height * height, columns // width * width
    lines, strips, tiles = a[..., :tall, :], b[..., :wide], out[..., :tall, :wide]
    if tall > height:
        lines = lines.reshape(*stack, tall // height, height, inner)
        tiles = tiles.reshape(*stack, tall // height, height, wide)
        strips = strips[..., None, :, :] if stack else strips
    if wide > width:
        lines = lines[..., None, :, :]
        strips = strips.reshape(*strips.shape[:-1], wide // width, width).swapaxes(-3, -2)
        tiles = tiles.reshape(*tiles.shape[:-1], wide // width, width).swapaxes(-3, -2)
    if tall and wide:
        np.matmul(lines, strips, out=tiles)
    if tall < rows and wide:
        np.matmul(a[..., tall:, :], b[..., :wide], out=out[..., tall:, :wide])
    if wide < columns:
        np.matmul(a, b[..., wide:], out=out[..., wide:])
    return out


def _rows_by_transpose(rows: int, inner: int, columns: int) -> int:
    """How many rows a slice has whose second factor is a transpose; 0 for all at once."""
    if is_small(rows * inner * columns, rows * columns):
        return 0
    most = min(MOST // (inner * columns), OUTCOMES // columns, 16)
    if most < 2 or inner < 64:
        return 0
    worth = 32 if inner < 128 else 64 if most < 4 else 128 if inner < 256 else 1024
    return 1 << most.bit_length() - 1 if rows <= worth else 0


def _slice(small: Array, length: int, least: int) -> int:
    """How many columns a slice has; 0 for all at once."""
    elements = small.shape[-1] * small.shape[-2]
    if elements * length <= MOST or elements * least > MOST or small.dtype.char not in "fd" or not _in_place():
        return 0
    each = MOST // elements
    return each // _STEP * _STEP if each >= _STEP else each // least * least


def _cut(array: Array, each: int) -> Array:
    """(G, K, N) seen as (G, N / each, K, each)."""
    groups, rows, length = array.shape
    return array.reshape(groups, rows, length // each, each).swapaxes(1, 2)
