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


def leaky_relu(x: Array, slope: float) -> Array:
    return np.where(x > 0, x, x * x.dtype.type(slope))


def leaky_relu_slope(h: Array, x: Array, slope: float) -> Array:
    return np.where(x > 0, h, h * h.dtype.type(slope))


def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide = in_single(x)
    return np.where(wide > 0, wide * scale, np.expm1(np.minimum(wide, 0) * input_scale) * (alpha * scale)).astype(x.dtype)


def gelu_tanh(x: Array) -> Array:
    wide = in_single(x)
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
    return (0.5 * wide * (1 + np.tanh(inner))).astype(x.dtype)


def silu(x: Array) -> Array:
    if x.dtype.kind == "c":
        return x / (1 + np.exp(-x))
    wide = in_single(x)
    return (wide * sigmoid(wide)).astype(x.dtype)


def softplus(x: Array, beta: float, threshold: float) -> Array:
    wide = in_single(x)
    scaled = wide * beta
    return np.where(scaled > threshold, wide, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta).astype(x.dtype)


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
    return np.where(x <= limit, x.dtype.type(value), x)


def prelu(x: Array, weight: Array) -> Array:
    return np.where(x > 0, x, x * weight)


def softshrink(x: Array, limit: float) -> Array:
    kind = x.dtype.type
    return np.where(x > limit, x - kind(limit), np.where(x < -limit, x + kind(limit), x * kind(0)))


def hardshrink(x: Array, limit: float) -> Array:
    return np.where((x >= -limit) & (x <= limit), x.dtype.type(0), x)
