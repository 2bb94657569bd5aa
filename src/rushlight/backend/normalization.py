"""Kernels that bring groups of elements to mean 0 and variance 1."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..kernels import channels as compiled_channels
from ..kernels import register
from ..kernels import rows as compiled
from . import channels, reduce
from .blockwise import spread
from .line_sums import ones, row_dots, row_products, weighted_rows
from .numpy import MANY, Array, Shape, in_single, number
from .summation import add_up, least

Axes = tuple[int, ...]

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)

# Below so many numbers in a row a product of matrices lays out the factors of all rows faster than NumPy stretches two vectors.
_LONG = 512


def _mean(values: Array, axes: Axes, count: int) -> Any:
    """The mean along axes (kept), added up in double precision; nan of nothing."""
    total = add_up(values, axes, _DOUBLE, None, True)
    return np.divide(total, number(count, _DOUBLE), total) if count else total * np.nan  # type: ignore[arg-type]


def _count(x: Array, axes: Axes) -> int:
    return x.shape[axes[0]] if len(axes) == 1 else math.prod([x.shape[axis] for axis in axes])


def _in_rows(x: Array, axes: Axes) -> bool:
    """Whether rows of float32 are reduced: by products with vectors, in single precision as PyTorch does it."""
    return x.dtype is _SINGLE and len(axes) == 1 and axes[0] == x.ndim - 1 and x.flags.c_contiguous and x.size > 0


# Below, rows are matrices (R, N).

# Sums of so many numbers in single precision, which BLAS adds up in a few lanes, would be off by 1e-6 of themselves.
_ENDLESS = 1 << 17

_FEW = 512


@functools.lru_cache(256)
def _kept_shares(count: int, dtype: np.dtype[Any]) -> Array:
    return np.full(count, 1 / count, dtype)


def _shares(count: int, dtype: np.dtype[Any]) -> Array:
    """A vector to multiply rows by for their mean, not to be written."""
    return _kept_shares(count, dtype) if count < MANY else np.full(count, 1 / count, dtype)


@functools.lru_cache(256)
def _row_and_column(shape: Shape) -> tuple[Array, Array, Array, Array]:
    """Of few rows: in which row and which column each element is, and shares in single and double. Not to be written."""
    row, column = np.indices(shape)
    return row, column, _shares(shape[1], _SINGLE), _shares(shape[1], _DOUBLE)


def _for_each_element(values: Array, rows: Array) -> Array:
    """What belongs to rows (R) for each of their elements: of few numbers NumPy broadcasts in three times the time."""
    return values[_row_and_column(rows.shape)[0]] if rows.size < _FEW else values[:, None]


def _scale_rows(rows: Array, values: Array) -> None:
    """Multiplies rows by what belongs to them."""
    np.multiply(rows, _for_each_element(values, rows), rows)


def _along(values: Array, rows: Array) -> Array:
    """What belongs to columns (N) for each element of rows."""
    return values[_row_and_column(rows.shape)[1]] if rows.size < _FEW else values


def _exact_means(rows: Array) -> Array:
    return rows.dot(_shares(rows.shape[1], _DOUBLE)).astype(_SINGLE)


def _centered_rows(rows: Array, eps: float) -> tuple[Array, Array, Array]:
    """Of rows: mean (R), distances from the mean (R, N), and 1 / standard deviation (R)."""
    if rows.size < _FEW:
        row, _, shares, exact = _row_and_column(rows.shape)
        mean = rows.dot(exact).astype(_SINGLE)
        off = rows - mean[row]
        rstd = (off * off).dot(shares)
    elif rows.size < MANY:
        mean = _exact_means(rows)
        off = _off(rows, mean)
        rstd = (off * off).dot(_shares(rows.shape[1], _SINGLE))
    else:
        shares = _shares(rows.shape[1], _SINGLE)
        mean = (
            row_products(rows, shares) if rows.shape[1] < _ENDLESS else _mean(rows, (1,), rows.shape[1])[:, 0].astype(_SINGLE)
        )
        off = _off(rows, mean)
        if rows.shape[1] < _ENDLESS:
            rstd = row_dots(off, off) * shares[0]
        else:
            rstd = _mean(off * off, (1,), rows.shape[1])[:, 0].astype(_SINGLE)
        if least(rstd, None) < eps:  # numbers that are all the same are off that mean by its rounding error
            flat = rstd < eps
            mean[flat] = _exact_means(rows[flat])
            off[flat] = rest = _off(rows[flat], mean[flat])
            rstd[flat] = np.vecdot(rest, rest) * shares[0]
    np.add(rstd, number(eps, _SINGLE), rstd)  # type: ignore[arg-type]
    np.sqrt(rstd, rstd)
    return mean, off, np.reciprocal(rstd, rstd)


def _off(rows: Array, mean: Array) -> Array:
    return rows - _for_each_element(mean, rows)


def _centered(x: Array, axes: Axes, eps: float) -> tuple[Array, Array, Array]:
    """Mean, distances from the mean, and 1 / standard deviation."""
    wide = in_single(x)
    if _in_rows(wide, axes):
        mean, off, rstd = _centered_rows(wide.reshape(-1, x.shape[-1]), eps)
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


def normalized_backward(h: Array, x: Array, axes: Axes, eps: float) -> Array:
    """What ``h`` becomes on its way back through ``normalized``: ``rstd * (h - mean(h) - hat * mean(h * hat))``."""
    if not x.flags.c_contiguous and x.ndim > 3:  # images with their channels last: both are quickest in order
        h, x = np.ascontiguousarray(h), np.ascontiguousarray(x)
    if h.dtype is _SINGLE and _in_rows(x, axes):
        lines = h.reshape(-1, x.shape[-1])
        _, off, rstd = _centered_rows(x.reshape(lines.shape), eps)
        return _backward_of_rows(lines, off, rstd).reshape(x.shape)
    _, off, rstd = _centered(x, axes, eps)
    return _backward(in_single(h), np.multiply(off, rstd, off), rstd, axes).astype(h.dtype, copy=False)


def _backward(h: Array, hat: Array, rstd: Array, axes: Axes) -> Array:
    """:func:`normalized_backward`, given what ``normalized`` came to, into which it writes."""
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


@register(compiled.layer_norm)
def layer_norm(x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5) -> Array:
    """Normalizes over the last axes; weight and bias have their shape."""
    if not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    if not _in_rows(x, axes):
        return _with_moments(x, weight, bias, axes, eps)[0]
    _, out, rstd = _centered_rows(x.reshape(-1, x.shape[-1]), eps)
    if weight is not None and x.size >= MANY and x.shape[-1] < _LONG:
        np.multiply(out, rstd[:, None] * weight, out)
    else:
        _scale_rows(out, rstd)
        if weight is not None:
            np.multiply(out, _along(weight, out), out)
    if bias is not None:
        np.add(out, _along(bias, out), out)
    return out.reshape(x.shape)


@register(compiled.layer_norm_backward)
def layer_norm_backward(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not possible."""
    if g.dtype is _SINGLE and _in_rows(x, axes):
        return _joint_backward_of_rows(g, x, weight, eps, needs)
    if not needs[1] or x.dtype.itemsize == 2 or not (x.flags.c_contiguous and g.flags.c_contiguous):
        return None
    _, off, rstd = _centered(x, axes, eps)
    hat, rows = np.multiply(off, rstd, off), tuple(range(axes[0]))
    for_weight, for_bias = (reduce.sum(each, rows) if rows else each for each in (g * hat, g))
    return _backward(g * weight, hat, rstd, axes) if needs[0] else None, for_weight, for_bias if needs[2] else None


