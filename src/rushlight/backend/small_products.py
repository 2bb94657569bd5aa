"""Products in slices so small that BLAS multiplies them where they lie.

OpenBLAS copies the factors of a product into an order of its own first, which costs a third where one of them has few
rows. Its kernels for AVX-512 spare themselves that up to a million multiplications (measured, 16 x 400 by 400 x 1792 in
float32: 75 GFLOPS at once, 115 in slices of 128 columns).
"""

from __future__ import annotations

import functools

import numpy as np

from . import threads
from .numpy import Array

_MOST = 1_000_000  # multiplications, in OpenBLAS
_OUTCOMES = 1024  # elements of the result, where the second factor is a transpose
_STEP = 64  # columns: what the kernels take at once, and a multiple of it
_KERNELS = ("skylakex", "cooperlake", "sapphirerapids")


@functools.cache
def _in_place() -> bool:
    return threads.blas_kernels().lower() in _KERNELS


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
    """``a @ b`` for matrices, in slices of a's rows, or of b's columns where a is a transpose; None where that is no gain.

    Measured in float32: 64 x 784 by 784 x 128 97 GFLOPS at once, 114 in slices; where b is a transpose, as a layer's weight
    is, 76 at once and 110 in slices, and for 16 rows 34 and 95.
    """
    (rows, inner), columns = a.shape, b.shape[1]
    if a.dtype.char not in "fd" or not inner or not columns or not _in_place():
        return None
    by_rows, plain = a.strides[1] == a.itemsize, b.strides[1] == b.itemsize
    if by_rows and (plain or b.strides[0] == b.itemsize):
        each = _MOST // (inner * columns) // 4 * 4 if plain else _rows_by_transpose(rows, inner, columns)
        if not each:
            return None
        out = np.empty((rows, columns), a.dtype)
        whole = rows // each * each
        np.matmul(_in_rows(a[:whole], each), b, out=_in_rows(out[:whole], each))
        if whole < rows:
            np.matmul(a[whole:], b, out=out[whole:])
        return out
    if not plain:
        return None
    out = np.empty((rows, columns), a.dtype)
    each = _MOST // (inner * rows) // 16 * 16
    if not each or a.strides[0] != a.itemsize:
        return None
    whole = columns // each * each
    np.matmul(a, _cut(b[None, :, :whole], each)[0], out=_cut(out[None, :, :whole], each)[0])
    if whole < columns:
        np.matmul(a, b[:, whole:], out=out[:, whole:])
    return out


def _rows_by_transpose(rows: int, inner: int, columns: int) -> int:
    """How many rows a slice has whose second factor is a transpose; 0 for all at once."""
    if rows * columns <= _OUTCOMES and rows * inner * columns <= _MOST:
        return 0
    most = min(_MOST // (inner * columns), _OUTCOMES // columns, 16)
    if most < 2 or inner < 64:
        return 0
    worth = 32 if inner < 128 else 64 if most < 4 else 128 if inner < 256 else 1024
    return 1 << most.bit_length() - 1 if rows <= worth else 0


def _in_rows(array: Array, each: int) -> Array:
    """(M, N) seen as (M / each, each, N)."""
    return array.reshape(len(array) // each, each, array.shape[1])


def _slice(small: Array, length: int, least: int) -> int:
    """How many columns a slice has; 0 for all at once."""
    elements = small.shape[-1] * small.shape[-2]
    if elements * length <= _MOST or elements * least > _MOST or small.dtype.char not in "fd" or not _in_place():
        return 0
    each = _MOST // elements
    return each // _STEP * _STEP if each >= _STEP else each // least * least


def _cut(array: Array, each: int) -> Array:
    """(G, K, N) seen as (G, N / each, K, each)."""
    groups, rows, length = array.shape
    return array.reshape(groups, rows, length // each, each).swapaxes(1, 2)
