"""Strides: how far apart in memory neighbours along each dimension are, in elements or in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def dense(shape: Sequence[int], unit: int = 1) -> tuple[int, ...]:
    """The strides of what lies row by row, a dimension of size 0 taken as one of size 1.

    ``unit``  how far apart neighbours along the last dimension are
    """
    strides = []
    for size in reversed(shape):
        strides.append(unit)
        unit *= max(size, 1)
    return tuple(reversed(strides))


def reach(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How far behind the first element the last one is; of no meaning where there is none."""
    return sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def span(array: Any) -> int:
    """How many bytes an array with no negative strides takes, those between its elements too."""
    return reach(array.shape, array.strides) + int(array.itemsize) if array.size else 0


def is_stretched(array: Any) -> bool:
    """Whether an array repeats its elements along a dimension."""
    return bool(array.size) and any(size > 1 and not step for size, step in zip(array.shape, array.strides, strict=True))
