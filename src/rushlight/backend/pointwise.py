"""Kernels of pointwise ops that NumPy does not have under the same meaning."""

from __future__ import annotations

import numpy as np

from .numpy import Array

divide = np.true_divide


def subtract(a: Array, b: Array) -> Array:
    if a.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
            "instead."
        )
    return np.subtract(a, b, out=...)


def reverse_subtract(a: Array, b: Array) -> Array:
    return subtract(b, a)


def negative(x: Array) -> Array:
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."
        )
    return np.negative(x, out=...)
