"""Compiled kernels that go over arrays once, number by number. They take float32 and float64 that lie in order.

A slope is the derivative at ``x`` (of sigmoid and tanh, where the value is ``y``) times the cotangent ``h``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]


def _function(name: str) -> Callable[[Array], Array | None]:
    loop: Callable[[Array, Array], bool] | None = getattr(native, name, None)

    def kernel(x: Array) -> Array | None:
        if loop and x.dtype.char in "fd" and x.flags.c_contiguous:
            out = np.empty(x.shape, x.dtype)
            if loop(out, x):
                return out
        return None

    return kernel


def _slope(name: str) -> Callable[[Array, Array], Array | None]:
    loop: Callable[[Array, Array, Array], bool] | None = getattr(native, name, None)

    def kernel(h: Array, x: Array) -> Array | None:
        if loop and h.dtype is x.dtype and h.shape == x.shape and x.dtype.char in "fd":
            if not (x.flags.c_contiguous and h.flags.c_contiguous):
                return None
            out = np.empty(x.shape, x.dtype)
            if loop(out, x, h):
                return out
        return None

    return kernel


gelu, gelu_backward = _function("gelu"), _slope("gelu_backward")
gelu_tanh, gelu_tanh_backward = _function("gelu_tanh"), _slope("gelu_tanh_backward")
silu, silu_backward = _function("silu"), _slope("silu_backward")
mish, mish_backward = _function("mish"), _slope("mish_backward")
sigmoid, sigmoid_backward = _function("sigmoid"), _slope("sigmoid_backward")
tanh_backward = _slope("tanh_backward")
