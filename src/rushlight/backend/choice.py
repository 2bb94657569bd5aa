"""Kernels that choose between values, fill, mix, or take numbers apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errstate import silent
from ..base.type_limits import finfo
from ..kernels import mixtures, register, sweeps
from . import numpy as backend
from .arithmetic import number_power
from .array_dtypes import common, floating, meeting, refuse
from .bits import either, only
from .checked_convert import checked_number
from .numpy import Array, like_first, real_part

_MANY = 512  # numbers from which on logaddexp goes in steps, NumPy's being one number after another


def where(condition: Array, a: Array, b: Array) -> Array:
    if a.dtype is not b.dtype:
        dtype = common(a, b)
        a, b = (one if one.dtype == dtype else backend.copied(one, dtype) for one in (a, b))
    if condition.flags.c_contiguous and a.flags.c_contiguous and b.flags.c_contiguous:
        return np.asarray(either(condition, a, b))
    out = backend.like_first((condition, a, b), a.dtype)
    np.copyto(out, b)
    np.copyto(out, a, where=condition)
    return out


def masked_fill(x: Array, mask: Array, value: Any) -> Array:
    if value.__class__ is int and value == 0:
        return np.asarray(only(x, np.logical_not(mask)), order="C")
    return np.asarray(either(mask, np.asarray(value).astype(x.dtype), x), order="C")


def masked_fill_from(x: Array, mask: Array, value: Array) -> Array:
    return masked_fill(x, mask, value)


# Bounds.


@register(sweeps.clamp)
def clamp(x: Array, low: Any, high: Any) -> Array:
    """Between two numbers, either of which may be None; nan stays nan, and a bound of nan makes everything nan."""
    dtype = x.dtype
    if dtype.kind != "f" or low.__class__ not in REAL or high.__class__ not in REAL:
        if dtype.kind in "fV":
            low, high = (real_number(bound) if isinstance(bound, complex) else bound for bound in (low, high))
        dtype = clamped_dtype(x, low, high)
        if dtype.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types")
        if dtype.kind == "b":
            refuse("clamp_scalar_cpu" if low is not None and high is not None else
                   "clamp_min_scalar_cpu" if high is None else "clamp_max_scalar_cpu", x)  # fmt: skip
        if dtype is not x.dtype:
            x = backend.copied(x, dtype)
    if low is not None:
        x = _bound(np.maximum, x, low)
    return x if high is None else _bound(np.minimum, x, high)


def real_number(value: complex) -> float:
    if value.imag:
        raise RuntimeError("value cannot be converted to type double without overflow")
    return value.real


def clamped_dtype(x: Array, low: Any, high: Any) -> np.dtype[Any]:
    """The dtype in which a tensor's array meets its bounds, numbers or None."""
    if isinstance(low, complex) or isinstance(high, complex):
        return meeting(x, 1j)
    if isinstance(low, float) or isinstance(high, float):
        return meeting(x, 1.0)
    return meeting(x, low if high is None or (isinstance(high, bool) and low is not None) else high)


REAL = (float, int, type(None))


def _bound(ufunc: np.ufunc, x: Array, number: Any) -> Array:
    """The larger or smaller of the two, x where they are equal: of two zeros NumPy takes the second, of halves the first."""
    dtype, number = x.dtype, checked_number(number, x)
    bound = backend.number(number, dtype)
    if bound is None:
        bound = np.asarray(number).astype(dtype)
    return ufunc(x, bound, out=...) if dtype.itemsize == 2 else ufunc(bound, x, out=...)


def clamp_min(x: Array, low: Any) -> Array:
    return clamp(x, low, None)


def clamp_max(x: Array, high: Any) -> Array:
    return clamp(x, None, high)


