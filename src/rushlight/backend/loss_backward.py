"""Kernels of the derivatives of loss functions: ``h``, the loss's cotangent, times the slope of the loss."""

from __future__ import annotations

import numpy as np

from ..base.errstate import silent
from ..kernels import register, sweeps
from ..kernels.half_precision import is_half
from .bits import either
from .choice import clamp
from .embedding import one_hot
from .numpy import Array, in_single
from .reduce import divide_by


def parts(x: Array, reduction: str) -> int:
    """What the mean divides by."""
    return x.size or 1 if reduction == "mean" else 1


def _times(h: Array, slope: Array) -> Array:
    return np.multiply(h, slope, order="C", out=...)


def _scaled(slope: Array, factor: float) -> Array:
    return np.asarray(slope * factor, slope.dtype)


def _off(a: Array, b: Array) -> Array:
    return np.subtract(a, b, order="C", out=...)


def mse_loss_backward(h: Array, a: Array, b: Array, reduction: str) -> Array:
    if is_half(a):  # PyTorch rounds each step
        return _times(_off(a, b) * np.asarray(2 / parts(a, reduction)).astype(a.dtype), h)
    return _times(h, _scaled(_off(a, b), 2 / parts(a, reduction)))


@register(sweeps.smooth_l1_backward)
def smooth_l1_derivative(a: Array, b: Array, beta: float, factor: float) -> Array:
    """Of each pair of numbers, times a factor."""
    return _scaled(clamp(np.asarray(_off(a, b) / beta), -1.0, 1.0), factor)


@register(sweeps.huber_backward)
def huber_derivative(a: Array, b: Array, delta: float, factor: float) -> Array:
    """Of each pair of numbers, times a factor."""
    return _scaled(clamp(_off(a, b), -delta, delta), factor)


def smooth_l1_loss_backward(h: Array, a: Array, b: Array, reduction: str, beta: float) -> Array:
    if is_half(a):  # rounded once
        h, a, b, dtype = in_single(h), in_single(a), in_single(b), a.dtype
        off, share = _off(a, b), h * np.float32(1 / parts(a, reduction))
        return either(np.abs(off) >= beta, np.sign(off) * share, off * share / beta).astype(dtype)
    return _times(h, smooth_l1_derivative(a, b, beta, 1 / parts(a, reduction)))


def huber_loss_backward(h: Array, a: Array, b: Array, reduction: str, delta: float) -> Array:
    if is_half(a):  # PyTorch rounds each step, but for delta
        off, share = _off(a, b), np.asarray(1 / parts(a, reduction)).astype(a.dtype)
        side, wide = np.sign(off), in_single(off)
        line = (in_single(side * share * h) * delta).astype(a.dtype)
        return _times(either(np.abs(wide) >= delta, line, share * off * h), a.dtype.type(1))
    return _times(h, huber_derivative(a, b, delta, 1 / parts(a, reduction)))


def binary_cross_entropy_backward(
    h: Array, x: Array, target: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    width = np.maximum((1 - x) * x, x.dtype.type(1e-12))
    if is_half(x):
        slope = h * (x - target) / width
        return _divided(slope if weight is None else slope * weight, x, reduction)
    return _times(h if weight is None else h * weight, np.asarray((x - target) / width / parts(x, reduction), x.dtype))


def _divided(slope: Array, x: Array, reduction: str) -> Array:
    """A slope of numbers of two bytes over what the mean divides by."""
    return divide_by(slope, parts(x, reduction)) if reduction == "mean" else slope


def wrong_side(x: Array, target: Array) -> Array:
    """``exp(-target * x)``, which half precision rounds twice."""
    with silent():
        margin = (in_single(target) * -in_single(x)).astype(x.dtype)  # targets may be bools or bytes
        rounded: Array = np.exp(in_single(margin)).astype(x.dtype)
        return rounded


def soft_margin_loss_backward(h: Array, x: Array, target: Array, reduction: str) -> Array:
    z = wrong_side(x, target)  # where it is infinite the gradient is nan, as in PyTorch
    with silent():
        return h * (target * z * x.dtype.type(-1 / parts(x, reduction)) / (z + x.dtype.type(1)))


def multi_margin_loss_backward(
    h: Array, x: Array, target: Array, weight: Array | None = None, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Array:
    wide, right = in_single(x), one_hot(target, x.shape[1]) == 1
    excess = margin - (np.take_along_axis(wide, target[:, None], 1) if x.size else wide[:, :0].sum(1, keepdims=True)) + wide
    step = wide.dtype.type(1 / (x.size or 1 if reduction == "mean" else x.shape[1]))
    slope = np.where((excess > 0) & ~right, 2 * step * excess if p == 2 else step, wide.dtype.type(0))
    if weight is not None:
        slope = slope * in_single(weight)[target][:, None]
    slope = np.where(right, wide.dtype.type(0) - slope.sum(1, keepdims=True), slope)
    return (slope * (in_single(h)[:, None] if reduction == "none" else in_single(h))).astype(x.dtype)
