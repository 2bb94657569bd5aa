"""Compiled sorting, equal elements as it leaves them. It takes rows of float32, float64 and whole numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]


def _taken(rows: Array) -> Array | None:
    """Rows in a dtype that the loops take."""
    if native is None or not rows.size:
        return None
    if rows.dtype.kind in "biu" and rows.dtype != np.uint64:
        rows = rows.astype(np.int64, copy=False)
    elif rows.dtype == np.float16:
        rows = rows.astype(np.float32)
    return np.ascontiguousarray(rows)


def _ordered(rows: Array, wanted: int, descending: bool) -> Array | None:
    values, length = _taken(rows), rows.shape[1]
    if native is None or values is None:
        return None
    places = np.empty((len(rows), wanted or length), np.int64)
    return places if native.order(values, places, length, wanted, descending) else None


def introsorted_rows(rows: Array, descending: bool = False) -> Array | None:
    return _ordered(rows, 0, descending)


def greatest_in_rows(rows: Array, k: int, largest: bool) -> Array | None:
    return _ordered(rows, k, largest) if k else None


def greatest(x: Array, k: int, axis: int, largest: bool) -> Array | None:
    rows = x.swapaxes(axis, -1)
    places = greatest_in_rows(rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1]), k, largest)
    return None if places is None else np.ascontiguousarray(places.reshape(*rows.shape[:-1], k).swapaxes(axis, -1))


def searched_in_rows(sums: Array, targets: Array) -> Array | None:
    if native is None or sums.dtype.char not in "fd" or targets.dtype.char != "d":
        return None
    places = np.empty(targets.shape, np.int64)
    taken = native.search(places, np.ascontiguousarray(sums), np.ascontiguousarray(targets), sums.shape[-1])
    return places if taken else None


def selected_in_rows(rows: Array, k: int) -> Array | None:
    values = _taken(rows)
    if native is None or values is None:
        return None
    places = np.empty(len(rows), np.int64)
    return places if native.select(values, places, rows.shape[1], k) else None
