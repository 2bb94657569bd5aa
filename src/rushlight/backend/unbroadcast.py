"""Unbroadcasting: a cotangent summed over what broadcasting stretched, so that it has its input's shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from .line_sums import total
from .numpy import Array, Shape, converted, is_complex_half


def stretched(have: Shape, shape: Shape) -> tuple[int, ...]:
    """The axes of ``have`` along which broadcasting stretched ``shape``; ValueError where it did not come from there."""
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(axis for axis, size in enumerate(shape, lead) if lead >= 0 and size == 1 != have[axis])
    if lead < 0 or any(size not in (1, full) for size, full in zip(shape, have[lead:], strict=True)):
        raise ValueError(f"cannot sum {have} to {shape}")
    return axes


def sum_to(array: Array, shape: Shape) -> Array:
    """Undoes broadcasting: sums ``array`` over the dimensions that were stretched from ``shape``."""
    have = array.shape
    if have == shape:
        return array
    if is_complex_half(array.dtype):
        raise NotImplementedError("\"sum_cpu\" not implemented for 'ComplexHalf'")
    lead = len(have) - len(shape)
    if lead > 0 and have[lead:] == shape:
        return total(array, tuple(range(lead)))
    axes = stretched(have, shape)
    if axes:
        array = total(array, axes, keepdims=True)
    return array.reshape(shape)


def unbroadcast(array: Array, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """A cotangent as its input needs it: broadcasting undone, and in the input's dtype (the real part for a real input)."""
    if array.shape != shape:
        array = sum_to(array, shape)
    if array.dtype != dtype:
        if array.dtype.kind == "c" and dtype.kind not in "cW":
            array = array.real
        array = converted(array, dtype)
    return array
