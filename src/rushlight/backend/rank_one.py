"""What belongs to rows or columns of a matrix at all its places: a row that all rows get, a number for each row."""

from __future__ import annotations

import numpy as np

from .numpy import Array

_FROM = 5 << 14  # elements: of fewer, repeated numbers are as quick as a loop for each row, and quicker where rows are short
_BLOCK = 1 << 14  # elements


def add_row(out: Array, row: Array) -> None:
    """``out += row`` for a matrix (R, N) and a vector (N)."""
    np.add(out, row, out)


def subtract_column(out: Array, column: Array) -> None:
    """``out -= column[:, None]`` for a matrix (R, N) and a vector (R)."""
    if out.size < _FROM:
        _in_blocks(np.subtract, out, column)
    else:
        np.subtract(out, column[:, None], out)


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
    return np.subtract(rows, column[:, None])


def outer(column: Array, row: Array) -> Array:
    """``column[:, None] * row``."""
    # BLAS takes a factor of 0 for granted to give 0, against inf and nan too, where it is the only one.
    return column[:, None].dot(row[None]) if len(column) != 1 else column * row[None]


def repeated(column: Array, length: int) -> Array:
    """Each number of a vector (R) so many times, in one line (R * N)."""
    return column.repeat(length)
