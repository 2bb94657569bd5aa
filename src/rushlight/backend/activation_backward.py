"""Kernels of the derivatives of activation functions: ``h``, the function's cotangent, times its slope at ``x``."""

from __future__ import annotations

import functools

import numpy as np

from ..kernels import register
from ..kernels import sweeps as compiled
from .activations import gelu_tanh_curve, tanh_of_softplus
from .bits import either
from .blockwise import SPREAD, Call, filled, run, spread
from .numpy import Array, in_single, laid_out, number
from .pointwise import is_not_zero, only, sigmoid

_SIXTH = float(np.float32(1 / 6))  # in single precision also where the rest is in double, as in PyTorch


def _finished(out: Array, h: Array, x: Array) -> Array:
    """The result in the dtype of the cotangent and, as in PyTorch, in its order."""
    if out.dtype is not h.dtype:
        out = out.astype(h.dtype)
    if x.ndim > 1 and not (h.flags.c_contiguous and x.flags.c_contiguous):
        out = laid_out(out, (h, x))
    return out


def _times(h: Array, slope: Array) -> Array:
    """``h * slope``, written over the slope where that is possible: it is nobody else's."""
    fits = slope.__class__ is np.ndarray and h.shape == slope.shape and h.itemsize <= slope.itemsize
    return spread(np.multiply, h, slope, into=slope if fits and h.dtype is slope.dtype else None)


def softplus_backward(h: Array, x: Array, beta: float, threshold: float) -> Array:
    scaled = in_single(x) * beta
    power = spread(np.exp, scaled)
    above = power + 1
    out = _times(h, power)
    out /= above
    linear = scaled > threshold
    return _finished(either(linear, h, out) if linear.any() else out, h, x)


def elu_backward(h: Array, x: Array, alpha: float, scale: float, input_scale: float) -> Array:
    wide, factor = in_single(x), alpha * scale * input_scale
    out = spread(np.exp, np.fmin(wide, 0) * input_scale)
    out = _times(h if factor == 1 else in_single(h) * factor, out)
    if factor != scale:  # else it is the slope from 0 on too
        out = either(wide <= 0, out, h * scale)
    return _finished(out, h, x)


def hardswish_backward(h: Array, x: Array) -> Array:
    wide = in_single(x)
    slope = wide / 3
    slope += 0.5
    slope = either(wide < 3, _times(h, slope), h)
    return _finished(only(slope, ~(wide <= -3)), h, x)


def log_sigmoid_backward(h: Array, x: Array) -> Array:
    return h * sigmoid(-x)


def glu_backward(h: Array, x: Array, axis: int) -> Array:
    half, before = x.shape[axis] // 2, (slice(None),) * axis
    lower, upper = (*before, slice(half)), (*before, slice(half, None))
    first, gate, out = x[lower], sigmoid(x[upper]), np.empty(x.shape, x.dtype)
    np.multiply(h, gate, out[lower])
    np.multiply(h * first * gate, 1 - gate, out[upper])
    return out


def hardsigmoid_backward(h: Array, x: Array) -> Array:
    return _finished(only(in_single(h) * _SIXTH, np.abs(x) < 3), h, x)


def hardtanh_backward(h: Array, x: Array, low: float, high: float) -> Array:
    return only(h, (x > low) & (x < high))


def shrink_backward(h: Array, x: Array, limit: float) -> Array:
    """Of hardshrink and softshrink."""
    return only(h, ~(np.abs(x) <= x.dtype.type(limit)))  # nan lets the gradient pass


def threshold_backward(h: Array, x: Array, limit: float) -> Array:
    return only(h, ~(x <= complex(limit).real))


def leaky_relu_backward(h: Array, x: Array, slope: float) -> Array:
    if 0 <= slope <= 1 and x.ndim and h.shape == x.shape:
        if x.size >= SPREAD and h.dtype is x.dtype:
            out = run(functools.partial(_leaky_backward_steps, np.asarray(slope, x.dtype)), x, h)
            if out is not None:
                return out
        factor = (x > 0).astype(h.dtype)
        np.maximum(factor, h.dtype.type(slope), out=factor)
        return np.multiply(factor, h, factor)
    return either(x > 0, h, h * h.dtype.type(slope))


def _leaky_backward_steps(slope: Array, call: Call, out: Array, x: Array, h: Array) -> None:
    call(np.fmax, out, x, number(0, x.dtype))  # of nan 0
    mask = is_not_zero(call, out, out)
    low = slope.view(mask.dtype)
    call(np.multiply, mask, mask, np.subtract(np.ones((), x.dtype).view(mask.dtype), low, out=...))
    call(np.add, mask, mask, low)  # the bits of the slope, or of 1
    call(np.multiply, out, out, h)


def prelu_backward(h: Array, x: Array, weight: Array) -> tuple[Array, Array]:
    """Of the input and of the weight, which is not yet summed to its shape."""
    return prelu_backward_of_input(h, x, weight), prelu_backward_of_weight(h, x)


def prelu_backward_of_input(h: Array, x: Array, weight: Array) -> Array:
    return either(x > 0, h, h * weight)


def prelu_backward_of_weight(h: Array, x: Array) -> Array:
    return only(h * x, ~(x > 0))


@register(compiled.gelu_tanh_backward)
def gelu_tanh_backward(h: Array, x: Array) -> Array:
    return _finished(_times(h, gelu_tanh_curve(in_single(x))), h, x)


@register(compiled.silu_backward)
def silu_backward(h: Array, x: Array) -> Array:
    return spread(np.multiply, filled(_silu_curve_steps, in_single(x)), h)


def _silu_curve_steps(call: Call, out: Array, x: Array) -> None:
    """The derivative: ``s * (1 + x * (1 - s))`` with s the sigmoid of x."""
    one, curve = number(1, x.dtype), np.empty_like(x)
    call(np.negative, curve, x)
    call(np.exp, curve, curve)
    call(np.add, curve, curve, one)
    call(np.reciprocal, curve, curve)
    call(np.subtract, out, one, curve)
    call(np.multiply, out, out, x)
    call(np.add, out, out, one)
    call(np.multiply, out, out, curve)


@register(compiled.mish_backward)
def mish_backward(h: Array, x: Array) -> Array:
    return _finished(_times(h, filled(_mish_curve_steps, in_single(x))), h, x)


def _mish_curve_steps(call: Call, out: Array, x: Array) -> None:
    """The derivative: ``t + x * s * (1 - t * t)`` with t the hyperbolic tangent of softplus, s the sigmoid of x."""
    one, power, curve = number(1, x.dtype), np.empty_like(x), np.empty_like(x)
    tanh_of_softplus(call, out, power, x)
    call(np.multiply, curve, out, out)
    call(np.subtract, curve, one, curve)
    call(np.multiply, curve, curve, x)
    call(np.multiply, curve, curve, power)
    call(np.add, power, power, one)
    call(np.divide, curve, curve, power)
    call(np.add, out, out, curve)
