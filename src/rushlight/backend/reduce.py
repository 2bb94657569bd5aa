"""Kernels that reduce an array along axes: sums, products, means, variances, truth.

Half precision is computed in single, small integers and booleans in int64. ``axis`` is None (all) or a tuple.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.errstate import silent
from ..kernels import half_precision, register, rows, sweeps
from . import numpy as backend
from . import summation
from .array_dtypes import real_of
from .numpy import MANY, Array, Shape

Axes = tuple[int, ...] | int | None

_all: Any = np.logical_and.reduce
_any: Any = np.logical_or.reduce

_ORDERED = frozenset((np.dtype(np.float32), np.dtype(np.float64)))
_AS_THEY_ARE = frozenset(np.dtype(name) for name in ("float32", "float64", "complex64", "complex128", "int64"))

# From so many elements on it pays to look for stretched axes, and to make them.
_STRETCHED = 2048
_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def wide(x: Array) -> Array:
    """``x`` in the dtype that it is added up in."""
    if x.dtype in _AS_THEY_ARE:
        return x
    if x.dtype.kind in "bui":
        return x.astype(np.int64)
    return backend.converted(x, _SINGLE)


def narrow(out: Any, dtype: np.dtype[Any]) -> Any:
    """A result computed from :func:`wide`, back in half precision if it came from there."""
    return backend.converted(np.asarray(out), dtype) if dtype.itemsize == 2 and dtype.kind in "fV" else out


def double(x: Array) -> Array:
    """``x`` in double precision, for sums of squares and running sums."""
    return x.astype(np.complex128, copy=False) if x.dtype.kind == "c" else x if x.dtype is _DOUBLE else x.astype(_DOUBLE)


def axes_of(x: Array, axis: Axes) -> tuple[int, ...]:
    """``axis``, which may be None (all) or one number, as a tuple."""
    if isinstance(axis, tuple):
        return axis
    return tuple(range(x.ndim)) if axis is None else (axis,)


def count(shape: Shape, axis: Axes) -> int:
    """How many elements are reduced into one."""
    if axis is None:
        return math.prod(shape)
    if not isinstance(axis, tuple):
        return shape[axis]
    return shape[axis[0]] if len(axis) == 1 else math.prod([shape[one] for one in axis])


def sum_all(x: Array, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        return sum(x, None, False, dtype)
    if x.dtype in _ORDERED:
        return summation.total(x)
    return narrow(_added(wide(x), None, False), x.dtype)


def _added(x: Array, axis: Axes, keepdims: bool) -> Array:
    """Sums of what was widened: of many numbers the quicker way."""
    if x.size < MANY or x.dtype is not _SINGLE:
        return summation.add_up(x, axis, None, None, keepdims)
    return summation.along(x, axes_of(x, axis), keepdims)


def sum(x: Array, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        x = x.astype(dtype)
        if dtype.kind in "bui":
            return summation.add_up(x, axis, dtype, None, keepdims)
    if x.dtype in _ORDERED:
        return in_order(summation.along(x, axes_of(x, axis), keepdims))
    return settled(_added(wide(x), axis, keepdims), x.dtype)


def in_order(value: Any) -> Any:
    """The result of a reduction with its elements one after another in memory, whatever the order of what was reduced."""
    if value.ndim < 2:
        return value
    if value.ndim > 3 and 1 in value.shape:  # NumPy leaves the stride of a dimension that is kept as it was
        return value if value.strides == np.empty(value.shape, value.dtype).strides else value.copy("C")
    return value if value.flags.c_contiguous else np.ascontiguousarray(value)


def settled(value: Any, dtype: np.dtype[Any]) -> Any:
    """:func:`narrow`, and in order."""
    return in_order(narrow(value, dtype))


def over(total: Any, count: Any) -> Any:
    """``total / count``, without a warning where nothing was counted."""
    if count:  # as an array it is divided by in half the time
        known = backend.number(count, total.dtype) if total.__class__ is np.ndarray else None
        return total / (count if known is None else known)
    with silent():
        return np.asarray(total) / np.asarray(count).astype(total.real.dtype)


def mean_all(x: Array, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        x = x.astype(dtype)
    if x.dtype in _ORDERED:
        return over(sum_all(x), x.size)
    return narrow(over(_added(wide(x), None, False), x.size), x.dtype)


def mean(x: Array, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        x = x.astype(dtype)
    return settled(over(sum(wide(x), axis, keepdims), count(x.shape, axis)), x.dtype)


def expand_number(g: Any, shape: Shape) -> Array:
    """``g``, of one element, at every place of ``shape``: the adjoint of the full sum. No copy where that is large."""
    if count(shape, None) >= _STRETCHED:
        return backend.everywhere(g, shape)
    out = np.empty(shape, g.dtype)
    out.fill(g)
    return out


def divide_number(g: Any, shape: Shape, divisor: int) -> Array:
    """``g / divisor`` at every place of ``shape``: the adjoint of the full mean. No copy where that is large."""
    return expand_number(np.asarray(g.item() / divisor if divisor else 0).astype(g.dtype), shape)


def divide_by(x: Any, divisor: Any) -> Any:
    """``x / divisor``; of what is stretched, each number once."""
    if half_precision.is_half(x):
        return np.asarray(x.astype(np.float32) / np.float32(divisor)).astype(x.dtype)
    if x.size < _STRETCHED or 0 not in x.strides:
        return over(x, divisor)
    each = tuple(slice(0, 1) if step == 0 else slice(None) for step in x.strides)
    return backend.expand(x[each] / divisor, x.shape)


@register(sweeps.without_nan)
def without_nan(x: Array) -> Array:
    """``x`` with zeros in place of nan."""
    return np.where(np.isnan(x), x.dtype.type(0), x) if x.dtype.kind in "fcVW" else x


@register(rows.nansum)
def nansum(x: Array, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    return sum(without_nan(x if dtype is None else x.astype(dtype)), axis, keepdims, dtype)


def not_nan(x: Array) -> Array:
    return ~np.isnan(x) if x.dtype.kind in "fcVW" else np.ones(x.shape, np.bool_)


def prod(x: Array, axis: Axes, keepdims: bool = False, dtype: np.dtype[Any] | None = None) -> Any:
    if dtype is not None:
        x = x.astype(dtype)
        if dtype.kind in "bui":
            return summation.multiply_up(x, axis, dtype, None, keepdims)
    if half_precision.is_half(x) and x.size and count(x.shape, axis) <= _ROUNDED:
        return _product_of_halves(x, axes_of(x, axis), keepdims)
    return settled(summation.multiplied(wide(x), axis, keepdims), x.dtype)


_ROUNDED = 1 << 12  # numbers of two bytes: of no more PyTorch's roundings are followed one by one
_SIDE_BY_SIDE = (4, 16)  # vectors that PyTorch multiplies, and numbers of two bytes in one


def _product_of_halves(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Rounded after each factor, in PyTorch's order: what lies in order by vectors, anything else number by number."""
    by_steps = sorted(range(x.ndim), key=lambda one: -x.strides[one])
    axes = tuple(one for one in by_steps if one in axes or one - x.ndim in axes)
    kept = [one for one in range(x.ndim) if one not in axes]
    shape = tuple(x.shape[one] for one in kept)
    factors = x.transpose(*axes, *kept).reshape(-1, *shape)
    whole = 0
    if tuple(by_steps[len(kept) :]) == axes and x.transpose(by_steps).flags.c_contiguous:
        whole = len(factors) - len(factors) % math.prod(_SIDE_BY_SIDE)
    with silent():
        out = np.ones(shape, x.dtype)
        if whole:
            groups = factors[:whole].reshape(-1, *_SIDE_BY_SIDE, *shape)
            first, second, third, fourth = _in_turn(groups[1:], groups[0])
            pairs = (first * second) * (third * fourth)
            out = _in_turn(pairs[1:], pairs[0])
        out = _in_turn(factors[whole:], out)
    return out.reshape([1 if one in axes else size for one, size in enumerate(x.shape)]) if keepdims else out