def clamp_between(x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """The same with tensors for bounds."""
    dtype = common(x, low, high)
    if dtype.kind == "c" or (dtype.kind == "b" and low is not None and high is not None):
        names = ("minimum_cpu", "maximum_cpu", "clamp_cpu")
        refuse(names[(low is not None) + (low is not None and high is not None)], dtype)
    result = x.astype(dtype, copy=False)
    if low is not None:
        result = np.maximum(result, low.astype(dtype, copy=False), out=...)
    if high is not None:
        result = np.minimum(result, high.astype(dtype, copy=False), out=...)
    if result.ndim < 3 or x.flags.c_contiguous:
        return result
    return backend.laid_out(result, [each for each in (x, low, high) if each is not None])


def clamp_from(x: Array, low: Array) -> Array:
    return clamp_between(x, low)


def clamp_to(x: Array, high: Array) -> Array:
    return clamp_between(x, None, high)


def _of_real(ufunc: np.ufunc, name: str) -> Any:
    @backend.rounded_once
    def kernel(a: Array, b: Array) -> Array:
        if a.dtype.kind in "cW":
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return ufunc(a, b, out=...)

    return kernel


maximum = _of_real(np.maximum, "maximum")
minimum = _of_real(np.minimum, "minimum")
fmax = _of_real(np.fmax, "fmax")
fmin = _of_real(np.fmin, "fmin")


# Mixtures.


@register(mixtures.lerp)
@backend.rounded_once
def lerp(start: Array, end: Array, weight: Any) -> Array:
    """``start + weight * (end - start)``, counted from the nearer end."""
    if isinstance(weight, np.ndarray):
        near = np.abs(weight) < 0.5
        out = np.asarray(either(near, start + weight * (end - start), end - (end - start) * (1 - weight)))
        return out if out.ndim < 3 or start.flags.c_contiguous else backend.laid_out(out, (start, end, weight))
    weight = np.asarray(weight).astype(start.dtype)[()]
    if abs(weight) < 0.5:
        out = np.add(start, weight * (end - start), out=...)
    else:
        out = np.subtract(end, (1 - weight) * (end - start), out=...)
    return out if out.ndim < 3 or start.flags.c_contiguous else backend.laid_out(out, (start, end))


@register(mixtures.addcmul)
@backend.rounded_once
def addcmul(x: Array, u: Array, v: Array, value: Any) -> Array:
    """``x + value * u * v``."""
    scaled = (
        u if value == 1 and x.dtype.kind != "c" else np.asarray(value).astype(x.dtype) * u
    )  # 1 too makes nan of complex inf
    return np.add(x, scaled * v, out=...)


@register(mixtures.addcdiv)
@backend.rounded_once
def addcdiv(x: Array, u: Array, v: Array, value: Any) -> Array:
    """``x + value * u / v``."""
    return np.add(x, u * np.asarray(value).astype(x.dtype) / v, out=...)


# Numbers taken apart and put together.


@register(sweeps.nan_to_num)
def nan_to_num(x: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
    if x.dtype.kind == "c":
        out = backend.empty_like(x, x.dtype)
        out.real = nan_to_num(x.real, nan, posinf, neginf)
        out.imag = nan_to_num(x.imag, nan, posinf, neginf)
        return out
    if x.dtype.kind not in "fV":
        return np.array(x, order="K")
    limits = finfo(dtypes.of(x.dtype))
    out = backend.copied(x, x.dtype)
    if np.isfinite(x).all():
        return out
    out[np.isnan(x)] = 0 if nan is None else nan
    out[x == math.inf] = limits.max if posinf is None else posinf
    out[x == -math.inf] = limits.min if neginf is None else neginf
    return out


def copysign(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c":
        refuse("copysign_cpu", a)
    return np.copysign(floating(a), floating(b), out=...)


def copysign_number(x: Array, number: float) -> Array:
    x = floating(x)
    if x.dtype.kind == "c" or isinstance(number, complex):
        refuse("copysign_cpu", meeting(x, number))
    return np.copysign(x, x.dtype.type(number), out=...)


def frexp(x: Array) -> tuple[Array, Array]:
    """Mantissa and exponent: ``x = mantissa * 2 ** exponent`` with ``0.5 <= |mantissa| < 1``."""
    if x.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(x.astype(np.float32) if x.dtype.kind == "V" else x)
    mantissa = mantissa.astype(x.dtype)
    return np.asarray(mantissa), np.asarray(np.where(np.isfinite(x), exponent, 0)).astype(np.int32)


def ldexp(a: Array, b: Array) -> Array:
    """``a * 2 ** b``, where b is whole as far as the result can be written, even if ``2 ** b`` cannot."""
    if a.dtype.kind in "fV" and b.dtype.kind in "iu":
        wide = a.astype(np.float32) if a.itemsize == 2 else a
        return np.asarray(np.ldexp(wide, b.astype(np.int32))).astype(a.dtype, copy=False)
    dtype = common(a, b)
    if dtype.kind in "biu":
        dtype = dtypes.get_default_dtype().numpy
    powers = number_power(b.astype(dtype), 2) if dtype.kind == "c" else np.power(dtype.type(2), b.astype(dtype))
    return np.multiply(a.astype(dtype, copy=False), powers, out=...)


def heaviside(x: Array, values: Array) -> Array:
    if "c" in (x.dtype.kind, values.dtype.kind):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if x.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return np.asarray(np.where(x == 0, values, (x > 0).astype(x.dtype)))


def nextafter(a: Array, b: Array) -> Array:
    if a.dtype.kind not in "fV":
        refuse("nextafter_cpu", a)
    return np.nextafter(a, b, out=...)


def atan2(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c":
        refuse("atan2_cpu", a)
    return np.arctan2(a, b, out=...)


@register(sweeps.hypot)
def hypot(a: Array, b: Array) -> Array:
    if a.dtype.kind not in "fV":
        refuse("hypot_cpu", a)
    return np.hypot(a, b, out=...)


@register(sweeps.logaddexp)
def logaddexp(a: Array, b: Array) -> Array:
    """``log(exp(a) + exp(b))`` without overflow."""
    if a.dtype.kind == "c":
        return complex_logaddexp(a, b, b)
    if a.dtype.kind not in "fV":
        refuse("logaddexp_cpu", a)
    if a.size < _MANY or a.shape != b.shape or a.dtype is not b.dtype or a.dtype.char not in "fd":
        return np.logaddexp(a, b, out=...)
    off = np.fmin(-np.abs(a - b), 0)  # of equal infinities too
    return np.maximum(a, b) + np.log1p(np.exp(off))


def complex_logaddexp(a: Array, b: Array, nothing: Array) -> Array:
    """log(exp(a) + exp(b)) from the one whose real part is greater, and ``nothing`` where both exponentials are none."""
    with silent():
        first, second = np.where(a.real >= b.real, a, b), np.where(a.real >= b.real, b, a)
        out = np.asarray(first + np.log1p(np.exp(second - first)))
        if not np.isfinite(out).all():
            alike = np.isinf(a.real) & (a.real == b.real)
            out = np.where(alike, np.where(a.real < 0, nothing, np.log(np.exp(a) + np.exp(b))), out)
            out[np.isnan(a) | np.isnan(b)] = complex("nan+nanj")
    return out


# What PyTorch's product of log(2) and 1 / log(2), unrounded, lacks of 1.
_LOST = {"f": np.float32(1.0601922895148164e-8), "d": np.float64(4.756597398230631e-17)}


@register(sweeps.logaddexp2)
@backend.rounded_once
def logaddexp2(a: Array, b: Array) -> Array:
    if a.dtype.kind not in "fV":
        refuse("logaddexp2_cpu", a)
    out, alike = np.logaddexp2(a, b, out=...), a == b
    return either(alike, out - _LOST[out.dtype.char], out) if alike.any() else out


# Complex numbers.


def angle(x: Array) -> Array:
    if x.dtype.kind == "c":
        return np.arctan2(x.imag, x.real, order="C", out=...)
    x = floating(x)
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(math.pi), x.dtype.type(0)))


def conj(x: Array) -> Array:
    return np.conjugate(x, out=...)


def make_complex(real: Array, imag: Array) -> Array:
    out = like_first((real, imag), dtypes.of(real.dtype).to_complex().numpy)
    pairs = view_as_real(out)
    pairs[..., 0], pairs[..., 1] = real, imag
    return out


def polar(abs: Array, angle: Array) -> Array:
    if abs.dtype == np.float16:
        refuse("polar_cpu", abs)
    return make_complex(abs * np.cos(angle), abs * np.sin(angle))


def view_as_real(x: Array) -> Array:
    """Pairs of real numbers in the memory of a complex array."""
    x = np.asarray(x)  # NumPy's numbers have no memory to look into
    part = real_part(x)
    if not x.size:
        return np.empty((*x.shape, 2), part.dtype)
    return backend.strided(part, (*x.shape, 2), (*x.strides, part.itemsize))


def view_as_complex(x: Array) -> Array:
    """Complex numbers in the memory of pairs, or in a copy where the pairs do not lie together."""
    double = dtypes.of(x.dtype).to_complex().numpy
    wide = 2 * x.itemsize
    if not x.size:
        return np.empty(x.shape[:-1], double)
    if x.strides[-1] != x.itemsize or any(stride % wide for stride in x.strides[:-1]):
        x = np.ascontiguousarray(x)
    return x.view(double)[..., 0]
