"""The compiled negative log likelihood of classes. It takes float32 and float64 in order, and classes of 64 bits that there are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
_INT64 = np.dtype(np.int64)
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _sizes(shape: Shape, target: Array, reduction: str) -> tuple[int, int, int, int] | None:
    """Samples, classes, places and the reduction, as native/class_functions.cpp has them; None for other targets, and for none."""
    if native is None or target.dtype is not _INT64 or not target.flags.c_contiguous or not target.size:
        return None
    samples, classes = shape[:2] if len(shape) > 1 else (1, shape[0])
    return samples, classes, math.prod(shape[2:]), _REDUCTIONS[reduction]


def nll_loss(
    x: Array, target: Array, weight: Array | None = None, reduction: str = "mean", ignore_index: int = -100
) -> Array | None:
    sizes = _sizes(x.shape, target, reduction)
    if native is None or sizes is None or x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return None
    loss = np.empty(target.shape if reduction == "none" else (), x.dtype)
    return loss if native.nll_loss(loss, x, target, weight, ignore_index, sizes) else None


def nll_loss_adjoint(
    g: Array, x: Array, target: Array, weight: Array | None = None, reduction: str = "mean", ignore_index: int = -100
) -> Array | None:
    sizes = _sizes(x.shape, target, reduction)
    if native is None or sizes is None or g.dtype.char not in "fd":
        return None
    out = np.zeros(x.shape, g.dtype)
    return out if native.nll_loss_backward(out, np.ascontiguousarray(g), target, weight, ignore_index, sizes) else None
