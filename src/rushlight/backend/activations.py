"""Kernels of activation functions."""

from __future__ import annotations

import functools
import math

import numpy as np

from ..kernels import register
from ..kernels import sweeps as compiled
from .bits import either
from .blockwise import Call, filled, spread
from .numpy import Array, in_single, number
from .pointwise import only, sigmoid
from .reduce import any_true

# Choosing by a random mask costs ten times a multiplication; where the numbers allow it, these go without.


def leaky_relu(x: Array, slope: float) -> Array:
    if x.dtype.itemsize == 2:
        return leaky_relu(in_single(x), slope).astype(x.dtype)
    if 0 <= slope <= 1:
        return filled(functools.partial(_leaky_steps, np.asarray(slope, x.dtype)), x)
    return np.where(x > 0, x, x * x.dtype.type(slope))


def _leaky_steps(slope: Array, call: Call, out: Array, x: Array) -> None:
    call(np.multiply, out, x, slope)
    call(np.maximum, out, x, out)


def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide = in_single(x)
    below = _times(spread(np.expm1, _times(np.minimum(wide, 0), input_scale)), alpha * scale)
    return (_times(np.maximum(wide, 0), scale) + below).astype(x.dtype, copy=False)


def _times(x: Array, factor: float) -> Array:
    return x if factor == 1 else x * factor


# The distribution function of the standard normal distribution is (1 + tanh(x * r(x * x))) / 2, r a quotient of polynomials: a
# fit with the least greatest error of the function, 5.4e-8.
_ABOVE = [np.asarray(each, np.float32) for each in (5.7853464569e-05, 0.0050308211986, 0.091604003916, 0.79788523172)]
_BELOW = [np.asarray(each, np.float32) for each in (0.0031896287786, 0.069273555747, 1.0)]
_FLAT = np.asarray(64, np.float32)  # squares beyond which the function is 0 or 1
_HALF, _DENSITY = np.asarray(0.5, np.float32), np.asarray(1 / math.sqrt(2 * math.pi), np.float32)
_LESS_HALF = np.negative(_HALF, out=...)
_LARGE = 1 << 12  # from here on gelu in single precision goes by that, ten times as fast


