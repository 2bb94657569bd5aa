"""Compiled batch norm and group norm. They take float32 and float64 in order whose channels have one number, or more than a few in a row."""

from __future__ import annotations

import math

import numpy as np

from . import native, rows
from .half_precision import Array

_SHORTEST = 8  # segments; shorter ones are not worth a loop of their own


def _sizes(x: Array) -> tuple[int, int, int] | None:
    """Samples, channels, and how many numbers a sample has of each; None where x is not taken."""
    if native is None or x.ndim < 2 or x.dtype.char not in "fd" or not x.flags.c_contiguous or not x.size:
        return None
    length = math.prod(x.shape[2:])
    return (x.shape[0], x.shape[1], length) if length >= _SHORTEST or x.ndim == 2 else None


def channel_moments(x: Array) -> tuple[Array, Array] | None:
    sizes = _sizes(x)
    if native is None or sizes is None:
        return None
    moments, count = np.empty((2, sizes[1])), sizes[0] * sizes[2]
    if count == 1 or not native.channel_moments(moments, x, sizes):
        return None
    return moments[0], moments[1] * (count / (count - 1))


def batch_norm(x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array | None:
    sizes = _sizes(x)
    if native is None or sizes is None:
        return None
    out = np.empty(x.shape, x.dtype)
    return out if native.batch_norm(out, x, weight, bias, eps, sizes) else None


def batch_norm_backward(
    g: Array, x: Array, weight: Array | None, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    sizes = _sizes(x)
    if native is None or sizes is None or g.dtype is not x.dtype or g.shape != x.shape:
        return None
    shapes = (x.shape, x.shape[1:2], x.shape[1:2])
    out = [np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs, strict=True)]
    return tuple(out) if native.batch_norm_backward(*out, np.ascontiguousarray(g), x, weight, eps, sizes) else None


def _are_channels(x: Array, axes: tuple[int, ...]) -> bool:
    return x.ndim > 1 and axes == (0, *range(2, x.ndim))


def normalized(x: Array, axes: tuple[int, ...], eps: float) -> Array | None:
    if x.dtype.char not in "fd":
        return None
    return batch_norm(x, None, None, eps) if _are_channels(x, axes) else rows.layer_norm(x, None, None, axes, eps)


def normalized_backward(h: Array, x: Array, axes: tuple[int, ...], eps: float) -> Array | None:
    if x.dtype.char not in "fd":
        return None
    needs = True, False, False
    by_channel = _are_channels(x, axes)
    slopes = (
        batch_norm_backward(h, x, None, eps, needs) if by_channel else rows.layer_norm_backward(h, x, None, axes, eps, needs)
    )
    return None if slopes is None else slopes[0]


def batch_norm_given(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array | None:
    sizes = _sizes(x)
    if native is None or sizes is None or mean.dtype is not x.dtype or var.dtype is not x.dtype:
        return None
    out, moments = np.empty(x.shape, x.dtype), np.empty((2, sizes[1]))
    moments[0], moments[1] = mean, var
    return out if native.batch_norm_given(out, x, moments, weight, bias, eps, sizes) else None


def channel_dots(g: Array, x: Array, mean: Array) -> Array | None:
    sizes = _sizes(x)
    if (
        native is None
        or sizes is None
        or x.ndim == 2
        or g.dtype is not x.dtype
        or mean.dtype is not x.dtype
        or g.shape != x.shape
    ):
        return None
    out = np.empty(x.shape[1], x.dtype)
    return out if native.channel_dots(out, np.ascontiguousarray(g), x, mean, sizes) else None


def group_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5
) -> Array | None:
    sizes = _sizes(x)
    if native is None or sizes is None or x.ndim == 2:
        return None
    out = np.empty(x.shape, x.dtype)
    return out if native.group_norm(out, x, weight, bias, eps, (*sizes, groups)) else None


def group_norm_backward(
    g: Array, x: Array, weight: Array | None, groups: int, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    sizes = _sizes(x)
    if native is None or sizes is None or x.ndim == 2 or g.dtype is not x.dtype or g.shape != x.shape:
        return None
    shapes = (x.shape, x.shape[1:2], x.shape[1:2])
    out = [np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs, strict=True)]
    done = native.group_norm_backward(*out, np.ascontiguousarray(g), x, weight, eps, (*sizes, groups))
    return tuple(out) if done else None
