"""Kernels that bring groups of elements to mean 0 and variance 1.

What rounding leaves of the mean is measured on the distances from it and taken off where it shows: so sums in single precision, which
are products with ones, are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..kernels import normalization as compiled_channels
from ..kernels import register
from ..kernels import rows as compiled
from ..kernels.half_precision import DType, is_half, kept
from .line_sums import total
from .numpy import Array, converted, in_single
from .reduce import count, over

Axes = tuple[int, ...]
_SEEN = {char: 16 * float(np.finfo(char).eps) ** 2 for char in "fd"}  # shares of the variance


def _mean(values: Array, axes: Axes) -> Any:
    """The mean along axes, which are kept; nan of nothing."""
    return over(total(values, axes, True), count(values.shape, axes))


def _mean_product(a: Array, b: Array, axes: Axes) -> Any:
    return over(total(a * b, axes, True), count(a.shape, axes))


def _spread(x: Array, axes: Axes) -> tuple[Array, Array, Array]:
    """Mean, distances from the mean, and variance."""
    wide = in_single(x)
    mean = _mean(wide, axes)
    off = wide - mean
    rest, var = _mean(off, axes), _mean_product(off, off, axes)
    if (rest * rest > _SEEN[off.dtype.char] * var).any():
        off -= rest
        var = _mean_product(off, off, axes)
    return mean + rest, off, var


def _rstd(var: Array, eps: float) -> Array:
    """1 / standard deviation."""
    return 1 / np.sqrt(var + var.dtype.type(eps))  # type: ignore[no-any-return]


def _normalized(x: Array, axes: Axes, eps: float) -> tuple[Array, Array, Array]:
    """``x`` with mean 0 and variance 1, its mean, and 1 / standard deviation."""
    mean, off, var = _spread(x, axes)
    rstd = _rstd(var, eps)
    off *= rstd
    return off, mean, rstd


def moments(x: Array, axes: Axes, eps: float) -> tuple[Array, Array]:
    """Mean and 1 / standard deviation along axes (kept)."""
    return _normalized(x, axes, eps)[1:]


@register(compiled_channels.normalized)
def normalized(x: Array, axes: Axes, eps: float) -> Array:
    """``x`` with mean 0 and variance 1 along axes."""
    return _normalized(x, axes, eps)[0].astype(x.dtype, copy=False)


@register(compiled_channels.normalized_backward)
def normalized_backward(h: Array, x: Array, axes: Axes, eps: float) -> Array:
    """What ``h`` becomes on its way back through :func:`normalized`."""
    _, off, var = _spread(x, axes)
    return _backward(in_single(h), off, _rstd(var, eps), axes).astype(h.dtype, copy=False)


def _backward(h: Array, off: Array, rstd: Array, axes: Axes) -> Array:
    """``rstd * (h - mean(h) - hat * mean(h * hat))``, where hat is ``off * rstd``; written over off."""
    off *= _mean_product(h, off, axes) * rstd * rstd * rstd
    off += _mean(h, axes) * rstd
    return np.subtract(h * rstd, off, off)


def _scaled(hat: Array, weight: Array | None, bias: Array | None, dtype: np.dtype[Any]) -> Array:
    if weight is not None:
        hat *= weight
    if bias is not None:
        hat += bias
    return hat.astype(dtype, copy=False)


@register(compiled.layer_norm)
def layer_norm(x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5) -> Array:
    """Normalizes over the last axes; weight and bias have their shape."""
    return layer_norm_with_moments(x, weight, bias, axes, eps)[0]


def layer_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    x = np.ascontiguousarray(x)
    hat, mean, rstd = _normalized(x, axes, eps)
    if x.dtype.itemsize == 2:
        hat = _in_one_step(x, mean, rstd)
    return _scaled(hat, weight, bias, x.dtype), mean, rstd


def _in_one_step(x: Array, mean: Array, rstd: Array) -> Array:
    """``x * rstd - mean * rstd``, rounded once but for the second product: what PyTorch computes of half precision, of equal numbers not 0."""
    return (in_single(x).astype(np.float64) * rstd - mean * rstd).astype(np.float32)


def _are_alike(g: Array, x: Array) -> bool:
    """Whether slopes can be worked out at once."""
    return g.dtype is x.dtype and x.dtype.char in "fd"


@register(compiled.layer_norm_backward)
def layer_norm_backward(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not possible."""
    g, x = np.ascontiguousarray(g), np.ascontiguousarray(x)  # its gradient lies in order, too
    if not _are_alike(g, x):
        return _layer_norm_backward_of_halves(g, x, weight, axes, eps, needs) if g.dtype is x.dtype and is_half(x) else None
    _, off, var = _spread(x, axes)
    rstd, rows = _rstd(var, eps), tuple(range(axes[0]))
    for_weight = total(g * off * rstd, rows) if needs[1] else None
    for_x = _backward(g if weight is None else g * weight, off, rstd, axes) if needs[0] else None
    return for_x, for_weight, total(g, rows) if needs[2] else None


