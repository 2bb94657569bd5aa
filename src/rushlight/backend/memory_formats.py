"""Images and volumes whose channels lie last in memory: what kernels make of them lies so too, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def has_channels_last(x: Array) -> bool:
    """Whether the axes of x (N, C, H, W) or (N, C, D, H, W) lie in channels last order; there may be gaps between them."""
    if x.ndim not in (4, 5) or not x.size or not x.strides[1]:  # of stretched channels PyTorch takes no order
        return False
    least, previous = 0, 0
    for axis in (1, *range(x.ndim - 1, 1, -1), 0):
        if x.strides[axis] < least or (axis == 0 and x.strides[0] == x.strides[1] and least == previous):
            return False
        previous = x.strides[axis]
        least = previous * max(x.shape[axis], 1)
    return not x.flags.c_contiguous


def with_channels_last(y: Array) -> Array:
    """``y`` in that order in memory, where it is an image or a volume."""
    if y.ndim not in (4, 5):
        return y
    moved = np.moveaxis(y, 1, -1)
    # Through one axis: NumPy leaves the stride of a single channel as it was.
    return np.moveaxis(np.ascontiguousarray(moved).reshape(-1).reshape(moved.shape), -1, 1)


def keeping(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose results have their channels last in memory where its first argument has, else are in order."""

    @wraps(kernel)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        if x.flags.c_contiguous:
            return kernel(x, *args, **kwargs)
        out = kernel(np.ascontiguousarray(x), *args, **kwargs)  # kernels are quickest in order
        if not has_channels_last(x):
            return out
        return tuple(map(with_channels_last, out)) if isinstance(out, tuple) else with_channels_last(out)

    return call
