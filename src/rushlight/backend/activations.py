"""Kernels of activation functions."""

from __future__ import annotations

import functools
import math

import numpy as np

from .numpy import Array
from .reduce import any_true


def in_single(x: Array) -> Array:
    """Half precision computes in single."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind != "i" else x


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))`` without overflow on either side."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


# Choosing by a random mask costs ten times a multiplication; where the numbers allow it, these go without.


def leaky_relu(x: Array, slope: float) -> Array:
    if 0 <= slope <= 1:
        return np.maximum(x, x * x.dtype.type(slope), out=...)
    return np.where(x > 0, x, x * x.dtype.type(slope))


def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide = in_single(x)
    below = _times(np.expm1(_times(np.minimum(wide, 0), input_scale)), alpha * scale)
    return (_times(np.maximum(wide, 0), scale) + below).astype(x.dtype, copy=False)


def _times(x: Array, factor: float) -> Array:
    return x if factor == 1 else x * factor


# The distribution function of the standard normal distribution is (1 + tanh(x * r(x * x))) / 2, r a quotient of polynomials: a
# fit with the least greatest error of the function, 5.4e-8.
_ABOVE = [np.float32(each) for each in (5.7853464569e-05, 0.0050308211986, 0.091604003916, 0.79788523172)]
_BELOW = [np.float32(each) for each in (0.0031896287786, 0.069273555747, 1.0)]
_FLAT = np.float32(64)  # squares beyond which the function is 0 or 1
_HALF, _DENSITY = np.float32(0.5), np.float32(1 / math.sqrt(2 * math.pi))
_LARGE = 1 << 12  # from here on gelu in single precision goes by that, ten times as fast
_BLOCK = 1 << 15


def by_quotient(x: Array) -> bool:
    return x.dtype == np.float32 and x.size >= _LARGE and x.flags.c_contiguous


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution function, for arrays as :func:`by_quotient` wants them."""
    out, squares, scratch = np.empty_like(x), np.empty(_BLOCK, x.dtype), np.empty(_BLOCK, x.dtype)
    flat, line = x.reshape(-1), out.reshape(-1)
    for start in range(0, x.size, _BLOCK):
        part, below = flat[start : start + _BLOCK], line[start : start + _BLOCK]
        square = np.multiply(part, part, squares[: part.size])
        _distribution(part, square, below, scratch[: part.size])
        np.multiply(below, part, below)
    return out


def gelu_slope(x: Array) -> Array:
    """The derivative of :func:`gelu`: the distribution function and ``x`` times the density."""
    out, buffers = np.empty_like(x), np.empty((3, _BLOCK), x.dtype)
    flat, line = x.reshape(-1), out.reshape(-1)
    for start in range(0, x.size, _BLOCK):
        part, below = flat[start : start + _BLOCK], line[start : start + _BLOCK]
        square, scratch, density = buffers[:, : part.size]
        np.multiply(part, part, square)
        np.multiply(square, -_HALF, density)
        np.exp(density, density)
        np.multiply(density, part, density)
        np.multiply(density, _DENSITY, density)
        _distribution(part, square, below, scratch)
        np.add(below, density, below)
    return out


@functools.cache
def _flat() -> Array:
    return np.full(_BLOCK, _FLAT)  # NumPy compares with a line of numbers in half the time that it takes with one


def _distribution(x: Array, square: Array, out: Array, scratch: Array) -> None:
    np.minimum(square, _flat()[: square.size], out=square)
    _polynomial(_ABOVE, square, out)
    _polynomial(_BELOW, square, scratch)
    np.multiply(out, x, out)
    np.divide(out, scratch, out)
    np.tanh(out, out)
    np.multiply(out, _HALF, out)
    np.add(out, _HALF, out)


def _polynomial(coefficients: list[np.float32], x: Array, out: Array) -> None:
    """The highest power first."""
    np.multiply(x, coefficients[0], out)
    for coefficient in coefficients[1:-1]:
        np.add(out, coefficient, out)
        np.multiply(out, x, out)
    np.add(out, coefficients[-1], out)


def gelu_tanh(x: Array) -> Array:
    wide = in_single(x)
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
    return (0.5 * wide * (1 + np.tanh(inner))).astype(x.dtype)


def silu(x: Array) -> Array:
    if x.dtype.kind == "c":
        return x / (1 + np.exp(-x))
    wide = in_single(x)
    power = np.negative(wide, out=...)
    np.exp(power, power)
    np.add(power, power.dtype.type(1), power)
    return np.divide(wide, power, power).astype(x.dtype, copy=False)


def softplus(x: Array, beta: float, threshold: float) -> Array:
    wide = in_single(x)
    scaled = _times(wide, beta)
    linear = scaled > threshold
    is_somewhere_linear = any_true(linear)
    out = np.log1p(np.exp(np.minimum(scaled, threshold) if is_somewhere_linear else scaled))
    if beta != 1:
        out = out / beta
    return (np.where(linear, wide, out) if is_somewhere_linear else out).astype(x.dtype, copy=False)


def mish(x: Array) -> Array:
    wide = in_single(x)
    return (wide * np.tanh(np.logaddexp(wide, 0))).astype(x.dtype)


def hardtanh(x: Array, low: float, high: float) -> Array:
    kind = x.dtype.type
    return np.minimum(np.maximum(x, kind(low)), kind(high))


def hardsigmoid(x: Array) -> Array:
    wide = in_single(x)
    return (np.clip(wide + 3, 0, 6) / 6).astype(x.dtype)


def hardswish(x: Array) -> Array:
    wide = in_single(x)
    return (wide * np.clip(wide + 3, 0, 6) / 6).astype(x.dtype)


def log_sigmoid(x: Array) -> Array:
    wide = in_single(x)
    return (np.minimum(wide, 0) - np.log1p(np.exp(-np.abs(wide)))).astype(x.dtype)


def glu(x: Array, axis: int) -> Array:
    first, second = np.split(in_single(x), 2, axis)
    return (first * sigmoid(second)).astype(x.dtype)


def threshold(x: Array, limit: float, value: float) -> Array:
    if isinstance(limit, complex) or isinstance(value, complex):
        limit, value = complex(limit).real, complex(value).real
    return np.where(x <= limit, x.dtype.type(value), x)


def prelu(x: Array, weight: Array) -> Array:
    return np.where(x > 0, x, x * weight)


def softshrink(x: Array, limit: float) -> Array:
    kind = x.dtype.type
    return np.where(x > limit, x - kind(limit), np.where(x < -limit, x + kind(limit), x * kind(0)))


def hardshrink(x: Array, limit: float) -> Array:
    return np.where((x >= -limit) & (x <= limit), x.dtype.type(0), x)
