"""Compiled kernels that go over arrays once, number by number. They take float32 and float64 that lie in order,
and many numbers of two bytes by way of float32.

A slope is the derivative at ``x`` (of sigmoid and tanh, where the value is ``y``) times the cotangent ``h``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..base.type_limits import HELD_BY_FLOATS
from . import native
from .half_precision import Array, by_single

_COPIED = 1 << 6  # numbers: fewer are sooner copied, and worked on in place, than shape and dtype asked for, and two buffers


def _function(name: str) -> Callable[..., Array | None]:
    loop: Callable[..., bool] | None = getattr(native, name, None)

    def kernel(x: Array, *numbers: float) -> Array | None:
        if loop:  # which looks at how they lie and of what dtype they are
            if x.size < _COPIED:
                out = seen = x.copy("K")
            else:
                out, seen = np.empty(x.shape, x.dtype), x
            if loop(out, seen, *numbers) if numbers else loop(out, seen):
                return out
            if x.dtype.char in "fd" and not x.flags.c_contiguous and 1 not in x.shape and 0 not in x.strides:
                out = x.copy("K")  # of slices, say, on which it is worked in place
                line = out.reshape(-1, order="A")
                if out.flags.forc and loop(line, line, *numbers):
                    return out
        return by_single(kernel, x, *numbers) if x.dtype.itemsize == 2 else None

    return kernel


def _backward(name: str) -> Callable[..., Array | None]:
    loop: Callable[..., bool] | None = getattr(native, name, None)

    def kernel(h: Array, x: Array, *numbers: float) -> Array | None:
        if loop and h.shape == x.shape:
            out = np.empty(x.shape, x.dtype)
            if loop(out, x, h, *numbers) if numbers else loop(out, x, h):
                return out
            if 0 in h.strides and loop(out, x, h.copy("C"), *numbers):  # as a sum's cotangent is, one number everywhere
                return out
        in_steps = name == "log_sigmoid_backward" or (name == "sigmoid_backward" and x.dtype.char == "e")  # PyTorch rounds each
        return by_single(kernel, h, x, *numbers) if x.dtype.itemsize == 2 and not in_steps else None

    return kernel


gelu, gelu_backward = _function("gelu"), _backward("gelu_backward")
gelu_tanh, gelu_tanh_backward = _function("gelu_tanh"), _backward("gelu_tanh_backward")
silu, silu_backward = _function("silu"), _backward("silu_backward")
mish, mish_backward = _function("mish"), _backward("mish_backward")
sigmoid, sigmoid_backward = _function("sigmoid"), _backward("sigmoid_backward")
tanh, tanh_backward = _function("tanh"), _backward("tanh_backward")
erf, erfinv, erfc = _function("erf"), _function("erfinv"), _function("erfc")
leaky_relu, leaky_relu_backward = _function("leaky_relu"), _backward("leaky_relu_backward")
_log_sigmoid, log_sigmoid_backward = _function("log_sigmoid"), _backward("log_sigmoid_backward")
hardtanh, hardtanh_backward = _function("hardtanh"), _backward("hardtanh_backward")
hardsigmoid, hardswish = _function("hardsigmoid"), _function("hardswish")
hardswish_backward, shrink_backward = _backward("hardswish_backward"), _backward("shrink_backward")
relu_backward = _backward("relu_backward")
softshrink, hardshrink, sign = _function("softshrink"), _function("hardshrink"), _function("sign")
_relu, _elu, _elu_backward = _function("relu"), _function("elu"), _backward("elu_backward")
_softplus, _softplus_backward = _function("softplus"), _backward("softplus_backward")
_hardsigmoid_backward, _threshold_backward = _backward("hardsigmoid_backward"), _backward("threshold_backward")

threshold, _log1p = _function("threshold"), _function("log1p")
_hypot, _nan_to_num = _backward("hypot"), _function("nan_to_num")
_lgamma = _function("lgamma")
_fmod_number, _remainder_number = _function("fmod_number"), _function("remainder_number")

_ONE_STEP = 1 << 12  # numbers: of fewer NumPy's one function for it takes less time than a call does
_BOUNDS = (float, int, type(None))
_STEEP = 80.0  # from here on exp is infinite, in single precision
_SIXTH = float(np.float32(1 / 6))


def log_sigmoid(x: Array) -> Array | None:
    """In rows, however ``x`` lies, as in PyTorch."""
    return _log_sigmoid(x if x.flags.c_contiguous else x.copy("C"))


def relu(x: Array) -> Array | None:
    return _relu(x) if x.size >= _ONE_STEP else None


def clamp(x: Array, low: object, high: object, /) -> Array | None:
    """What hardtanh is, where floats of any size hold the bounds; one that is None is infinite."""
    if x.size < _ONE_STEP or low.__class__ not in _BOUNDS or high.__class__ not in _BOUNDS:
        return None
    for bound in (low, high):
        if bound is not None and not (-HELD_BY_FLOATS <= bound <= HELD_BY_FLOATS or abs(bound) == math.inf):
            return None
    return hardtanh(x, -math.inf if low is None else low, math.inf if high is None else high)


_HYPOT_FROM = 1 << 6  # numbers, the same


def hypot(a: Array, b: Array) -> Array | None:
    return _hypot(b, a) if a.size >= _HYPOT_FROM else None


def log1p(x: Array) -> Array | None:
    return _log1p(x) if x.size >= _HYPOT_FROM and x.dtype.char == "f" else None


def lgamma(x: Array) -> Array | None:
    """Of normal numbers above 0."""
    if x.dtype.char not in "fd" or not x.size or not x.min() >= np.finfo(x.dtype).tiny:
        return None
    return _lgamma(x)


def without_nan(x: Array) -> Array | None:
    return _nan_to_num(x, 0.0, math.inf, -math.inf) if x.size >= _HYPOT_FROM and x.dtype.char in "fd" else None


def prelu(x: Array, weight: Array) -> Array | None:
    return leaky_relu(x, weight.item()) if weight.size == 1 and weight.ndim <= x.ndim and weight.dtype is x.dtype else None


def nan_to_num(x: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array | None:
    if x.size < _ONE_STEP or x.dtype.char not in "fd":
        return None
    largest = float(np.finfo(x.dtype).max)
    high, low = (far if given is None else given for far, given in ((largest, posinf), (-largest, neginf)))
    return _nan_to_num(x, 0.0 if nan is None else nan, high, low)


def _halves(x: Array, axis: int) -> int:
    """How long a half of each line is along which ``x`` is cut in two; 0 where its numbers are not taken."""
    if native is None or x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return 0
    return math.prod(x.shape[axis:]) // 2


def glu(x: Array, axis: int) -> Array | None:
    width = _halves(x, axis)
    if native is None or not width:
        return None
    out = np.empty((*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :]), x.dtype)
    return out if native.glu(out, x, width) else None


def glu_backward(h: Array, x: Array, axis: int) -> Array | None:
    width = _halves(x, axis)
    if native is None or not width or h.dtype is not x.dtype:
        return None
    out = np.empty(x.shape, x.dtype)
    return out if native.glu_backward(out, x, np.ascontiguousarray(h), width) else None


def elu(x: Array, alpha: float, scale: float, input_scale: float) -> Array | None:
    return _elu(x, alpha * scale, scale, input_scale)


def elu_backward(h: Array, x: Array, alpha: float, scale: float, input_scale: float) -> Array | None:
    return _elu_backward(h, x, alpha * scale * input_scale, scale, input_scale)


def softplus(x: Array, beta: float, threshold: float) -> Array | None:
    return _softplus(x, beta, threshold) if threshold < _STEEP else None


def softplus_backward(h: Array, x: Array, beta: float, threshold: float) -> Array | None:
    return _softplus_backward(h, x, beta, threshold) if threshold < _STEEP else None


def hardsigmoid_backward(h: Array, x: Array) -> Array | None:
    return _hardsigmoid_backward(h, x, _SIXTH)


def threshold_backward(h: Array, x: Array, limit: float) -> Array | None:
    return _threshold_backward(h, x, complex(limit).real)


def _of_two(name: str) -> Callable[..., Array | None]:
    slope = _backward(name)
    return lambda a, b, *numbers: slope(b, a, *numbers)


_fmod, _remainder = _of_two("fmod"), _of_two("remainder")
_logaddexp, _logaddexp2 = _of_two("logaddexp"), _of_two("logaddexp2")
_smooth_l1, _smooth_l1_backward = _of_two("smooth_l1"), _of_two("smooth_l1_backward")
huber, huber_backward = _of_two("huber"), _of_two("huber_backward")


def smooth_l1(a: Array, b: Array, beta: float) -> Array | None:
    return _smooth_l1(a, b, beta) if beta else None


def smooth_l1_backward(a: Array, b: Array, beta: float, factor: float) -> Array | None:
    return _smooth_l1_backward(a, b, beta, factor) if beta else None


def _are_taken(a: Array, b: Array) -> bool:
    """Not those that meet otherwise than number by number."""
    return a.dtype is b.dtype and a.dtype.char in "fd" and a.size >= _HYPOT_FROM


def logaddexp(a: Array, b: Array) -> Array | None:
    return _logaddexp(a, b) if _are_taken(a, b) else None


def logaddexp2(a: Array, b: Array) -> Array | None:
    return _logaddexp2(a, b) if _are_taken(a, b) else None


def _rest(a: Array, b: Array, of_two: Callable[..., Array | None], by_number: Callable[..., Array | None]) -> Array | None:
    if not _are_taken(a, b):
        return None
    return of_two(a, b) if b.ndim else by_number(a, b.item())


def fmod(a: Array, b: Array) -> Array | None:
    return _rest(a, b, _fmod, _fmod_number)


def remainder(a: Array, b: Array) -> Array | None:
    return _rest(a, b, _remainder, _remainder_number)
