"""Kernels that bring groups of elements to mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import reduce
from .activations import in_single
from .numpy import Array, number, ones, row_products, weighted_rows
from .summation import add_up

Axes = tuple[int, ...]

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_MANY = 1 << 12


# Below so many numbers in a row a product of matrices lays out the factors of all rows faster than NumPy stretches two vectors.
_LONG = 512


def _mean(values: Array, axes: Axes, count: int) -> Any:
    """The mean along axes (kept), added up in double precision; nan of nothing."""
    total = add_up(values, axes, _DOUBLE, None, True)
    return np.divide(total, number(count, _DOUBLE), total) if count else total * np.nan  # type: ignore[arg-type]


def _count(x: Array, axes: Axes) -> int:
    return x.shape[axes[0]] if len(axes) == 1 else math.prod([x.shape[axis] for axis in axes])


def _long_rows(x: Array, axes: Axes) -> bool:
    """Whether rows are reduced for which a product with ones is three times as fast as adding in double precision."""
    return x.size >= _MANY and x.dtype is _SINGLE and len(axes) == 1 and axes[0] == x.ndim - 1 and x.flags.c_contiguous


def _row_means(rows: Array) -> Array:
    count = rows.shape[1]
    return row_products(rows, np.full(count, 1 / count, rows.dtype))[:, None]


def _centered_rows(x: Array, eps: float) -> tuple[Array, Array, Array]:
    """Of long rows (R, N): mean (R, 1), distances from the mean, and 1 / standard deviation (R, 1)."""
    rows = x.reshape(-1, x.shape[-1])
    mean = _row_means(rows)
    off = rows - mean
    rstd = np.vecdot(off, off)
    np.multiply(rstd, np.float32(1 / rows.shape[1]), rstd)
    np.add(rstd, np.float32(eps), rstd)
    np.sqrt(rstd, rstd)
    return mean, off, np.reciprocal(rstd, rstd)[:, None]


def _centered(x: Array, axes: Axes, eps: float) -> tuple[Array, Array, Array]:
    """Mean, distances from the mean, and 1 / standard deviation."""
    wide = in_single(x)
    if x.size >= _MANY and _long_rows(wide, axes):
        mean, off, rstd = _centered_rows(wide, eps)
        kept = (*x.shape[:-1], 1)
        return mean.reshape(kept), off.reshape(x.shape), rstd.reshape(kept)
    count = _count(x, axes)
    mean = _mean(wide, axes, count).astype(wide.dtype)
    off = wide - mean
    rstd = _mean(off * off, axes, count) + eps
    np.sqrt(rstd, rstd)
    return mean, off, np.reciprocal(rstd, rstd).astype(wide.dtype)


def moments(x: Array, axes: Axes, eps: float) -> tuple[Array, Array]:
    """Mean and 1 / standard deviation along axes (kept)."""
    mean, _, rstd = _centered(x, axes, eps)
    return mean, rstd


def normalized(x: Array, axes: Axes, eps: float) -> Array:
    """``x`` with mean 0 and variance 1 along axes."""
    _, off, rstd = _centered(x, axes, eps)
    return np.multiply(off, rstd, off).astype(x.dtype, copy=False)


def normalized_slope(h: Array, x: Array, axes: Axes, eps: float) -> Array:
    """What ``h`` becomes on its way back through ``normalized``: ``rstd * (h - mean(h) - hat * mean(h * hat))``."""
    if not x.flags.c_contiguous and x.ndim > 3:  # images with their channels last: both are quickest in order
        h, x = np.ascontiguousarray(h), np.ascontiguousarray(x)
    if x.size >= _MANY:
        slopes = _slopes_of_long_rows(h, x, None, axes, eps, (True, False, False))
        if slopes is not None:
            return slopes[0]  # type: ignore[return-value]
    _, off, rstd = _centered(x, axes, eps)
    return _slope(in_single(h), np.multiply(off, rstd, off), rstd, axes).astype(h.dtype, copy=False)


def _slope(h: Array, hat: Array, rstd: Array, axes: Axes) -> Array:
    """:func:`normalized_slope`, given what ``normalized`` came to, into which it writes."""
    count = _count(hat, axes)
    out = h - _mean(h, axes, count).astype(hat.dtype)
    np.multiply(hat, _mean(h * hat, axes, count).astype(hat.dtype), hat)
    np.subtract(out, hat, out)
    return np.multiply(out, rstd, out)


def _scaled(hat: Array, weight: Array | None, bias: Array | None, dtype: np.dtype[Any]) -> Array:
    if weight is not None:
        hat *= weight
    if bias is not None:
        hat += bias
    return hat if hat.dtype is dtype else hat.astype(dtype)


def _with_moments(x: Array, weight: Array | None, bias: Array | None, axes: Axes, eps: float) -> tuple[Array, Array, Array]:
    mean, off, rstd = _centered(x, axes, eps)
    return _scaled(np.multiply(off, rstd, off), weight, bias, x.dtype), mean, rstd


def applied(x: Array, mean: Array, rstd: Array, weight: Array | None, bias: Array | None) -> Array:
    return _scaled((in_single(x) - mean) * rstd, weight, bias, x.dtype)


def layer_norm(x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5) -> Array:
    """Normalizes over the last axes; weight and bias have their shape."""
    if not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    if weight is not None and weight.dtype is x.dtype and _long_rows(x, axes):
        _, out, rstd = _centered_rows(x, eps)
        if x.shape[-1] < _LONG:
            np.multiply(out, rstd.dot(weight[None]), out)
        else:
            np.multiply(np.multiply(out, rstd, out), weight, out)
        if bias is not None:
            np.add(out, bias, out)
        return out.reshape(x.shape)
    return _with_moments(x, weight, bias, axes, eps)[0]


def layer_norm_slopes(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not possible."""
    if x.size >= _MANY:
        return _slopes_of_long_rows(g, x, weight, axes, eps, needs)
    if not needs[1] or x.dtype.itemsize == 2 or not (x.flags.c_contiguous and g.flags.c_contiguous):
        return None
    _, off, rstd = _centered(x, axes, eps)
    hat, rows = np.multiply(off, rstd, off), tuple(range(axes[0]))
    for_weight, for_bias = (reduce.sum(each, rows) if rows else each for each in (g * hat, g))
    return _slope(g * weight, hat, rstd, axes) if needs[0] else None, for_weight, for_bias if needs[2] else None


