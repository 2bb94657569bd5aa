"""Kernels of activation functions."""

from __future__ import annotations

import functools
import math

import numpy as np

from ..kernels import register
from ..kernels import sweeps as compiled
from .bits import either, only
from .numpy import Array, in_rows, rounded_once
from .pointwise import sigmoid

# Choosing by a random mask costs ten times a multiplication; where the numbers allow it, these go without.


@register(compiled.leaky_relu)
@rounded_once
def leaky_relu(x: Array, slope: float) -> Array:
    out = np.multiply(x, np.asarray(slope, x.dtype), out=...)
    return np.maximum(x, out, out=out) if 0 <= slope <= 1 else np.where(x > 0, x, out)


@register(compiled.elu)
@rounded_once
def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    below = _times(np.expm1(_times(np.minimum(x, 0), input_scale)), alpha * scale)
    return either(x < 0, below, _times(x, scale))


def _times(x: Array, factor: float) -> Array:
    return x if factor == 1 else x * factor


# The distribution function of the standard normal distribution is (1 + tanh(x * r(x * x))) / 2, r a quotient of polynomials: a
# fit with the least greatest error of the function, 5.4e-8.
_ABOVE = [np.asarray(each, np.float32) for each in (5.7853464569e-05, 0.0050308211986, 0.091604003916, 0.79788523172)]
_BELOW = [np.asarray(each, np.float32) for each in (0.0031896287786, 0.069273555747, 1.0)]
_FLAT = np.asarray(64, np.float32)  # squares beyond which the function is 0 or 1
_DENSITY = 1 / math.sqrt(2 * math.pi)
_LARGE = 1 << 12  # from here on gelu in single precision goes by that, ten times as fast


def by_quotient(x: Array) -> bool:
    return x.dtype == np.float32 and x.size >= _LARGE and x.flags.c_contiguous


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution function, for arrays as :func:`by_quotient` wants them."""
    return np.asarray(_distribution(x) * x)


def gelu_backward(x: Array) -> Array:
    """The derivative of :func:`gelu`: the distribution function and ``x`` times the density."""
    return np.asarray(np.exp(x * x * -0.5) * x * _DENSITY + _distribution(x))


def _distribution(x: Array) -> Array:
    square = np.minimum(x * x, _FLAT)
    return np.asarray(np.tanh(_polynomial(_ABOVE, square) * x / _polynomial(_BELOW, square)) * 0.5 + 0.5)


def _polynomial(coefficients: list[Array], x: Array) -> Array:
    """The highest power first."""
    return functools.reduce(lambda total, coefficient: total * x + coefficient, coefficients)


# x times the distribution function, that by (1 + tanh(root * (x + cube * x ** 3))) / 2.
_ROOT, _CUBE = math.sqrt(2 / math.pi), 0.044715


@register(compiled.gelu_tanh)
@rounded_once
def gelu_tanh(x: Array) -> Array:
    return np.asarray((_tanh_of_cubic(x) + 1) * x * 0.5)


def _tanh_of_cubic(x: Array) -> Array:
    return np.tanh((x * x * (_ROOT * _CUBE) + _ROOT) * x)


def gelu_tanh_curve(x: Array) -> Array:
    """The derivative of :func:`gelu_tanh`."""
    out = _tanh_of_cubic(x)
    return (out + (x * x * (3 * _ROOT * _CUBE) + _ROOT) * x * (1 - out * out) + 1) * 0.5


@register(compiled.silu)
@rounded_once
def silu(x: Array) -> Array:
    return np.asarray(x / (np.exp(-x) + 1))


@register(compiled.softplus)
@rounded_once
def softplus(x: Array, beta: float, threshold: float) -> Array:
    scaled = _times(x, beta)
    linear = scaled > threshold
    is_somewhere_linear = linear.any()
    out = np.log1p(np.exp(np.minimum(scaled, threshold) if is_somewhere_linear else scaled))
    if beta != 1:
        out = out / beta
    return np.asarray(either(linear, x, out) if is_somewhere_linear else out)


_ALL_BUT_1 = {"f": 20, "d": 40}  # where the hyperbolic tangent of softplus is 1 in that dtype


@register(compiled.mish)
@rounded_once
def mish(x: Array) -> Array:
    return np.asarray(tanh_of_softplus(x)[0] * x)


def tanh_of_softplus(x: Array) -> tuple[Array, Array]:
    """``n / (n + 2)`` with ``n = e * (e + 2)`` and ``e = exp(x)``, and e; 1 where that is too large to tell."""
    power = np.exp(np.minimum(x, _ALL_BUT_1[x.dtype.char]))
    out = (power + 2) * power
    return out / (out + 2), power


@register(compiled.hardtanh)
def hardtanh(x: Array, low: float, high: float) -> Array:
    kind = x.dtype.type
    return np.minimum(kind(high), np.maximum(kind(low), x))  # of two zeros NumPy gives the second: -0.0 stays


@register(compiled.hardsigmoid)
@rounded_once
def hardsigmoid(x: Array) -> Array:
    return np.asarray(_from_0_to_6(x) / 6)


@register(compiled.hardswish)
@rounded_once
def hardswish(x: Array) -> Array:
    return np.asarray(_from_0_to_6(x) * x / 6)


def _from_0_to_6(x: Array) -> Array:
    return np.minimum(np.maximum(x + 3, 0), 6)


@register(compiled.log_sigmoid)
@rounded_once
def log_sigmoid(x: Array) -> Array:
    x = in_rows(x)
    return np.asarray(np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))))


@register(compiled.glu)
@rounded_once
def glu(x: Array, axis: int) -> Array:
    first, second = np.split(x, 2, axis)
    return np.asarray(first * sigmoid(second))


@register(compiled.threshold)
def _above(x: Array, limit: float, value: float) -> Array:
    return either(x <= limit, x.dtype.type(value), x)


def threshold(x: Array, limit: float, value: float) -> Array:
    if isinstance(limit, complex) or isinstance(value, complex):
        limit, value = complex(limit).real, complex(value).real
    return _above(x, limit, value)


@register(compiled.prelu)
def prelu(x: Array, weight: Array) -> Array:
    return either(x > 0, x, x * weight)


@register(compiled.softshrink)
@rounded_once
def softshrink(x: Array, limit: float) -> Array:
    kind = x.dtype.type
    return either(x > limit, x - kind(limit), either(x < -limit, x + kind(limit), x * kind(0)))


@register(compiled.hardshrink)
def hardshrink(x: Array, limit: float) -> Array:
    limit = x.dtype.type(limit)  # compared as the elements are: 0.1 is 0.1001 in bfloat16
    return only(x, ~((x >= -limit) & (x <= limit)))
