"""Which of equal elements come first where PyTorch does not sort stably: selection as C++ libraries do it.

The indices of equal elements then depend on the steps of the algorithm: quickselect for the k-th smallest, introselect
for the greatest few, introsort for more than 16 elements. The steps are followed here for rows in which it matters: compiled,
or in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import register, sort
from .numpy import Array
from .stable_sort import order

Before = Callable[[Any, Any], bool]
SHORT = 16
# More elements are left to stable sorting where nothing is compiled: the steps would take too long in Python.
LARGEST = 20000


def quickselect(values: list[Any], k: int) -> int:
    """The index where quickselect, with the median of three as pivot, finds the element that sorting puts at ``k``."""
    values, indices = list(values), list(range(len(values)))

    def swap(i: int, j: int) -> None:
        values[i], values[j] = values[j], values[i]
        indices[i], indices[j] = indices[j], indices[i]

    def above(a: Any, b: Any) -> bool:
        return bool((a != a and b == b) or a > b)

    low, high = 0, len(values) - 1
    while high > low + 1:
        swap((low + high) // 2, low + 1)
        for i, j in ((low + 1, high), (low, high), (low + 1, low)):
            if above(values[i], values[j]):
                swap(i, j)
        i, j, pivot = low + 1, high, values[low]
        while True:
            i += 1
            while above(pivot, values[i]):
                i += 1
            j -= 1
            while above(values[j], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(low, j)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    if high == low + 1 and above(values[low], values[high]):
        swap(low, high)
    return indices[k]


def _less(a: Any, b: Any) -> bool:
    return bool((a[0] == a[0] and b[0] != b[0]) or a[0] < b[0])


def _greater(a: Any, b: Any) -> bool:
    return bool((a[0] != a[0] and b[0] == b[0]) or a[0] > b[0])


def greatest(values: list[Any], k: int, largest: bool) -> list[int]:
    """The indices of the ``k`` greatest (or least) values, in order."""
    before = _greater if largest else _less
    items = [(value, place) for place, value in enumerate(values)]
    if k * 64 <= len(items):
        _partial_sort(items, k, before)
    else:
        _introselect(items, k - 1, before)
        _introsort(items, 0, k - 1, before)
    return [place for _, place in items[:k]]


def introsorted(values: list[Any], descending: bool = False) -> list[int]:
    """The indices that introsort puts the values in."""
    items = [(value, place) for place, value in enumerate(values)]
    _introsort(items, 0, len(items), _greater if descending else _less)
    return [place for _, place in items]


@register(sort.introsorted_rows)
def introsorted_rows(rows: Array, descending: bool = False) -> Array:
    """:func:`introsorted` of each row."""
    if rows.size > LARGEST:
        return order(rows, 1, descending)
    return np.array([introsorted(row, descending) for row in rows.tolist()], np.int64).reshape(rows.shape)


@register(sort.greatest_in_rows)
def greatest_in_rows(rows: Array, k: int, largest: bool) -> Array:
    """:func:`greatest` of each row."""
    if rows.size > LARGEST:
        return order(rows, 1, largest)[:, :k]
    return np.array([greatest(row, k, largest) for row in rows.tolist()], np.int64).reshape(len(rows), k)


@register(sort.selected_in_rows)
def selected_in_rows(rows: Array, k: int) -> Array:
    """:func:`quickselect` in each row."""
    if rows.size > LARGEST:
        return order(rows, 1)[:, k]
    return np.array([quickselect(row, k) for row in rows.tolist()], np.int64)


def _partition(items: list[Any], first: int, last: int, before: Before) -> int:
    """Splits items[first:last] around the median of its second, middle and last; where the upper part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if before(items[a], items[b]):
        median = b if before(items[b], items[c]) else c if before(items[a], items[c]) else a
    else:
        median = a if before(items[a], items[c]) else c if before(items[b], items[c]) else b
    items[first], items[median] = items[median], items[first]
    pivot, low, high = items[first], first + 1, last
    while True:
        while before(items[low], pivot):
            low += 1
        high -= 1
        while before(pivot, items[high]):
            high -= 1
        if not low < high:
            return low
        items[low], items[high] = items[high], items[low]
        low += 1


def _insertion_sort(items: list[Any], first: int, last: int, before: Before) -> None:
    for index in range(first + 1, last):
        item, place = items[index], index
        if index - first < SHORT and before(item, items[first]):  # even past what it is not before, where nan is about
            items[first + 1 : index + 1] = items[first:index]
            items[first] = item
            continue
        while place > first and before(item, items[place - 1]):
            items[place] = items[place - 1]
            place -= 1
        items[place] = item


def _introselect(items: list[Any], nth: int, before: Before) -> None:
    first, last = 0, len(items)
    depth = 2 * (last.bit_length() - 1) if last else 0
    while last - first > 3:
        if depth == 0:
            _heap_select(items, first, nth + 1, last, before)
            items[first], items[nth] = items[nth], items[first]
            return
        depth -= 1
        cut = _partition(items, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion_sort(items, first, last, before)


def _introsort(items: list[Any], first: int, last: int, before: Before) -> None:
    if last - first < 2:
        return
    pending = [(first, last, 2 * ((last - first).bit_length() - 1))]
    while pending:
        low, high, depth = pending.pop()
        while high - low > SHORT:
            if depth == 0:
                _heap_select(items, low, high, high, before)
                _sort_heap(items, low, high, before)
                break
            depth -= 1
            cut = _partition(items, low, high, before)
            pending.append((cut, high, depth))
            high = cut
    _insertion_sort(items, first, last, before)


def _partial_sort(items: list[Any], k: int, before: Before) -> None:
    _heap_select(items, 0, k, len(items), before)
    _sort_heap(items, 0, k, before)


def _heap_select(items: list[Any], first: int, middle: int, last: int, before: Before) -> None:
    """Makes items[first:middle] a heap of those that come first."""
    size = middle - first
    for parent in range((size - 2) // 2, -1, -1):
        _sift(items, first, parent, size, items[first + parent], before)
    for index in range(middle, last):
        if before(items[index], items[first]):
            item, items[index] = items[index], items[first]
            _sift(items, first, 0, size, item, before)


def _sort_heap(items: list[Any], first: int, last: int, before: Before) -> None:
    while last - first > 1:
        last -= 1
        item, items[last] = items[last], items[first]
        _sift(items, first, 0, last - first, item, before)


def _sift(items: list[Any], first: int, hole: int, size: int, item: Any, before: Before) -> None:
    """Lets the hole sink to a leaf, then the item rise from there."""
    top, child = hole, hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if before(items[first + child], items[first + child - 1]):
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        items[first + hole] = items[first + child - 1]
        hole = child - 1
    while hole > top and before(items[first + (hole - 1) // 2], item):
        items[first + hole] = items[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    items[first + hole] = item
