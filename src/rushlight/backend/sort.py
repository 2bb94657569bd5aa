"""Kernels that order elements and look them up: sorting, the greatest few, distinct values, binary search."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from ..kernels import register
from ..kernels import sort as compiled
from . import introsort
from .extremes import ordered_alike, rows_along, take_along, tied_rows
from .numpy import Array, empty_like, in_rows
from .stable_sort import order

_MANY = 1 << 15  # whole numbers, from which on PyTorch sorts them by radix
_COUNTED = 64  # whole numbers, from which on counting them takes less time than ordering them


def argsort(x: Array, axis: int, descending: bool = False, stable: bool = False) -> Array:
    if not x.ndim:
        return np.zeros((), np.int64)
    alike = ordered_alike(x)
    indices = order(alike, axis, descending)
    if not (stable or x.shape[axis] <= introsort.SHORT or _by_radix(x, descending)):
        ordered = rows_along(take_along(x, indices, axis), axis)
        tied = tied_rows(ordered, descending)
        if tied.size:
            found = rows_along(indices, axis).copy()
            found[tied] = introsort.introsorted_rows(rows_along(alike, axis)[tied], descending)
            indices = np.ascontiguousarray(found.reshape(indices.swapaxes(axis, -1).shape).swapaxes(axis, -1))
    return _lying_as(x, indices)


def _by_radix(x: Array, descending: bool) -> bool:
    """Whether PyTorch sorts by radix, so that equal elements keep their order."""
    return not descending and x.ndim == 1 and x.size >= _MANY and x.dtype.kind in "iu"


def sort(x: Array, indices: Array, axis: int) -> Array:
    return _lying_as(x, take_along(x, indices, axis))


def _lying_as(x: Array, ordered: Array) -> Array:
    """``ordered`` with its dimensions in the order that those of ``x`` have in memory."""
    if x.flags.c_contiguous:
        return in_rows(ordered)
    out = empty_like(x, ordered.dtype)
    out[...] = ordered
    return out


def _found_by_order(x: Array, indices: Array, axis: int, largest: bool) -> bool:
    """Whether the one greatest (or least) element of each row stands where NumPy found the first of them.

    The steps of a selection matter where there are several, in rows of more than three. For NumPy nan is the least too.
    """
    if x.shape[axis] <= 3 and (largest or x.dtype.kind != "f"):
        return True
    best = take_along(x, indices, axis)
    return bool(np.count_nonzero(x < best if largest else x > best) == x.size - indices.size)


def argtopk(x: Array, k: int, axis: int, largest: bool) -> Array:
    if not x.ndim:
        return np.zeros((), np.int64)
    if k == 1 and x.size and x.dtype.kind in "fiu":
        indices = (x.argmax if largest else x.argmin)(axis, keepdims=True)
        if _found_by_order(x, indices, axis, largest):
            return indices
    return _greatest(x, k, axis, largest)


@register(compiled.greatest)
def _greatest(x: Array, k: int, axis: int, largest: bool) -> Array:
    alike = ordered_alike(x)
    indices = np.ascontiguousarray(order(alike, axis, largest)[(slice(None),) * axis + (slice(k + 1),)])
    ordered = rows_along(take_along(x, indices, axis), axis)
    tied = tied_rows(ordered, largest)
    indices = indices[(slice(None),) * axis + (slice(k),)].copy("C")
    if k and tied.size:
        found = rows_along(indices, axis).copy()
        found[tied] = introsort.greatest_in_rows(rows_along(alike, axis)[tied], k, largest)
        indices = found.reshape(indices.swapaxes(axis, -1).shape).swapaxes(axis, -1).copy("C")
    return indices


def unique(x: Array) -> tuple[Array, Array, Array]:
    """Distinct values in order, which of them each element is, and how often each comes; no nan equals another."""
    if x.dtype.kind in "iu" and x.size >= _COUNTED:
        least, most = int(x.min()), int(x.max())
        if most - least < x.size and most <= np.iinfo(np.int64).max:
            return _counted(x, least)
    values, inverse, counts = np.unique(ordered_alike(x), return_inverse=True, return_counts=True, equal_nan=False)
    return values.astype(x.dtype, copy=False), inverse.reshape(x.shape).astype(np.int64), counts.astype(np.int64)


def _counted(x: Array, least: int) -> tuple[Array, Array, Array]:
    """:func:`unique` of whole numbers that lie close together: they are counted, which takes no order."""
    off = x.ravel().astype(np.int64) - least
    counts = np.bincount(off)
    found = np.flatnonzero(counts)
    number = np.empty(len(counts), np.int64)
    number[found] = np.arange(len(found))
    return (found + least).astype(x.dtype), number[off].reshape(x.shape), counts[found]


def unique_slices(x: Array, axis: int) -> tuple[Array, Array, Array]:
    """Distinct slices along ``axis``, in lexicographic order."""
    rows = np.moveaxis(x, axis, 0)
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    if flat.dtype.kind in "fV" and np.isnan(flat).any():
        ordering = np.array(introsort.introsorted([_Row(row) for row in flat.tolist()]))
    else:
        ordering = np.lexsort(ordered_alike(flat).T[::-1]) if flat.shape[1] else np.arange(len(rows))
    return _runs(x, axis, flat, ordering)


class _Row:
    """A row of numbers, some of them nan: they are no reason to come before another or after it."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def __lt__(self, other: _Row) -> bool:
        return next((a < b for a, b in zip(self.numbers, other.numbers, strict=True) if a < b or a > b), False)


