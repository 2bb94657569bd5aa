"""Kernels of the derivatives of activation functions: ``h``, the function's cotangent, times its slope at ``x``."""

from __future__ import annotations

import numpy as np

from ..kernels import register
from ..kernels import sweeps as compiled
from .activations import gelu_tanh_curve, tanh_of_softplus
from .bits import either, only
from .numpy import Array, converted, in_single, laid_out
from .pointwise import sigmoid

_SIXTH = float(np.float32(1 / 6))  # in single precision also where the rest is in double, as in PyTorch


def _finished(out: Array, h: Array, x: Array) -> Array:
    """The result in the dtype of the cotangent and, as in PyTorch, in its order."""
    out = np.asarray(out, h.dtype)
    if x.ndim > 1 and not (h.flags.c_contiguous and x.flags.c_contiguous):
        out = laid_out(out, (h, x))
    return out


@register(compiled.softplus_backward)
def softplus_backward(h: Array, x: Array, beta: float, threshold: float) -> Array:
    scaled = in_single(x) * beta
    power = np.exp(scaled)
    out = h * power / (power + 1)
    linear = scaled > threshold
    return _finished(either(linear, h, out) if linear.any() else out, h, x)


@register(compiled.elu_backward)
def elu_backward(h: Array, x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide, factor = in_single(x), alpha * scale * input_scale
    out = (h if factor == 1 else in_single(h) * factor) * np.exp(np.fmin(wide, 0) * input_scale)
    if factor != scale:  # else it is the slope from 0 on too
        out = either(wide <= 0, out, h * scale)
    return _finished(out, h, x)


@register(compiled.hardswish_backward)
def hardswish_backward(h: Array, x: Array) -> Array:
    wide = in_single(x)
    out = either(wide < 3, h * (wide / 3 + 0.5), h)
    return _finished(only(out, ~(wide <= -3)), h, x)


@register(compiled.log_sigmoid_backward)
def log_sigmoid_backward(h: Array, x: Array) -> Array:
    if x.dtype.itemsize > 2:
        return h * sigmoid(-x)
    share = in_single(converted(np.exp(-np.abs(in_single(x))), x.dtype))  # which the forward pass has kept in halves
    share /= 1 + share
    return converted(in_single(h) * np.where(x < 0, 1 - share, share), x.dtype)


@register(compiled.glu_backward)
def glu_backward(h: Array, x: Array, axis: int) -> Array:
    half, before = x.shape[axis] // 2, (slice(None),) * axis
    lower, upper = (*before, slice(half)), (*before, slice(half, None))
    first, gate, out = x[lower], sigmoid(x[upper]), np.empty(x.shape, x.dtype)
    np.multiply(h, gate, out[lower])
    wide = in_single(gate)
    out[upper] = (1 - wide) * wide * first * h
    return out


@register(compiled.hardsigmoid_backward)
def hardsigmoid_backward(h: Array, x: Array) -> Array:
    return _finished(only(in_single(h) * _SIXTH, np.abs(x) < 3), h, x)


@register(compiled.hardtanh_backward)
def hardtanh_backward(h: Array, x: Array, low: float, high: float) -> Array:
    return only(h, ~((x <= low) | (x >= high)))  # nan lets the gradient pass


@register(compiled.shrink_backward)
def shrink_backward(h: Array, x: Array, limit: float) -> Array:
    """Of hardshrink and softshrink."""
    return _finished(only(h, ~(np.abs(x) <= x.dtype.type(limit))), h, x)  # nan lets the gradient pass


@register(compiled.threshold_backward)
def threshold_backward(h: Array, x: Array, limit: float) -> Array:
    return only(h, ~(x <= complex(limit).real))


@register(compiled.leaky_relu_backward)
def leaky_relu_backward(h: Array, x: Array, slope: float) -> Array:
    return either(x > 0, h, np.asarray(in_single(h) * in_single(x).dtype.type(slope)).astype(h.dtype))


def prelu_backward(h: Array, x: Array, weight: Array) -> tuple[Array, Array]:
    """Of the input and of the weight, which is not yet summed to its shape."""
    return prelu_backward_of_input(h, x, weight), prelu_backward_of_weight(h, x)


def prelu_backward_of_input(h: Array, x: Array, weight: Array) -> Array:
    return either(x > 0, h, h * weight)


def prelu_backward_of_weight(h: Array, x: Array) -> Array:
    return only(h * x, ~(x > 0))


@register(compiled.gelu_tanh_backward)
def gelu_tanh_backward(h: Array, x: Array) -> Array:
    return _finished(h * gelu_tanh_curve(in_single(x)), h, x)


@register(compiled.silu_backward)
def silu_backward(h: Array, x: Array) -> Array:
    """By the derivative ``s * (1 + x * (1 - s))``, s the sigmoid of x."""
    wide = in_single(x)
    curve = np.reciprocal(np.exp(-wide) + 1)
    return np.multiply(((1 - curve) * wide + 1) * curve, h, out=...)


@register(compiled.mish_backward)
def mish_backward(h: Array, x: Array) -> Array:
    """By the derivative ``t + x * s * (1 - t * t)``, t the hyperbolic tangent of softplus and s the sigmoid of x."""
    wide = in_single(x)
    out, power = tanh_of_softplus(wide)
    return _finished(h * (out + (1 - out * out) * wide * power / (power + 1)), h, x)
