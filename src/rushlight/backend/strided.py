"""Writing through strides into a copy of an array's memory."""

from __future__ import annotations

import numpy as np

from . import numpy as backend
from .numpy import Array, Shape


def strided_scatter(x: Array, src: Array, shape: Shape, strides: Shape, offset: int, x_strides: Shape, x_offset: int) -> Array:
    """A copy of ``x``, laid out as it was, with ``src`` where as_strided with these numbers would see."""
    size = x.itemsize
    storage = np.zeros(max(_reach(shape, strides, offset), _reach(x.shape, x_strides, x_offset)), x.dtype)
    out = backend.strided(storage, x.shape, tuple(step * size for step in x_strides), x_offset * size)
    out[...] = x
    backend.strided(storage, shape, tuple(step * size for step in strides), offset * size)[...] = src
    return out


def _reach(shape: Shape, strides: Shape, offset: int) -> int:
    if 0 in shape:
        return offset + 1
    return offset + 1 + sum((length - 1) * step for length, step in zip(shape, strides, strict=True))
