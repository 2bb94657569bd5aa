"""Kernels of cross products."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array


def cross(a: Array, b: Array, axis: int) -> Array:
    """The cross product along an axis of size 3; the other axes broadcast."""
    before: tuple[Any, ...] = (slice(None),) * axis
    (a0, a1, a2), (b0, b1, b2) = ([x[(*before, place)] for place in range(3)] for x in (a, b))
    out: Array = np.empty(np.broadcast_shapes(a.shape, b.shape) if a.shape != b.shape else a.shape, a.dtype)
    out[(*before, 0)] = a1 * b2 - a2 * b1
    out[(*before, 1)] = a2 * b0 - a0 * b2
    out[(*before, 2)] = a0 * b1 - a1 * b0
    return out
