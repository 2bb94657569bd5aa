"""What is picked, put and added at indices, compiled. All take indices of 64 bits, from 0 on, that there are; sums float32 and float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from . import native
from .rows import Array

Shape = tuple[int, ...]


def _added(out: Array, indices: Array, values: Array, width: int) -> Array | None:
    if native is None or values.dtype is not out.dtype or out.dtype.char not in "fd" or indices.dtype.char not in "lq":
        return None
    return out if native.add_at(out, np.ascontiguousarray(indices), np.ascontiguousarray(values), width) else None


def add_at(out: Array, indices: Array, values: Array) -> Array | None:
    if values.shape != indices.shape:
        values = np.broadcast_to(values, indices.shape)
    return _added(out, indices, values, 1)


def add_rows(out: Array, rows: Array, values: Array, is_zero: bool) -> Array | None:
    return _added(out, rows, values, math.prod(out.shape[1:]))


def within(index: Array, low: int, size: int) -> bool | None:
    found: bool | None = native.within(index, low, size) if native else None
    return found


_FEW = 1 << 9  # of a line so many are picked by NumPy as quickly
_Loop = Callable[[Array, Array, Array, Shape], bool]


def _moved(name: str, picks: bool) -> Callable[[Array, Array, Array, int], bool]:
    loop: _Loop | None = getattr(native, name, None)

    def move(out: Array, other: Array, indices: Array, axis: int) -> bool:
        wide, shape = other.shape if picks else out.shape, indices.shape
        if (
            loop is None
            or axis < 0
            or len(shape) != len(wide)
            or (picks and not other.flags.c_contiguous and other.size > indices.size)
        ):
            return False
        # As many beside one another as there are, and before the axis but the outermost.
        if shape[axis + 1 :] != wide[axis + 1 :] or shape[1:axis] != wide[1:axis]:
            return False
        sizes = (math.prod(shape[:axis]), wide[axis], shape[axis], math.prod(shape[axis + 1 :]))
        return loop(out, np.ascontiguousarray(other), _of_slices(indices, axis), sizes)

    return move


_pick, _put, _add = _moved("pick_along", True), _moved("put_along", False), _moved("add_along", False)


def _of_slices(indices: Array, axis: int) -> Array:
    """In order; once only where they are the same along all other axes."""
    if 0 in indices.strides and indices.size > indices.shape[axis]:
        steps = zip(indices.shape, indices.strides, strict=True)
        if all(place == axis or not step or size == 1 for place, (size, step) in enumerate(steps)):
            indices = indices[tuple([slice(None) if place == axis else 0 for place in range(indices.ndim)])]
    return np.ascontiguousarray(indices)


def take_along(x: Array, indices: Array, axis: int, /) -> Array | None:
    if (x.ndim < 2 and indices.size < _FEW) or not indices.size or indices.dtype.char not in "lq" or x.dtype.kind not in "fiub":
        return None
    out = np.empty(indices.shape, x.dtype)
    return out if _pick(out, x, indices, axis) else None


def take_slices(x: Array, indices: Array, axis: int, /) -> Array | None:
    if axis < 1 or not x.size or not indices.size or indices.dtype.char not in "lq" or x.dtype.kind not in "fiub":
        return None  # rows are copied as quickly by NumPy
    out = np.empty((*x.shape[:axis], indices.size, *x.shape[axis + 1 :]), x.dtype)
    whole = np.broadcast_to(indices.reshape(-1, *(1,) * (x.ndim - 1 - axis)), out.shape)
    return out if _pick(out, x, whole, axis) else None


def put_in_step(out: Array, indices: Array, values: Array, axis: int) -> Array | None:
    if indices.dtype.char not in "lq" or values.dtype is not out.dtype or out.dtype.kind not in "fiub" or not indices.size:
        return None
    return out if _put(out, np.broadcast_to(values, indices.shape), indices, axis) else None


def add_in_step(out: Array, indices: Array, values: Array, axis: int) -> Array | None:
    if indices.dtype.char not in "lq" or values.dtype is not out.dtype or out.dtype.char not in "fd" or not indices.size:
        return None
    return out if _add(out, np.broadcast_to(values, indices.shape), indices, axis) else None
