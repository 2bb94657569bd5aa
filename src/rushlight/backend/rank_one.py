"""What belongs to rows or columns of a matrix at all its places: BLAS's update of rank one, ``A += x y'``.

To add a row to all rows of a matrix, or to each row a number of its own, NumPy begins its loop anew with each row. BLAS does so too,
but in half the time or less (measured: a row and 256 x 384 floats 33 us, by BLAS 16; a number for each of 512 rows of 512 112 us
and 35), and comes to the same bits: where all numbers of one vector are 1, or -1, nothing is rounded but the sum.
"""

from __future__ import annotations

import numpy as np

from . import openblas, threads
from .line_sums import ones
from .numpy import Array, address

_FROM = 5 << 14  # elements: of fewer NumPy is as quick
_SHORT = 32  # numbers of a row: of fewer NumPy is as quick
_BLOCK = 1 << 14  # elements
_BY_ROWS = 101  # as BLAS's C interface has it
_LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}


def add_row(out: Array, row: Array) -> None:
    """``out += row`` for a matrix (R, N) and a vector (N)."""
    if out.size < _FROM or not _updated(out, None, row, 1):
        np.add(out, row, out)


def subtract_column(out: Array, column: Array) -> None:
    """``out -= column[:, None]`` for a matrix (R, N) and a vector (R)."""
    if out.size < _FROM or not _updated(out, column, None, -1):
        _in_blocks(np.subtract, out, column)


def by_column(ufunc: np.ufunc, out: Array, column: Array) -> None:
    """``out = ufunc(out, column[:, None])``, a product or quotient, for a matrix (R, N) and a vector (R)."""
    _in_blocks(ufunc, out, column)


def by_outer(out: Array, column: Array, row: Array) -> None:
    """``out *= outer(column, row)``."""
    for start, end in _blocks(out):
        part = out[start:end]
        np.multiply(part, outer(column[start:end], row), part)


def _in_blocks(ufunc: np.ufunc, out: Array, column: Array) -> None:
    """As :func:`by_column`. Each number is repeated along its row, for a few rows at a time: in place of fresh memory for all
    of them, which takes longer to write than to read (65,536 floats, after other work, 100 us), some that the cache has."""
    length = out.shape[1]
    if out.size <= _BLOCK:
        ufunc(out, column.repeat(length).reshape(out.shape), out)
        return
    for start, end in _blocks(out):
        part = out[start:end]
        ufunc(part, column[start:end].repeat(length).reshape(part.shape), part)


def _blocks(out: Array) -> list[tuple[int, int]]:
    each = max(1, _BLOCK // max(1, out.shape[1]))
    return [(start, start + each) for start in range(0, len(out), each)]


def less_column(rows: Array, column: Array) -> Array:
    """``rows - column[:, None]`` for a matrix (R, N) and a vector (R)."""
    if rows.size < _FROM:
        out = column.repeat(rows.shape[1]).reshape(rows.shape)
        return np.subtract(rows, out, out)  # type: ignore[no-any-return]
    out = rows.copy()
    subtract_column(out, column)
    return out


def outer(column: Array, row: Array) -> Array:
    """``column[:, None] * row``."""
    # BLAS takes a factor of 0 for granted to give 0, against inf and nan too, where it is the only one.
    return column[:, None].dot(row[None]) if len(column) != 1 else column * row[None]


def repeated(column: Array, length: int) -> Array:
    """Each number of a vector (R) so many times, in one line (R * N)."""
    return column.repeat(length)


def _updated(out: Array, column: Array | None, row: Array | None, factor: int) -> bool:
    """``out += factor * outer(column, row)``, ones for what is None; False, and nothing done, where BLAS cannot do it."""
    dtype = out.dtype
    letter = _LETTERS.get(dtype)
    update = openblas.routine(f"cblas_{letter}ger", f"inn{letter}ananan") if letter else None
    count, length = out.shape
    if update is None or length < _SHORT:
        return False
    x = ones(count, dtype) if column is None else column
    y = ones(length, dtype) if row is None else row
    if not (x.dtype is y.dtype is dtype and x.flags.c_contiguous and y.flags.c_contiguous and out.flags.carray):
        return False
    with threads.blas_threads(1):
        update(_BY_ROWS, count, length, factor, address(x), 1, address(y), 1, address(out), length)
    return True