def _runs(x: Array, axis: int, flat: Array, ordering: Array) -> tuple[Array, Array, Array]:
    """The first of each run of equal rows, which run each row is in, and how long they are."""
    ordered = flat[ordering]
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(1)
    number = np.cumsum(fresh) - 1
    inverse = np.empty(len(ordered), np.int64)
    inverse[ordering] = number
    counts = np.bincount(number, minlength=int(fresh.sum())).astype(np.int64)
    return np.moveaxis(np.moveaxis(x, axis, 0)[ordering[fresh]].copy("C"), 0, axis), inverse, counts


def unique_consecutive(x: Array, axis: int | None) -> tuple[Array, Array, Array]:
    """The first of each run of equal elements (or slices), which run each is in, and how long they are."""
    if axis is None:
        flat = x.reshape(-1)
        values, inverse, counts = _runs(flat, 0, flat[:, None], np.arange(flat.size))
        return values, inverse.reshape(x.shape), counts
    rows = np.moveaxis(x, axis, 0)
    return _runs(x, axis, rows.reshape(len(rows), math.prod(rows.shape[1:])), np.arange(len(rows)))


def searchsorted(boundaries: Array, values: Array, sorter: Array | None = None, right: bool = False) -> Array:
    """How many of the ordered ``boundaries`` lie before each value; rows of the last dimension go together."""
    if sorter is not None:
        boundaries = np.take_along_axis(boundaries, sorter, -1)
    if boundaries.ndim == 1 or not values.ndim:
        return _search(boundaries.reshape(1, -1), values.reshape(1, -1), right).reshape(values.shape)
    count = math.prod(boundaries.shape[:-1])
    rows, wanted = boundaries.reshape(count, boundaries.shape[-1]), values.reshape(count, values.shape[-1])
    return _search(rows, wanted, right).reshape(values.shape)


def _search(rows: Array, values: Array, right: bool) -> Array:
    """For each row of ``values`` the indices in its row of ``rows``."""
    if len(rows) == 1 and values.size * _SEARCH < rows.size and rows.dtype.kind in "iuf":
        bisect, line = bisect_right if right else bisect_left, rows[0].data if rows.flags.c_contiguous else rows[0].tolist()
        return np.array([bisect(line, value) for value in values.ravel().tolist()], np.int64).reshape(values.shape)
    if (rows[:, 1:] < rows[:, :-1]).any() or (rows.dtype.kind in "fV" and np.isnan(rows).any()):
        found = [_bisected(row, wanted, right) for row, wanted in zip(rows, values, strict=True)]
        return np.array(found, np.int64).reshape(values.shape)
    lines = zip(ordered_alike(rows), ordered_alike(values), strict=True)
    found = [np.searchsorted(row, wanted, "right" if right else "left") for row, wanted in lines]
    return np.array(found, np.int64).reshape(values.shape)


# So many comparisons of neighbours, whether boundaries are in order, take as long as one search in Python.
_SEARCH = 4096


def _bisected(row: Array, values: Array, right: bool) -> Array:
    """Binary search by comparisons alone, in which nan is on no side of anything."""
    low = np.zeros(values.shape, np.int64)
    high = np.full(values.shape, len(row))
    while (low < high).any():
        middle = low + (high - low) // 2
        met = row[np.minimum(middle, len(row) - 1)]
        below = ~(met > values if right else met >= values) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below | (low >= high), high, middle)
    return low


def isin(elements: Array, test_elements: Array, invert: bool) -> Any:
    return np.isin(elements, test_elements, invert=invert)


@register(compiled.searched_in_rows)
def searched_in_rows(sums: Array, targets: Array) -> Array:
    """Where targets would stand among rising sums, row by row."""
    if sums.ndim == 1:
        return np.searchsorted(sums, targets)
    return np.array([np.searchsorted(row, target) for row, target in zip(sums, targets, strict=True)], np.int64)
