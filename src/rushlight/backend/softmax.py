"""Kernels of the softmax family. ``axis`` is an int, or () for 0-dim arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..kernels import register
from ..kernels import rows as compiled
from . import rank_one, summation
from .blockwise import spread
from .line_sums import ones, row_dots, row_products
from .numpy import MANY, Array, Shape, row_starts
from .ownership import is_handed_over
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


# What belongs to a row is repeated along it: two thirds of the time of broadcasting, a third where there is little.


@functools.lru_cache(256)
def _places(shape: Shape) -> tuple[Array, Array]:
    """Of few rows: where each begins in one line, and in which row each place is. Not to be written."""
    rows = np.arange(math.prod(shape[:-1]))
    return rows * shape[-1], rows.repeat(shape[-1]).reshape(shape)


def _off_highest(line: Array, length: int) -> Array:
    """By how much each number is off its row's maximum, as rows; of many short rows those of all places at once are found."""
    count = line.size // length
    if count >= 64 and length <= 32:
        highest = np.asarray(summation.greatest(line.reshape(count, length).T.copy(), 0))
    else:
        starts = row_starts((count,), (count, length)) if count < MANY else np.arange(0, line.size, length)
        highest = np.maximum.reduceat(line, starts)
    return rank_one.less_column(line.reshape(count, length), highest)


def _row_sums(x: Array, length: int) -> Array:
    """The sum of each row, of few in PyTorch's order (of two numbers there is but one)."""
    rows = x if x.ndim == 2 else x.reshape(-1, length)
    if rows.dtype is _SINGLE and (length == 2 or rows.size >= _SOME):
        return row_products(rows, ones(length))
    return np.asarray(summation.add_up(rows, 1))


def by_one_shift(x: Array) -> Array | None:
    """Softmax over long rows without each row's maximum, which takes twice as long to find.

    One number may be taken away from all where none overflows then and no row's sum is so small that much of it is lost; a
    whole number, so that there is no rounding error of consequence. None where there is no such number.
    """
    line, length = x.reshape(-1), x.shape[-1]
    most = summation.greatest_of(line)
    if most <= _SAFE:
        out = spread(np.exp, line)
    else:
        out = spread(np.subtract, line, np.asarray(np.floor(most - _SAFE)))
        spread(np.exp, out, into=out)
    rows = out.reshape(-1, length)
    sums = _row_sums(rows, length)
    if not summation.least(sums, None) >= _LEAST:
        return None
    rank_one.by_column(np.divide, rows, sums)
    return rows.reshape(x.shape)


@register(compiled.softmax)
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
        rank_one.by_column(np.divide, out, _row_sums(out, length))
        return out.reshape(x.shape)
    if not x.size:
        return x.copy()
    whole = wide(x)
    out = np.exp(whole - _highest(whole, axis))
    out /= summation.add_up(out, axis, None, None, True)
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


@register(compiled.softmax_grad)
def softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if y.size >= _SOME and _in_rows(y, axis) and v.dtype is y.dtype:
        rows, results = (each.reshape(-1, y.shape[-1]) for each in (v, y))
        out = rank_one.less_column(rows, row_dots(rows, results))
        return spread(np.multiply, out, results, into=out).reshape(y.shape)  # type: ignore[no-any-return]
    given, whole = wide(v), wide(y)
    return narrow((given - summation.add_up(given * whole, axis, None, None, True)) * whole, v.dtype)


def softmax_grad_over(g: Array, out: Array, axis: int | tuple[()]) -> tuple[Array] | None:
    """:func:`softmax_grad` of many numbers, written over ``g``; None where somebody else may see that.

    None too where there is a compiled kernel for it, so that the numbers do not depend on who looks.
    """
    if compiled.takes_grad(g, out, axis):
        return None
    if not (is_handed_over(g) and _in_rows(out, axis) and g.dtype is out.dtype and g.flags.c_contiguous):
        return None
    rows, results = (each.reshape(-1, out.shape[-1]) for each in (g, out))
    rank_one.subtract_column(rows, row_dots(rows, results))
    spread(np.multiply, rows, results, into=rows)
    return (g,)


@register(compiled.log_softmax)
def log_softmax(x: Array, axis: int | tuple[()]) -> Array:
    if _in_rows(x, axis):
        line, length = x.ravel(), x.shape[-1]
        if x.size < _SOME:
            starts, row = _places(x.shape)
            off = x - np.maximum.reduceat(line, starts)[row]
            total = _row_sums(np.exp(off), length)
            return np.subtract(off, np.log(total, total)[row], off)
        out = _off_highest(line, length)
        total = _row_sums(spread(np.exp, out), length)
        rank_one.subtract_column(out, np.log(total, total))
        return out.reshape(x.shape)
    if not x.size:
        return x.copy()
    whole = wide(x)
    off = whole - _highest(whole, axis)
    out = off - np.log(summation.add_up(np.exp(off), axis, None, None, True))
    return out if x.flags.c_contiguous and whole is x else settled(out, x.dtype)


@register(compiled.log_softmax_grad)
def log_softmax_grad(v: Array, y: Array, axis: int | tuple[()]) -> Array:
    if y.size >= _MANY and _in_rows(y, axis) and v.dtype is y.dtype:
        rows, results = (each.reshape(-1, y.shape[-1]) for each in (v, y))
        out = spread(np.exp, results)
        rank_one.by_column(np.multiply, out, _row_sums(rows, y.shape[-1]))
        return spread(np.subtract, rows, out, into=out).reshape(y.shape)  # type: ignore[no-any-return]
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