def _in_turn(factors: Array, out: Array) -> Array:
    for factor in factors:
        out = np.multiply(out, factor, out=...)
    return out


# Up to so many elements along the axis, the variances of doubles are updated one element after another.
_UPDATED = 32


def variance(x: Array, axis: Axes, correction: float, keepdims: bool, at_once: bool) -> tuple[Any, Any]:
    """Variance and mean, in double precision; from all elements ``at_once`` if there is one result, and then without mean."""
    whole = double(x)
    size = count(x.shape, axis)
    many, freedom = float(size), float(max(size - correction, 0))  # found faster by NumPy than numbers of its own
    is_real = whole.dtype is _DOUBLE
    if at_once and is_real and x.size == size and not keepdims:
        off = whole - float(over(summation.total(whole), many))
        distances = off * off
        if axis is None:
            return over(summation.all_in_turn(distances), freedom), None
        return over(summation.in_turn(distances, axes_of(x, axis), False)[()], freedom), None
    axes = axes_of(x, axis)
    if x.dtype is _DOUBLE and x.size and size <= _UPDATED and not (at_once and x.size == size):
        return _updated(whole, axes, freedom, keepdims)
    center = over(summation.along(whole, axes, True), many) if is_real else _center_of_complex(whole, axes, many)
    off = whole - center
    distances = off * off if is_real else off.real * off.real + off.imag * off.imag
    spread = over(summation.in_turn(distances, axes, keepdims), freedom)
    if not at_once and not np.isfinite(center).all():
        center = _moved_from_infinity(center, whole, axes)
    return spread, None if at_once else center if keepdims else center.reshape(np.shape(spread))


