"""The derivatives of activation functions as ops of their own, as PyTorch has them: a gradient's graph names them and keeps what
they do. ``h`` is the function's cotangent; their rules give every further order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import activation_backward as k
from ..backend import activations
from ..backend.numpy import in_single
from ..kernels import register, sweeps
from .rule_functions import conj, is_complex, underivable
from .table import arrays, op

for _name, _kernel in (("hardshrink_backward", k.shrink_backward), ("softshrink_backward", k.shrink_backward)):
    op(_name, _kernel, node=_name.split("_")[0].capitalize() + "BackwardBackward0", kind="elementwise",
       h=lambda g, xp, x, limit: xp.hardshrink_backward(g, x, limit), x=lambda xp, x: xp.zeroed(x))  # fmt: skip


@register(sweeps.gelu_backward)
def _gelu_erf_backward(h: Any, x: Any) -> Any:
    if activations.by_quotient(x):
        slope = activations.gelu_backward(x)
        return np.multiply(h, slope, out=slope if h.shape == x.shape and h.dtype is x.dtype else ...)
    wide = in_single(x)
    below, density = 0.5 * (1 + arrays.erf(wide * math.sqrt(0.5))), np.exp(-0.5 * wide * wide)
    out = h * (below + wide * density * (1 / math.sqrt(2 * math.pi)))
    return out if wide is x else out.astype(x.dtype)


op("threshold_backward", k.threshold_backward, node="ThresholdBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x, limit: xp.threshold_backward(g, x, limit), x=lambda xp, x: xp.zeroed(x))  # fmt: skip
op("hardtanh_backward", k.hardtanh_backward, node="HardtanhBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x, low, high: xp.hardtanh_backward(g, x, low, high), x=lambda xp, x: xp.zeroed(x))  # fmt: skip
op("leaky_relu_backward", k.leaky_relu_backward, node="LeakyReluBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x, slope: xp.leaky_relu_backward(g, x, slope), x=lambda xp, x: xp.zeroed(x))  # fmt: skip
op("rrelu_noise_backward", lambda h, x, noise: h * noise, node="RreluWithNoiseBackwardBackward0", inputs="noise",
   h=lambda g, xp, x, noise: xp.rrelu_noise_backward(g, x, noise), x=lambda xp, x: xp.zeroed(x))  # fmt: skip
op("hardsigmoid_backward", k.hardsigmoid_backward, node="NotImplemented", kind="elementwise",
   h=lambda g: underivable("hardsigmoid_backward"), x=lambda g: underivable("hardsigmoid_backward"))  # fmt: skip
op("hardswish_backward", k.hardswish_backward, node="HardswishBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x: xp.hardswish_backward(g, x),
   x=lambda g, xp, h, x: xp.only(g * h / 3, (x > -3) & (x < 3)))  # fmt: skip
op("elu_backward", k.elu_backward, node="EluBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x, alpha, scale, input_scale: xp.elu_backward(g, x, alpha, scale, input_scale),
   x=lambda g, xp, h, x, alpha, scale, input_scale: xp.elu_backward(
       g * h * input_scale, x, alpha, scale, input_scale) * (x < 0))  # fmt: skip
op("softplus_backward", k.softplus_backward, node="SoftplusBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x, beta, threshold: xp.softplus_backward(g, x, beta, threshold),
   x=lambda g, xp, h, x, beta, threshold: xp.sigmoid_backward(g * h, xp.sigmoid(x * beta)) * (
       x * beta < threshold) * beta)  # fmt: skip
op("log_sigmoid_backward", k.log_sigmoid_backward, node="LogSigmoidBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x: xp.log_sigmoid_backward(g, x), x=lambda g, xp, h, x: _log_sigmoid_curve(g * h, xp.sigmoid(x)))  # fmt: skip
op("gelu_erf_backward", lambda h, x: _gelu_erf_backward(h, x), node="GeluBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x: xp.gelu_erf_backward(g, x),
   x=lambda g, xp, h, x: g * h * (xp.exp(-0.5 * x * x) * (2 - x * x) * (1 / math.sqrt(2 * math.pi))))  # fmt: skip
op("gelu_tanh_backward", k.gelu_tanh_backward, node="GeluBackwardBackward0", kind="elementwise",
   h=lambda g, xp, x: xp.gelu_tanh_backward(g, x), x=lambda g, xp, h, x: g * h * _gelu_tanh_curve(xp, x))  # fmt: skip
op("glu_backward", k.glu_backward, node="GluBackwardBackward0",
   h=lambda g, xp, x, axis: _glu_double_backward(g, xp, x, axis),
   x=lambda g, xp, h, x, axis: _glu_curve(g, xp, h, x, axis))  # fmt: skip
op("prelu_backward", k.prelu_backward, outputs="of_input of_weight", inputs="h x weight", node="PreluKernelBackwardBackward0",
   joint=lambda g, xp, h, x, weight, needs: _prelu_curves(g, xp, h, x, weight))  # fmt: skip


# Second derivatives.


def _log_sigmoid_curve(g: Any, curve: Any) -> Any:
    return g * (curve - 1) * curve


def _gelu_tanh_curve(xp: Any, x: Any) -> Any:
    factor = math.sqrt(2 / math.pi)
    curve = xp.tanh(factor * (x + 0.044715 * x * x * x))
    slope, bend = factor * (1 + 3 * 0.044715 * x * x), factor * 6 * 0.044715 * x
    return (1 - curve * curve) * (slope + 0.5 * x * (bend - 2 * curve * slope * slope))


def _halves(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    half = x.shape[axis] // 2
    return xp.slice(x, axis, 0, half, 1), xp.slice(x, axis, half, 2 * half, 1)


def _glu_double_backward(g: Any, xp: Any, x: Any, axis: int) -> Any:
    """The transpose of glu_backward in the cotangent."""
    (first, second), (g_first, g_second) = _halves(xp, x, axis), _halves(xp, g, axis)
    gate = xp.sigmoid(second)
    return g_first * gate + g_second * first * gate * (1 - gate)


def _glu_curve(g: Any, xp: Any, h: Any, x: Any, axis: int) -> Any:
    (first, second), (g_first, g_second) = _halves(xp, x, axis), _halves(xp, g, axis)
    gate = xp.sigmoid(second)
    slope = h * gate * (1 - gate)
    return xp.concat([g_second * slope, slope * (g_first + g_second * first * (1 - 2 * gate))], axis)


def _prelu_curves(g: list[Any], xp: Any, h: Any, x: Any, weight: Any) -> tuple[Any, Any, Any]:
    for_input, for_weight = g
    negative = x <= 0
    by_cotangent = None if for_input is None else xp.where(x > 0, for_input, for_input * weight)
    if for_weight is not None:
        part = xp.only(for_weight * x, negative)
        by_cotangent = part if by_cotangent is None else by_cotangent + part
    by_input, by_weight = (xp.zeroed(h) if one is None else xp.only(one * h, negative) for one in (for_weight, for_input))
    return by_cotangent, by_input, by_weight


# Slopes that PyTorch composes where a gradient is to be differentiated.


def silu_backward(g: Any, xp: Any, x: Any) -> Any:
    if is_complex(x):
        curve = xp.sigmoid(x)
        return g * conj(curve * (1 + x * (1 - curve)))
    if xp is arrays:
        return k.silu_backward(g, x)
    curve = xp.sigmoid(x)
    slope = xp.plus(x * xp.sub(1, curve), 1)  # PyTorch records it before g * curve: the order of the next pass
    return g * curve * slope


def mish_backward(g: Any, xp: Any, x: Any) -> Any:
    if xp is arrays:
        return k.mish_backward(g, x)
    curve = xp.tanh(xp.log1p(xp.exp(x)))
    return g * (curve + x * xp.sigmoid(x) * xp.sub(1, curve * curve))


def prelu_backward(g: Any, xp: Any, x: Any, weight: Any, needs: tuple[bool, bool]) -> tuple[Any, Any]:
    if xp is not arrays:
        of_input, of_weight = xp.prelu_backward(g, x, weight)
        return of_input, of_weight
    return (
        k.prelu_backward_of_input(g, x, weight) if needs[0] else None,
        k.prelu_backward_of_weight(g, x) if needs[1] else None,
    )
