"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from . import rank_one, summation
from .blockwise import spread
from .line_sums import ones, row_dots, row_products
from .numpy import MANY, Array, Shape, row_starts
from .reduce import Axes, narrow, settled, wide

_FIRST = np.zeros(1, np.intp)  # where the one segment of an axis begins


def _highest(x: Array, axis: int | Axes) -> Any:
    if axis == x.ndim - 1 and x.flags.c_contiguous:  # by segments rows take half to three quarters of the time
        return np.maximum.reduceat(x, _FIRST, axis)
    return summation.greatest(x, axis, None, None, True)


# From so many numbers of float32 on, rows are added up by a product with ones: a sixth of the time for many, half for some.
_SINGLE, _SOME, _MANY, _LONGEST = np.dtype(np.float32), 1 << 9, 1 << 12, 1 << 11
_PLAIN = frozenset((_SINGLE, np.dtype(np.float64)))
_SAFE = 40  # exp of it, 2048 times over, is far from overflow
_LEAST = 1e-6


def long_rows(x: Array, axis: int | tuple[()]) -> bool:
    return x.size >= _MANY and x.dtype is _SINGLE and _in_rows(x, axis)


def _in_rows(x: Array, axis: int | tuple[()]) -> bool:
    """Whether ``axis`` goes along rows that the functions below know."""
    return axis == x.ndim - 1 and x.flags.c_contiguous and x.dtype in _PLAIN and 0 < x.shape[-1] <= _LONGEST and x.size > 0


# What belongs to a row is repeated along it: two thirds of the time of broadcasting, a third where there is little. Of many rows
# all is one line, and where that has been repeated to the result is written.


@functools.lru_cache(256)
def _places(shape: Shape) -> tuple[Array, Array]:
    """Of few rows: where each begins in one line, and in which row each place is. Not to be written."""
    rows = np.arange(math.prod(shape[:-1]))
    return rows * shape[-1], rows.repeat(shape[-1]).reshape(shape)


def _off_highest(line: Array, length: int) -> Array:
    """By how much each number is off its row's maximum; of many short rows those of all places at once are found."""
    count = line.size // length
    if count >= 128 and length <= 32:
        highest = np.asarray(summation.greatest(line.reshape(count, length).T.copy(), 0))
    else:
        starts = row_starts((count,), (count, length)) if count < MANY else np.arange(0, line.size, length)
        highest = np.maximum.reduceat(line, starts)
    return rank_one.less_column(line.reshape(count, length), highest).reshape(-1)


def _row_sums(x: Array, length: int) -> Array:
    """The sum of each row, of few in PyTorch's order (of two numbers there is but one)."""
    rows = x if x.ndim == 2 else x.reshape(-1, length)
    if rows.dtype is _SINGLE and (length == 2 or rows.size >= _SOME):
        return row_products(rows, ones(length))
    return np.asarray(summation.add_up(rows, 1))


def _over_sums(line: Array, sums: Array, length: int) -> Array:
    """Rows in one line, each divided, in place, by a number of its own."""
    return spread(np.divide, line, rank_one.repeated(sums, length), into=line)  # type: ignore[no-any-return]


def by_one_shift(x: Array) -> Array | None:
    """Softmax over long rows without each row's maximum, which takes twice as long to find.

    One number may be taken away from all where none overflows then and no row's sum is so small that much of it is lost; a
    whole number, so that there is no rounding error of consequence. None where there is no such number.
    """
    line, length = x.ravel(), x.shape[-1]
    most = summation.greatest_of(line)
    shift = 0 if most <= _SAFE else np.floor(most - _SAFE)
    out = spread(np.exp, line if not shift else spread(np.subtract, line, np.asarray(shift)))
    sums = _row_sums(out, length)
    return _over_sums(out, sums, length).reshape(x.shape) if summation.least(sums, None) >= _LEAST else None


def softmax(x: Array, axis: int | tuple[()]) -> Array:
    if _in_rows(x, axis):
        line, length = x.ravel(), x.shape[-1]
        if x.size < _SOME:
            starts, row = _places(x.shape)
            out = x - np.maximum.reduceat(line, starts)[row]
            np.exp(out, out)
            return np.divide(out, _row_sums(out, length)[row], out)
        found = by_one_shift(x) if x.size >= _MANY and x.dtype is _SINGLE else None
        if found is not None:
            return found
        out = _off_highest(line, length)
        spread(np.exp, out, into=out)
        return _over_sums(out, _row_sums(out, length), length).reshape(x.shape)
    if not x.size:
        return x.copy()
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if y.size >= _SOME and _in_rows(y, axis) and v.dtype is y.dtype:
        given, line, length = v.ravel(), y.ravel(), y.shape[-1]
        rows = given.reshape(-1, length)
        out = rank_one.less_column(rows, row_dots(rows, line.reshape(-1, length))).reshape(-1)
        return spread(np.multiply, out, line, into=out).reshape(y.shape)
    given, whole = wide(v), wide(y)
    return narrow((given - summation.add_up(given * whole, axis, None, None, True)) * whole, v.dtype)


def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if _in_rows(x, axis):
        line, length = x.ravel(), x.shape[-1]
        if x.size < _SOME:
            starts, row = _places(x.shape)
            off = x - np.maximum.reduceat(line, starts)[row]
            total = _row_sums(np.exp(off), length)
            return np.subtract(off, np.log(total, total)[row], off)
        off = _off_highest(line, length)
        total = _row_sums(spread(np.exp, off), length)
        out = off.reshape(-1, length)
        rank_one.subtract_column(out, np.log(total, total))
        return out.reshape(x.shape)
    if not x.size:
        return x.copy()
    whole = wide(x)
    off = whole - _highest(whole, axis)
    out = off - np.log(summation.add_up(np.exp(off), axis, None, None, True))
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if y.size >= _MANY and _in_rows(y, axis) and v.dtype is y.dtype:
        given, length = v.ravel(), y.shape[-1]
        out = spread(np.exp, y.ravel())
        spread(np.multiply, out, rank_one.repeated(_row_sums(given, length), length), into=out)
        return spread(np.subtract, given, out, into=out).reshape(y.shape)
    whole = wide(v)
    return narrow(whole - np.exp(wide(y)) * summation.add_up(whole, axis, None, None, True), v.dtype)


def logsumexp(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    whole = wide(x)
    if not x.size:
        return settled(np.log(summation.add_up(whole, axis, None, None, keepdims)), x.dtype)
    high = _highest(whole.real if x.dtype.kind == "c" else whole, axis)
    high = np.where(np.isinf(high), high.dtype.type(0), high)
    total = np.log(summation.add_up(np.exp(whole - high), axis, None, None, keepdims))
    return settled(total + (high if keepdims else np.squeeze(high, axis)), x.dtype)