def _layer_norm_backward_of_halves(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """As PyTorch does on one thread: its moments have the dtype of the weight, and its sums over rows that of x after each row."""
    wide, h = in_single(x), in_single(g)
    _, mean, rstd = _normalized(wide, axes, eps)
    if weight is None or weight.dtype is x.dtype:
        mean, rstd = (in_single(converted(each, x.dtype)) for each in (mean, rstd))
    for_x = None
    if needs[0]:
        for_x = converted(_backward(h if weight is None else h * in_single(weight), wide - mean, rstd, axes), x.dtype)
    inner = x.shape[axes[0] :]
    terms = h * (wide * rstd - mean * rstd) if needs[1] else h
    for_weight, for_bias = (
        _summed_in_steps(each.reshape(-1, *inner), x.dtype) if need else None
        for each, need in zip((terms, h), needs[1:], strict=True)
    )
    return for_x, for_weight, for_bias


def _summed_in_steps(rows: Array, dtype: DType) -> Array:
    """Rows added up, in single precision and rounded to the dtype after each."""
    sums = np.zeros(rows.shape[1:], dtype)
    for row in rows:
        sums = (sums.astype(np.float32) + row).astype(dtype)
    return sums.astype(np.float32)


def per_channel(values: Array | None, ndim: int) -> Any:
    """A vector as long as axis 1, made to broadcast against it."""
    return None if values is None else values.reshape(-1, *(1,) * (ndim - 2))


def all_but_channels(ndim: int) -> Axes:
    return (0, *range(2, ndim))


def _channel_backward(
    g: Array, rows: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """What ``g`` becomes on its way back to x, weight and bias; ``rows`` is x in the shape in which it is normalized along axes."""
    _, off, var = _spread(rows, axes)
    rstd, others = _rstd(var, eps), all_but_channels(g.ndim)
    for_x = for_weight = None
    if needs[1]:  # by sample and channel first: a group's channels have one deviation
        along = total(g * off.reshape(g.shape), others[1:])
        groups = rstd.reshape(rstd.shape[:2])
        for_weight = total(along * groups.repeat(g.shape[1] // max(groups.shape[1], 1), 1), (0,))
    if needs[0]:
        scaled = g if weight is None else g * per_channel(weight, g.ndim)
        for_x = _backward(scaled.reshape(rows.shape), off, rstd, axes).reshape(g.shape)
    return for_x, for_weight, total(g, others) if needs[2] else None


def _dtype_of_moments(x: Array, *parameters: Array | None) -> DType:
    """Of which PyTorch keeps the mean and the deviation of numbers of two bytes: as the first of the parameters that are given."""
    return next((each.dtype for each in parameters if each is not None), x.dtype)


def channel_moments_of_halves(x: Array, dtype: DType, eps: float) -> tuple[Array, Array, Array]:
    """Numbers of two bytes in single precision; of each channel the mean and 1 / standard deviation, as kept in ``dtype``.

    PyTorch keeps sums of squares, and their means, in bfloat16, too, but not in float16.
    """
    wide, axes = in_single(x), all_but_channels(x.ndim)
    mean = _mean(wide, axes)
    off = wide - mean
    var = _mean_square(total(off * off, axes, True), count(x.shape, axes), dtype)
    return wide, kept(mean, dtype), kept(_rstd(var, eps), dtype)


def _mean_square(squares: Array, size: int, dtype: DType) -> Array:
    if dtype.kind != "V":
        return over(squares, size)  # type: ignore[no-any-return]
    return kept(over(kept(squares, dtype), float(dtype.type(size))), dtype)


def _batch_norm_of_halves(x: Array, weight: Array | None, bias: Array | None, eps: float) -> Array:
    wide, mean, rstd = channel_moments_of_halves(x, _dtype_of_moments(x, weight, bias), eps)
    return _in_line(wide, mean, rstd, per_channel(weight, x.ndim), per_channel(bias, x.ndim)).astype(x.dtype)


def _in_line(wide: Array, mean: Array, rstd: Array, weight: Array | None, bias: Array | None) -> Array:
    """``wide * slope + shift``, as PyTorch normalizes numbers of two bytes in single precision."""
    slope = rstd if weight is None else rstd * in_single(weight)
    shift = mean * slope
    out = wide * slope
    out += -shift if bias is None else in_single(bias) - shift
    return out


def _batch_norm_backward_of_halves(
    g: Array, x: Array, weight: Array | None, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    wide, mean, rstd = channel_moments_of_halves(x, _dtype_of_moments(x, weight), eps)
    h, axes = in_single(g), all_but_channels(x.ndim)
    size, sums = np.float32(count(x.shape, axes) or 1), total(h, axes, True)
    if g.strides != x.strides and not (g.flags.c_contiguous and x.flags.c_contiguous):
        return _batch_norm_backward_by_steps(g, x, weight, (mean, rstd, sums), needs)
    off = wide - mean
    dots = total(off * h, axes, True)
    for_x = None
    if needs[0]:
        off *= dots * rstd * rstd / size
        for_x = (h - sums / size - off) * rstd
        if weight is not None:
            for_x *= in_single(per_channel(weight, x.ndim))
        for_x = converted(for_x, x.dtype)
    return for_x, (dots * rstd).reshape(-1) if needs[1] else None, sums.reshape(-1) if needs[2] else None


def _batch_norm_backward_by_steps(
    g: Array, x: Array, weight: Array | None, moments: tuple[Array, Array, Array], needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """Each step rounded, as PyTorch does where the cotangent does not lie as ``x`` does."""
    axes = all_but_channels(x.ndim)
    mean, rstd, sums = (each.astype(x.dtype) for each in moments)
    size, off = np.asarray(count(x.shape, axes) or 1).astype(x.dtype), x - mean
    dots = total(in_single(off * g), axes, True)
    for_x = (g - sums / size - off * (dots.astype(x.dtype) * rstd * rstd / size)) * rstd
    if weight is not None:
        for_x = for_x * per_channel(weight, x.ndim).astype(x.dtype)
    found = (for_x, (dots * moments[1]).reshape(-1), moments[2].reshape(-1))
    return tuple(value if need else None for value, need in zip(found, needs, strict=True))


@register(compiled_channels.batch_norm)
def batch_norm(x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array:
    """Normalizes each channel (axis 1)."""
    if is_half(x):
        return _batch_norm_of_halves(x, weight, bias, eps)
    _, off, var = _spread(x, all_but_channels(x.ndim))
    scale, columns = _rstd(var, eps), per_channel(weight, x.ndim)
    return _scaled(off, scale if columns is None else scale * columns, per_channel(bias, x.ndim), x.dtype)


@register(compiled_channels.batch_norm_backward)
def batch_norm_backward(
    g: Array, x: Array, weight: Array | None, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not possible."""
    if g.dtype is x.dtype and is_half(x):
        return _batch_norm_backward_of_halves(g, x, weight, eps, needs)
    if not _are_alike(g, x) or not x.flags.c_contiguous:
        return None
    return _channel_backward(g, x, weight, all_but_channels(x.ndim), eps, needs)


@register(compiled_channels.channel_moments)
def channel_moments(x: Array) -> tuple[Array, Array]:
    """Mean and variance, unbiased, of each channel."""
    axes, size = all_but_channels(x.ndim), x.size // x.shape[1]
    mean, off, var = _spread(x, axes)
    if x.dtype.kind == "V":
        return mean.reshape(-1), _mean_square(total(off * off, axes), size - 1, x.dtype)
    return mean.reshape(-1), var.reshape(-1) * (size / (size - 1) if size > 1 else np.nan)


def moved(running: Array, value: Array, momentum: float, is_mean: bool) -> Array:
    """A statistic moved towards a batch's; PyTorch rounds each step of bfloat16, but for the share of a variance."""
    if running.dtype.kind != "V":
        return in_single(running) * (1 - momentum) + value * momentum
    share = running.dtype.type(momentum)
    rest = running * (running.dtype.type(1) - share)
    return rest + (value.astype(running.dtype) * share if is_mean else value * np.float32(share))


@register(compiled_channels.batch_norm_given)
def batch_norm_given(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Normalizes each channel with a mean and a variance that were measured before."""
    var = in_single(var)
    rstd = 1 / np.sqrt(var + var.dtype.type(eps))
    mean, rstd, weight, bias = (per_channel(values, x.ndim) for values in (mean, rstd, weight, bias))
    if is_half(x):
        return _in_line(in_single(x), in_single(mean), rstd, weight, bias).astype(x.dtype)
    return _scaled((in_single(x) - mean) * rstd, weight, bias, x.dtype)


@register(compiled_channels.channel_dots)
def channel_dots(g: Array, x: Array, mean: Array) -> Array:
    """Of each channel the sum of ``g * (x - mean)``, for a mean that was measured before."""
    dots = total(in_single(g) * (in_single(x) - in_single(per_channel(mean, x.ndim))), all_but_channels(x.ndim))
    return dots if is_half(g) else dots.astype(g.dtype, copy=False)


def _in_groups(x: Array, groups: int) -> Array:
    return x.reshape(x.shape[0], groups, x.size // (x.shape[0] * groups) if x.size else 0)


@register(compiled_channels.group_norm)
def group_norm(x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5) -> Array:
    """Normalizes each sample's groups of channels."""
    return group_norm_with_moments(x, weight, bias, groups, eps)[0]


def group_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    if is_half(x):
        return _group_norm_of_halves(x, weight, bias, groups, eps)
    hat, mean, rstd = _normalized(_in_groups(x, groups), (2,), eps)
    out = _scaled(hat.reshape(x.shape), per_channel(weight, x.ndim), per_channel(bias, x.ndim), x.dtype)
    return out, mean[..., 0], rstd[..., 0]


def _by_channels(x: Array, groups: int, *of_groups: Array) -> Iterator[Array]:
    """Numbers of groups, (N, groups, 1), at each of their channels, and so that they broadcast against ``x``."""
    shape = (*x.shape[:2], *(1,) * (x.ndim - 2))
    return (each.repeat(x.shape[1] // max(groups, 1), 1).reshape(shape) for each in of_groups)


def _group_norm_of_halves(
    x: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    _, mean, rstd = _normalized(_in_groups(x, groups), (2,), eps)
    columns = (per_channel(values, x.ndim) for values in (weight, bias))
    out = _in_line(in_single(x), *_by_channels(x, groups, mean, rstd), *columns).astype(x.dtype)
    return out, mean[..., 0], rstd[..., 0]


def _group_norm_backward_of_halves(
    g: Array, x: Array, weight: Array | None, groups: int, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """As PyTorch does, by three numbers for each channel: ``first * g + second * x + third``."""
    wide, h, dtype = in_single(x), in_single(g), _dtype_of_moments(x, weight)
    mean, rstd = (kept(each, dtype) for each in _normalized(_in_groups(x, groups), (2,), eps)[1:])
    inner = tuple(range(2, x.ndim))
    dots, sums = total(h * wide, inner, True), total(h, inner, True)
    mean_of_channel, rstd_of_channel = _by_channels(x, groups, mean, rstd)
    for_x = for_weight = None
    if needs[0]:
        column = None if weight is None else in_single(per_channel(weight, x.ndim))
        weighed = (dots, sums) if column is None else (dots * column, sums * column)
        dots_of_group, sums_of_group = (total(_in_groups(each, groups), (2,), True) for each in weighed)
        share = np.float32(1 / max(x[:1].size // max(groups, 1), 1))
        second = (sums_of_group * mean - dots_of_group) * rstd * rstd * rstd * share
        third = -second * mean - sums_of_group * rstd * share
        second, third = _by_channels(x, groups, second, third)
        first = rstd_of_channel if column is None else rstd_of_channel * column
        for_x = converted(first * h + second * wide + third, x.dtype)
    if needs[1]:
        for_weight = total(((dots - sums * mean_of_channel) * rstd_of_channel).reshape(x.shape[:2]), (0,))
    return for_x, for_weight, total(sums.reshape(x.shape[:2]), (0,)) if needs[2] else None


@register(compiled_channels.group_norm_backward)
def group_norm_backward(
    g: Array, x: Array, weight: Array | None, groups: int, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed, in one go; None where that is not possible."""
    if g.dtype is x.dtype and is_half(x):
        return _group_norm_backward_of_halves(g, x, weight, groups, eps, needs)
    if not _are_alike(g, x):
        return None
    return _channel_backward(g, _in_groups(x, groups), weight, (2,), eps, needs)