def _first(x: Array, axes: tuple[int, ...]) -> Array:
    """With those axes as one, the first."""
    kept = [one for one in range(x.ndim) if one not in axes]
    return x.transpose(*axes, *kept).reshape(-1, *(x.shape[one] for one in kept))


def _moved_from_infinity(center: Array, x: Array, axes: tuple[int, ...]) -> Array:
    """PyTorch moves the mean on with each element: what is infinite before the last becomes nan."""
    if x.dtype.kind == "c":
        out = np.empty_like(center)
        out.real = _moved_from_infinity(center.real, x.real, axes)
        out.imag = _moved_from_infinity(center.imag, x.imag, axes)
        return out
    before = np.isfinite(_first(x, axes)[:-1]).all(0).reshape(center.shape)
    return np.where(np.isinf(center) & ~before, np.nan, center)


def _center_of_complex(x: Array, axes: tuple[int, ...], many: float) -> Array:
    """The mean, of either part by itself."""
    total = np.asarray(sum(x, axes, True))
    return np.asarray(total.view(_DOUBLE).reshape(*total.shape, 2) / many).view(total.dtype)[..., 0]


def _updated(x: Array, axes: tuple[int, ...], freedom: Any, keepdims: bool) -> tuple[Any, Any]:
    """Mean and squared distances from it, brought up to date with each element."""
    rows = _first(x, axes)
    center, spread = np.zeros(rows.shape[1:]), np.zeros(rows.shape[1:])
    for number, row in enumerate(rows, 1):
        off = row - center
        center = center + off / number
        spread = spread + off * (row - center)
    spread = over(spread, freedom)
    if keepdims:
        shape = tuple(1 if one in axes else size for one, size in enumerate(x.shape))
        return spread.reshape(shape), center.reshape(shape)
    return spread, center


def _rounded(value: Any, dtype: np.dtype[Any]) -> Array:
    return np.asarray(value).astype(dtype, order="C")


def var(x: Array, axis: Axes, correction: float, keepdims: bool = False) -> Array:
    return _rounded(variance(x, axis, correction, keepdims, True)[0], real_of(x.dtype))


def std(x: Array, axis: Axes, correction: float, keepdims: bool = False) -> Array:
    return _rounded(np.sqrt(variance(x, axis, correction, keepdims, True)[0]), real_of(x.dtype))


def var_mean(x: Array, axis: Axes, correction: float, keepdims: bool = False) -> tuple[Array, Array]:
    spread, center = variance(x, axis, correction, keepdims, False)
    return _rounded(spread, real_of(x.dtype)), _rounded(center, x.dtype)


def std_mean(x: Array, axis: Axes, correction: float, keepdims: bool = False) -> tuple[Array, Array]:
    spread, center = variance(x, axis, correction, keepdims, False)
    return _rounded(np.sqrt(spread), real_of(x.dtype)), _rounded(center, x.dtype)


def all(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    out = in_order(_all(x, axis, keepdims=keepdims))
    return np.asarray(out).astype(np.uint8) if x.dtype == np.uint8 else out


def any(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    out = in_order(_any(x, axis, keepdims=keepdims))
    return np.asarray(out).astype(np.uint8) if x.dtype == np.uint8 else out


def count_nonzero(x: Array, axis: Axes) -> Any:
    return np.asarray(np.count_nonzero(x, axis)).astype(np.int64, order="C")


def shift(x: Array, axis: int, step: int, fill: float) -> Array:
    """Moved by one place along ``axis``, forward for 1 and backward for -1; ``fill`` comes in."""
    out = np.full(x.shape, fill, x.dtype)
    lead = (slice(None),) * axis
    first, last = (*lead, slice(None, -1)), (*lead, slice(1, None))
    if step > 0:
        out[last] = x[first]
    else:
        out[first] = x[last]
    return out