def _joint_backward_of_rows(
    g: Array, x: Array, weight: Array | None, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    lines = g.reshape(-1, x.shape[-1])
    _, off, rstd = _centered_rows(x.reshape(lines.shape), eps)
    for_x = for_weight = for_bias = None
    if x.size < MANY:  # the same to the bit as one op after another, which is how a profiler sees it
        rows = tuple(range(x.ndim - 1))
        if needs[1]:
            product = g * (off * _for_each_element(rstd, off)).reshape(x.shape)
            for_weight = reduce.sum(product, rows) if rows else product
        if needs[2]:
            for_bias = reduce.sum(g, rows) if rows else g
        if needs[0]:
            for_x = _backward_of_rows(lines if weight is None else lines * _along(weight, lines), off, rstd)
    else:
        if weight is None:
            for_x = _backward_of_rows(lines, off, rstd)
        else:
            product = spread(np.multiply, lines, off)
            if needs[1]:
                for_weight = weighted_rows(rstd, product)
            if needs[0]:
                scale = rstd[:, None] * weight
                for_x = _backward_along(spread(np.multiply, lines, scale, into=scale), off, rstd, row_products(product, weight))
        if needs[2]:
            for_bias = weighted_rows(ones(len(lines)), lines)
    return None if for_x is None else for_x.reshape(x.shape), for_weight, for_bias


def _backward_of_rows(lines: Array, off: Array, rstd: Array) -> Array:
    """:func:`normalized_backward` of lines (R, N), given the distances from the mean, into which it writes, and ``rstd``."""
    return _backward_along(lines * _for_each_element(rstd, lines), off, rstd, row_dots(lines, off))


def _backward_along(scaled: Array, off: Array, rstd: Array, along: Array) -> Array:
    """``scaled`` less its mean and what of it lies along ``off``: ``along`` is the sum of that before it was scaled."""
    count = scaled.shape[1]
    size = np.float32(count)
    for factor in (rstd, rstd, rstd / size):
        np.multiply(along, factor, along)
    mean = row_products(scaled, ones(count))
    _scale_rows(off, along)
    np.subtract(off, np.divide(mean, -size, mean)[:, None], off)
    return spread(np.subtract, scaled, off, into=off)  # type: ignore[no-any-return]


def layer_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    return _with_moments(np.ascontiguousarray(x), weight, bias, axes, eps)


def per_channel(values: Array | None, ndim: int) -> Any:
    """A vector as long as axis 1, made to broadcast against it."""
    return None if values is None else values.reshape(-1, *(1,) * (ndim - 2))


def all_but_channels(ndim: int) -> Axes:
    return (0, *range(2, ndim))


@register(compiled_channels.batch_norm)
def batch_norm(
    x: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
    found: channels.Statistics | None = None,
) -> Array:
    """Normalizes each channel (axis 1), with what has been found out about them, if anything."""
    if channels.are_many(x):
        return channels.normalized(x, weight, bias, eps, found)
    columns = per_channel(weight, x.ndim), per_channel(bias, x.ndim)
    return _with_moments(x, *columns, all_but_channels(x.ndim), eps)[0]


@register(compiled_channels.batch_norm_backward)
def batch_norm_backward(
    g: Array, x: Array, weight: Array | None, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not faster."""
    return channels.slopes(g, x, weight, eps, needs) if channels.are_many(x) and g.dtype is x.dtype else None


@register(compiled_channels.channel_moments)
def channel_moments(x: Array) -> tuple[Array, Array, channels.Statistics | None]:
    """Mean and variance, unbiased, of each channel, and what of that :func:`batch_norm` can use."""
    count = x.size // x.shape[1]
    found = channels.Statistics(x) if channels.are_many(x) else None
    if found is not None:
        mean, var = found.mean, found.var
    else:
        axes, wide = all_but_channels(x.ndim), x.astype(_DOUBLE)
        mean, var = np.mean(wide, axes), np.var(wide, axes)
    return mean, var * (count / (count - 1) if count > 1 else np.nan), found


@register(compiled_channels.batch_norm_given)
def batch_norm_given(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Normalizes each channel with a mean and a variance that were measured before."""
    rstd = 1 / np.sqrt(var + mean.dtype.type(eps))
    columns = [per_channel(values, x.ndim) for values in (mean, rstd, weight, bias)]
    return applied(x, *columns)


@register(compiled_channels.group_norm)
def group_norm(x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5) -> Array:
    """Normalizes each sample's groups of channels."""
    return group_norm_with_moments(x, weight, bias, groups, eps)[0]


@register(compiled_channels.group_norm_backward)
def group_norm_backward(
    g: Array, x: Array, weight: Array | None, groups: int, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not faster."""
    if not channels.are_many(x) or g.dtype is not x.dtype:
        return None
    samples, count = x.shape[:2]
    lines = np.ascontiguousarray(g).reshape(samples * count, -1)
    _, off, rstd = _centered_rows(x.reshape(samples * groups, -1), eps)
    # By samples and channels: sums of the cotangent, of its products with the distances, and 1 / standard deviation.
    total = row_products(lines, ones(lines.shape[1])).reshape(samples, count)
    along = row_dots(lines, off.reshape(lines.shape)).reshape(samples, count)
    scale = rstd.repeat(count // groups).reshape(samples, count)
    for_weight = np.add.reduce(along * scale, 0) if needs[1] else None
    for_bias = np.add.reduce(total, 0) if needs[2] else None
    if not needs[0]:
        return None, for_weight, for_bias
    if weight is not None:
        total, along, scale = total * weight, along * weight, scale * weight
    size = np.float32(off.shape[1])
    mean, turn = (np.add.reduce(each.reshape(samples * groups, -1), 1) * rstd / size for each in (total, along))
    np.multiply(off, (turn * rstd * rstd)[:, None], off)
    out = (lines * scale.reshape(-1, 1)).reshape(off.shape)
    np.add(off, mean[:, None], off)
    return spread(np.subtract, out, off, into=out).reshape(x.shape), for_weight, for_bias


def group_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    size = x.size // (x.shape[0] * groups) if x.size else 0
    rows = x.reshape(x.shape[0], groups, size)
    mean, off, rstd = _centered(rows, (2,), eps)
    hat = np.multiply(off, rstd, off).reshape(x.shape)
    out = _scaled(hat, per_channel(weight, x.ndim), per_channel(bias, x.ndim), x.dtype)
    return out, mean[..., 0], rstd[..., 0]
