"""Kernels of vector norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import summation
from .numpy import Array
from .reduce import Axes, axes_of, narrow, settled, wide

_SMALL = 512


def vector_norm(x: Array, ord: float, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    """(sum of |x| ** ord) ** (1 / ord); the greatest and least |x| for inf and -inf, the number of nonzeros for 0."""
    if dtype is not None:
        x = x.astype(dtype)
    whole = wide(x)
    axes = axes_of(x, axis)
    if ord and math.prod([x.shape[each] for each in axes]) == 1:  # no power of it, which may be too large or small
        return settled(summation.greatest(np.abs(whole), axis, None, None, keepdims), x.dtype)
    if ord == 2:
        if axis is None and not keepdims and whole.size > _SMALL:
            flat = whole.ravel()
            return settled(np.sqrt(np.vdot(flat, flat).real if flat.dtype.kind == "c" else flat.dot(flat)), x.dtype)
        if whole.dtype.kind == "c":
            total = summation.add_up(whole.real**2 + whole.imag**2, axis, None, None, keepdims)
        else:
            total = summation.squares(whole, axes, keepdims)
        return settled(np.sqrt(total), x.dtype)
    size = np.abs(whole)
    if math.isinf(ord):
        if not size.size and ord > 0:
            return settled(summation.add_up(size, axis, None, None, keepdims), x.dtype)
        return settled((summation.greatest if ord > 0 else summation.least)(size, axis, None, None, keepdims), x.dtype)
    if ord == 0:
        counted = summation.add_up(size != 0, axis, None, None, keepdims)
        return np.asarray(counted).astype(size.dtype if whole is x or x.dtype.kind == "c" else x.dtype)
    if ord == 1:
        return settled(summation.in_turn(size, axes, keepdims), x.dtype)
    power = size.dtype.type(ord)
    return settled(summation.in_turn(size**power, axes, keepdims) ** (1 / power), x.dtype)


def weight_norm(v: Array, scale: Array, axes: tuple[int, ...]) -> Array:
    """``v`` divided by its norms along ``axes``, times ``scale``."""
    whole = wide(v)
    return narrow(whole * (wide(scale) / np.sqrt(summation.squares(whole, axes, True))), v.dtype)


RENORM_EPSILON = 1e-7


def renorm(x: Array, ord: float, axis: int, maxnorm: float) -> Array:
    """Slices along ``axis`` whose norm is above ``maxnorm``, scaled down to it."""
    return np.ascontiguousarray(scaled(x, renorm_scale(x, ord, axis, maxnorm)))


def renorm_scale(x: Array, ord: float, axis: int, maxnorm: float) -> Array:
    """What :func:`renorm` multiplies each slice by, in the dtype of ``x``."""
    axes = tuple(one for one in range(x.ndim) if one != axis)
    norm = np.asarray(vector_norm(wide(x), ord, axes, True))
    one = norm.dtype.type(1)
    scale = np.where(norm > maxnorm, norm.dtype.type(maxnorm) / (norm + norm.dtype.type(RENORM_EPSILON)), one)
    return np.asarray(narrow(scale, x.dtype))


def scaled(x: Array, scale: Array) -> Array:
    """``x * scale``, rounded once."""
    return np.asarray(narrow(wide(x) * wide(scale), x.dtype))
