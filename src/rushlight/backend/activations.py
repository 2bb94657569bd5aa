"""Kernels of activation functions."""

from __future__ import annotations

import math

import numpy as np

from .numpy import Array


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


def leaky_relu_slope(h: Array, x: Array, slope: float) -> Array:
    if 0 <= slope <= 1 and x.ndim and h.shape == x.shape:
        factor = (x > 0).astype(h.dtype)
        np.maximum(factor, h.dtype.type(slope), out=factor)
        return np.multiply(factor, h, factor)
    return np.where(x > 0, h, h * h.dtype.type(slope))


def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide = in_single(x)
    below = np.expm1(np.minimum(wide, 0) * input_scale) * (alpha * scale)
    return (np.maximum(wide, 0) * scale + below).astype(x.dtype, copy=False)


# erfc(z) is exp(-z * z) times a polynomial in t = 1 / (1 + z / 2): a least squares fit, to 6e-10 for all z >= 0.
_ERFC = (
    0.28441157074, 0.25422348126, 0.39122721555, -0.2393847769, 0.79133723488, -0.68215910433, 0.21084666752,
    -0.0026195294036, -0.0078827599093,
)  # fmt: skip
_LARGE = 1 << 12  # from here on gelu in single precision goes by the polynomial, ten times as fast
_BLOCK = 1 << 15
_SIGN = np.uint32(1 << 31)


def normal_distribution(x: Array) -> tuple[Array, Array]:
    """The distribution function of the standard normal distribution at float32, and exp(-x * x / 2)."""
    below, density = np.empty_like(x), np.empty_like(x)
    flat, line, power = x.reshape(-1), below.reshape(-1), density.reshape(-1)
    for start in range(0, x.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        _distribution_steps(flat[part], line[part], power[part])
    return below, density


def _distribution_steps(x: Array, out: Array, power: Array) -> None:
    np.multiply(x, x, power)
    np.multiply(power, np.float32(-0.5), power)
    np.exp(power, power)
    t = np.abs(x)
    np.multiply(t, np.float32(0.5 * math.sqrt(0.5)), t)
    np.add(t, np.float32(1), t)
    np.reciprocal(t, t)
    out.fill(_ERFC[-1])
    for coefficient in _ERFC[-2::-1]:
        np.multiply(out, t, out)
        np.add(out, np.float32(coefficient), out)
    np.multiply(out, t, out)
    np.multiply(out, power, out)
    # Half of erfc(|x|) lies below -|x|.
    np.multiply(out, np.float32(0.5), out)
    np.subtract(np.float32(0.5), out, out)
    bits = out.view(np.uint32)
    np.bitwise_or(bits, np.bitwise_and(x.view(np.uint32), _SIGN, t.view(np.uint32)), bits)  # copysign, four times as fast
    np.add(out, np.float32(0.5), out)


def by_polynomial(x: Array) -> bool:
    return x.dtype == np.float32 and x.size >= _LARGE and x.flags.c_contiguous


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


def silu_slope(h: Array, x: Array) -> Array:
    wide = in_single(x)
    power = np.negative(wide, out=...)
    np.exp(power, power)
    np.add(power, power.dtype.type(1), power)
    curve = np.reciprocal(power, power)
    slope = np.subtract(1, curve, out=...)
    np.multiply(slope, wide, slope)
    np.add(slope, slope.dtype.type(1), slope)
    np.multiply(slope, curve, slope)
    return np.multiply(slope, h, out=...)


def softplus(x: Array, beta: float, threshold: float) -> Array:
    wide = in_single(x)
    scaled = wide * beta
    out = np.log1p(np.exp(np.minimum(scaled, threshold))) / beta
    linear = scaled > threshold
    return np.where(linear, wide, out).astype(x.dtype, copy=False) if linear.any() else out.astype(x.dtype, copy=False)


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
