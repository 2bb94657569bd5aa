"""Kernels of cross products."""

from __future__ import annotations

import numpy as np

from .numpy import Array


def cross(a: Array, b: Array, axis: int) -> Array:
    """The cross product along an axis of size 3; the other axes broadcast."""
    a0, a1, a2 = np.moveaxis(a, axis, 0)
    b0, b1, b2 = np.moveaxis(b, axis, 0)
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis)