def by_quotient(x: Array) -> bool:
    return x.dtype == np.float32 and x.size >= _LARGE and x.flags.c_contiguous


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution function, for arrays as :func:`by_quotient` wants them."""
    return filled(_gelu_steps, x)


def _gelu_steps(call: Call, out: Array, x: Array) -> None:
    square = np.empty_like(x)
    call(np.multiply, square, x, x)
    _distribution(call, out, x, square)
    call(np.multiply, out, out, x)


def gelu_backward(x: Array) -> Array:
    """The derivative of :func:`gelu`: the distribution function and ``x`` times the density."""
    return filled(_gelu_backward_steps, x)


def _gelu_backward_steps(call: Call, out: Array, x: Array) -> None:
    square, density = np.empty_like(x), np.empty_like(x)
    call(np.multiply, square, x, x)
    call(np.multiply, density, square, _LESS_HALF)
    call(np.exp, density, density)
    call(np.multiply, density, density, x)
    call(np.multiply, density, density, _DENSITY)
    _distribution(call, out, x, square)
    call(np.add, out, out, density)


def _distribution(call: Call, out: Array, x: Array, square: Array) -> None:
    """The distribution function; writes over the squares."""
    scratch = np.empty_like(x)
    call(np.minimum, square, square, _FLAT)
    _polynomial(call, _ABOVE, out, square)
    _polynomial(call, _BELOW, scratch, square)
    call(np.multiply, out, out, x)
    call(np.divide, out, out, scratch)
    call(np.tanh, out, out)
    call(np.multiply, out, out, _HALF)
    call(np.add, out, out, _HALF)


def _polynomial(call: Call, coefficients: list[Array], out: Array, x: Array) -> None:
    """The highest power first."""
    call(np.multiply, out, x, coefficients[0])
    for coefficient in coefficients[1:-1]:
        call(np.add, out, out, coefficient)
        call(np.multiply, out, out, x)
    call(np.add, out, out, coefficients[-1])


# x times the distribution function, that by (1 + tanh(root * (x + cube * x ** 3))) / 2.
_ROOT, _CUBE = math.sqrt(2 / math.pi), 0.044715


@register(compiled.gelu_tanh)
def gelu_tanh(x: Array) -> Array:
    return filled(_gelu_tanh_steps, in_single(x)).astype(x.dtype, copy=False)


def _gelu_tanh_steps(call: Call, out: Array, x: Array) -> None:
    half, one = number(0.5, x.dtype), number(1, x.dtype)
    _tanh_of_cubic(call, out, x)
    call(np.add, out, out, one)
    call(np.multiply, out, out, x)
    call(np.multiply, out, out, half)


def _tanh_of_cubic(call: Call, out: Array, x: Array) -> None:
    call(np.multiply, out, x, x)
    call(np.multiply, out, out, number(_ROOT * _CUBE, x.dtype))
    call(np.add, out, out, number(_ROOT, x.dtype))
    call(np.multiply, out, out, x)
    call(np.tanh, out, out)


def gelu_tanh_curve(x: Array) -> Array:
    """The derivative of :func:`gelu_tanh`."""
    return filled(_gelu_tanh_curve_steps, x)


def _gelu_tanh_curve_steps(call: Call, out: Array, x: Array) -> None:
    one, slope = number(1, x.dtype), np.empty_like(x)
    _tanh_of_cubic(call, out, x)
    call(np.multiply, slope, x, x)
    call(np.multiply, slope, slope, number(3 * _ROOT * _CUBE, x.dtype))
    call(np.add, slope, slope, number(_ROOT, x.dtype))
    call(np.multiply, slope, slope, x)
    flat = np.empty_like(x)
    call(np.multiply, flat, out, out)
    call(np.subtract, flat, one, flat)
    call(np.multiply, slope, slope, flat)
    call(np.add, out, out, slope)
    call(np.add, out, out, one)
    call(np.multiply, out, out, number(0.5, x.dtype))


@register(compiled.silu)
def silu(x: Array) -> Array:
    if x.dtype.kind == "c":
        return x / (1 + np.exp(-x))
    return filled(_silu_steps, in_single(x)).astype(x.dtype, copy=False)


def _silu_steps(call: Call, out: Array, x: Array) -> None:
    call(np.negative, out, x)
    call(np.exp, out, out)
    call(np.add, out, out, number(1, x.dtype))
    call(np.divide, out, x, out)


def softplus(x: Array, beta: float, threshold: float) -> Array:
    wide = in_single(x)
    scaled = _times(wide, beta)
    linear = scaled > threshold
    is_somewhere_linear = any_true(linear)
    out = spread(np.log1p, spread(np.exp, np.minimum(scaled, threshold) if is_somewhere_linear else scaled))
    if beta != 1:
        out = out / beta
    return (either(linear, wide, out) if is_somewhere_linear else out).astype(x.dtype, copy=False)


_ALL_BUT_1 = {"f": 20, "d": 40}  # where the hyperbolic tangent of softplus is 1 in that dtype


@register(compiled.mish)
def mish(x: Array) -> Array:
    return filled(_mish_steps, in_single(x)).astype(x.dtype, copy=False)


def _mish_steps(call: Call, out: Array, x: Array) -> None:
    tanh_of_softplus(call, out, np.empty_like(x), x)
    call(np.multiply, out, out, x)


def tanh_of_softplus(call: Call, out: Array, power: Array, x: Array) -> None:
    """``n / (n + 2)`` with ``n = e * (e + 2)`` and ``e = exp(x)``, which is left in ``power``; 1 where that is too large to tell."""
    two = number(2, x.dtype)
    call(np.minimum, power, x, number(_ALL_BUT_1[x.dtype.char], x.dtype))
    call(np.exp, power, power)
    call(np.add, out, power, two)
    call(np.multiply, out, out, power)
    above = np.empty_like(out)
    call(np.add, above, out, two)
    call(np.divide, out, out, above)


def hardtanh(x: Array, low: float, high: float) -> Array:
    kind = x.dtype.type
    return np.minimum(np.maximum(x, kind(low)), kind(high))


def hardsigmoid(x: Array) -> Array:
    return filled(_hardsigmoid_steps, in_single(x)).astype(x.dtype, copy=False)


def _hardsigmoid_steps(call: Call, out: Array, x: Array) -> None:
    _from_0_to_6(call, out, x)
    call(np.divide, out, out, number(6, x.dtype))


def hardswish(x: Array) -> Array:
    return filled(_hardswish_steps, in_single(x)).astype(x.dtype, copy=False)


def _hardswish_steps(call: Call, out: Array, x: Array) -> None:
    _from_0_to_6(call, out, x)
    call(np.multiply, out, out, x)
    call(np.divide, out, out, number(6, x.dtype))


def _from_0_to_6(call: Call, out: Array, x: Array) -> None:
    call(np.add, out, x, number(3, x.dtype))
    call(np.maximum, out, out, number(0, x.dtype))
    call(np.minimum, out, out, number(6, x.dtype))


def log_sigmoid(x: Array) -> Array:
    wide = in_single(x)
    return (np.minimum(wide, 0) - spread(np.log1p, spread(np.exp, -np.abs(wide)))).astype(x.dtype)


def glu(x: Array, axis: int) -> Array:
    first, second = np.split(in_single(x), 2, axis)
    return (first * sigmoid(second)).astype(x.dtype)


def threshold(x: Array, limit: float, value: float) -> Array:
    if isinstance(limit, complex) or isinstance(value, complex):
        limit, value = complex(limit).real, complex(value).real
    return either(x <= limit, x.dtype.type(value), x)


def prelu(x: Array, weight: Array) -> Array:
    return either(x > 0, x, x * weight)


def softshrink(x: Array, limit: float) -> Array:
    wide = in_single(x)
    kind = wide.dtype.type
    out = either(wide > limit, wide - kind(limit), either(wide < -limit, wide + kind(limit), wide * kind(0)))
    return out.astype(x.dtype, copy=False)


def hardshrink(x: Array, limit: float) -> Array:
    limit = x.dtype.type(limit)  # compared as the elements are: 0.1 is 0.1001 in bfloat16
    return only(x, ~((x >= -limit) & (x <= limit)))