def _slopes_of_long_rows(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """:func:`layer_norm_slopes` over long rows; None for others."""
    if g.dtype is not _SINGLE or not (_long_rows(x, axes) and _long_rows(g, axes)):
        return None
    lines = g.reshape(-1, x.shape[-1])
    _, off, rstd = _centered_rows(x, eps)
    for_x = for_weight = None
    if needs[1]:
        for_weight = weighted_rows(rstd[:, 0], lines * off)
    if needs[0]:
        scaled = lines if weight is None else lines * weight
        along = np.vecdot(scaled, off)[:, None] * rstd * rstd
        np.multiply(off, np.multiply(along, np.float32(1 / x.shape[-1]), along), off)
        for_x = scaled - _row_means(scaled)
        np.subtract(for_x, off, for_x)
        for_x = np.multiply(for_x, rstd, for_x).reshape(x.shape)
    return for_x, for_weight, weighted_rows(ones(len(lines)), lines) if needs[2] else None


def layer_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    return _with_moments(np.ascontiguousarray(x), weight, bias, axes, eps)


def per_channel(values: Array | None, ndim: int) -> Any:
    """A vector as long as axis 1, made to broadcast against it."""
    return None if values is None else values.reshape(-1, *(1,) * (ndim - 2))


def all_but_channels(ndim: int) -> Axes:
    return (0, *range(2, ndim))


def batch_norm(x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array:
    """Normalizes each channel (axis 1)."""
    columns = per_channel(weight, x.ndim), per_channel(bias, x.ndim)
    return _with_moments(x, *columns, all_but_channels(x.ndim), eps)[0]


def batch_norm_given(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Normalizes each channel with a mean and a variance that were measured before."""
    rstd = 1 / np.sqrt(var + mean.dtype.type(eps))
    columns = [per_channel(values, x.ndim) for values in (mean, rstd, weight, bias)]
    return applied(x, *columns)


def group_norm(x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5) -> Array:
    """Normalizes each sample's groups of channels."""
    return group_norm_with_moments(x, weight, bias, groups, eps)[0]


def group_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    size = x.size // (x.shape[0] * groups) if x.size else 0
    rows = x.reshape(x.shape[0], groups, size)
    mean, off, rstd = _centered(rows, (2,), eps)
    hat = np.multiply(off, rstd, off).reshape(x.shape)
    out = _scaled(hat, per_channel(weight, x.ndim), per_channel(bias, x.ndim), x.dtype)
    return out, mean[..., 0], rstd[..., 0]
