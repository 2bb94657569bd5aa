"""Kernels that make arrays: memory layouts, ranges and windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .numpy import Array, Shape

_FORMATS = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}


def empty_like(array: Array, dtype: np.dtype[Any]) -> Array:
    """An unset array of the shape of ``array`` whose axes lie in memory in the same order, without gaps."""
    if array.flags.c_contiguous:
        return np.empty(array.shape, dtype)
    if 0 not in array.strides:
        return np.empty_like(array, dtype, "K")
    # A broadcast axis says nothing of the order in memory: it stays where it stands among the others.
    order = list(range(array.ndim))
    strides = array.strides
    for end in range(1, len(order)):
        place = end
        for before in range(end - 1, -1, -1):
            left, right = strides[order[before]], strides[order[place]]
            if left == 0 or right == 0:
                continue
            if left >= right:
                break
            order[before], order[place] = order[place], order[before]
            place = before
    return _in_order(array.shape, dtype, tuple(order))


def _in_order(shape: Shape, dtype: np.dtype[Any], order: tuple[int, ...]) -> Array:
    """An unset array of ``shape`` whose axes lie in memory in ``order``, the first one outermost."""
    made = np.empty([shape[axis] for axis in order], dtype)
    return made.transpose(sorted(range(len(order)), key=order.__getitem__))


def empty_in_format(shape: Shape, dtype: np.dtype[Any], name: str, like: Array | None = None) -> Array:
    """An unset array in a memory format: 'channels_last' say, or as ``like`` lies for 'preserve_format'."""
    if name == "preserve_format" and like is not None:
        return empty_like(like, dtype)
    order = _FORMATS.get(name)
    if order is None:
        return np.empty(shape, dtype)
    if len(shape) != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {name} format")
    return _in_order(shape, dtype, order)


def empty_strided(shape: Shape, strides: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An unset array with strides counted in elements; they may overlap or leave gaps."""
    if 0 in shape:
        return np.empty(shape, dtype)
    reach = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    whole = np.empty(reach, dtype)
    return np.ndarray(shape, dtype, whole, 0, tuple(step * dtype.itemsize for step in strides))


def arange(start: float, step: float, count: int, dtype: np.dtype[Any]) -> Array:
    """``start + i * step``, computed in int64 or float64 and rounded once."""
    if dtype.kind in "iu":
        return np.asarray(np.arange(count) * int(step) + int(start)).astype(dtype)
    values = np.arange(count, dtype=np.float64)
    values *= step
    values += start
    return values.astype(dtype, copy=False)


def linspace(start: Any, stop: Any, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` values from ``start`` to ``stop``: the first half counted from the start, the second from the end."""
    if count == 1:
        return np.asarray([start]).astype(dtype)
    wide = np.dtype(np.float64) if dtype.kind in "iu" else dtype
    first, last = np.asarray(start).astype(wide), np.asarray(stop).astype(wide)
    step = ((last - first) / wide.type(count - 1)).astype(wide)
    half = count // 2
    values = np.empty(count, wide)
    index = np.arange(count)
    values[:half] = first + step * index[:half].astype(wide)
    values[half:] = last - step * (count - 1 - index[half:]).astype(wide)
    return values.astype(dtype, copy=False)


def steps_between(start: float, stop: float, step: float, whole: bool) -> int:
    """How many values arange gives: exact for integers."""
    if whole:
        return max(0, -((int(start) - int(stop)) // int(step)))
    return max(0, math.ceil((stop - start) / step))


def logspace(start: Any, stop: Any, count: int, base: Any, dtype: np.dtype[Any]) -> Array:
    """``base`` to the powers of linspace, computed as linspace computes."""
    wide = np.dtype(np.float32) if dtype.kind in "iu" else dtype
    powers = linspace(start, stop, count, wide)
    return np.power(np.asarray(base).astype(wide), powers).astype(dtype)
