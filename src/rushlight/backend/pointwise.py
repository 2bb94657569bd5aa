"""Kernels of pointwise ops that NumPy does not have under the same meaning."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errstate import silent
from ..kernels import arithmetic, half_precision, register
from ..kernels import sweeps as compiled
from . import numpy as backend
from .arithmetic import complex_sum, negative, subtract
from .array_dtypes import floating, refuse
from .bits import only, zero_of
from .numpy import Array, empty_like, is_float8, real_part, rounded_once, within_float8

divide = np.true_divide


def zeroed(x: Any) -> Array:
    """Zeros in the shape and dtype of ``x``: the derivative of a function that is constant between its steps."""
    return np.zeros(x.shape, x.dtype)


# Signs and steps.


def absolute(x: Array) -> Array:
    if x.dtype.kind == "b":
        refuse("abs_cpu", x)
    if x.dtype.kind == "V":
        return np.bitwise_and(x.view(np.uint16), np.uint16(0x7FFF), out=...).view(x.dtype)
    return np.absolute(x, out=...)


def sgn(x: Array) -> Array:
    """The sign; of a complex number, the number of modulus one (or zero) in its direction."""
    if x.dtype.kind == "c":
        size = np.absolute(x)
        out = empty_like(x, x.dtype)
        out[...] = 0
        np.divide(x.real, size, out.real, where=size != 0)
        np.divide(x.imag, size, out.imag, where=size != 0)
        return out
    return sign(x)


@register(compiled.sign)
def sign(x: Array) -> Array:
    kind = x.dtype.kind
    if kind == "b":
        return backend.copied(x, x.dtype)
    if kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    if kind in "iu":
        return np.sign(x, out=...)
    # nan has sign 0 here.
    return ((x > 0).view(np.int8) - (x < 0).view(np.int8)).astype(x.dtype)


def signbit(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    return np.signbit(x, out=...) if x.dtype.kind in "fV" else np.less(x, 0, out=...)


def _step(ufunc: np.ufunc, name: str) -> Any:
    def kernel(x: Array) -> Array:
        kind = x.dtype.kind
        if kind in "fV":
            return ufunc(x, out=...)
        if kind == "c" and ufunc is not np.rint:
            raise NotImplementedError(f"{ufunc.__name__} is not supported for complex inputs")
        if kind in "bc":
            refuse(name, x)
        return backend.copied(x, x.dtype)

    kernel.__name__ = ufunc.__name__
    return kernel


floor = _step(np.floor, "floor_vml_cpu")
ceil = _step(np.ceil, "ceil_vml_cpu")
rint = _step(np.rint, "round_vml_cpu")
trunc = _step(np.trunc, "trunc_vml_cpu")


@rounded_once
def round_decimals(x: Array, decimals: int) -> Array:
    if x.dtype.kind not in "fV":
        refuse("round_cpu", x)
    scale = x.dtype.type(10.0 ** abs(decimals))
    return np.asarray(np.rint(x * scale) / scale if decimals >= 0 else np.rint(x / scale) * scale)


def frac(x: Array) -> Array:
    if x.dtype.kind not in "fV":
        refuse("frac_cpu", x)
    return np.subtract(x, np.trunc(x), out=...)


# Exponentials and circular functions.


@register(compiled.sigmoid)
def sigmoid(x: Array) -> Array:
    return _sigmoid(floating(x))


@rounded_once
def _sigmoid(x: Array) -> Array:
    # Of a complex number the reciprocal has the other sign of zero.
    return np.true_divide(1, np.exp(np.negative(x)) + 1, out=...)


def logit(x: Array, eps: float | None) -> Array:
    if x.dtype.kind == "c":
        refuse("logit_cpu", x)
    x = floating(x)
    if eps is not None:
        one = x.dtype.type(1)
        x = np.where(x < eps, x.dtype.type(eps), np.where(x > 1 - eps, one - x.dtype.type(eps), x))
    return np.log(x / (1 - x), out=...)


@register(compiled.tanh)
def tanh(x: Array) -> Array:
    return np.tanh(x, out=...)


@register(compiled.log1p)
def log1p(x: Array) -> Array:
    out = np.log1p(x, out=...)
    if x.dtype.kind == "c":
        out[np.isnan(x)] = complex("nan+nanj")  # also beside what is infinite
    return out


@register(compiled.relu)
def relu(x: Array) -> Array:
    if x.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    # A second operand is what NumPy returns of two zeros: -0.0 stays.
    zero = zero_of(x.dtype)
    return np.maximum(x, zero, out=...) if x.dtype.itemsize == 2 else np.maximum(zero, x, out=...)


def _conj(x: Array) -> Array:
    return x.conj() if x.dtype.kind in "cW" else x


@register(compiled.sigmoid_backward)
def sigmoid_backward(h: Array, y: Array) -> Array:
    """``h`` times the derivative of sigmoid where its value is ``y``."""
    if y.dtype.char == "e":  # PyTorch rounds each step
        return np.multiply(h * (1 - y), y, out=...)
    return _sigmoid_slope(h, y)


@rounded_once
def _sigmoid_slope(h: Array, y: Array) -> Array:
    return np.multiply(h, _conj((1 - y) * y), out=...)


@register(compiled.tanh_backward)
@rounded_once
def tanh_backward(h: Array, y: Array) -> Array:
    """``h`` times the derivative of tanh where its value is ``y``."""
    return np.multiply(h, _conj(1 - y * y), out=...)


@register(compiled.relu_backward)
def relu_backward(h: Array, y: Array) -> Array:
    """``h`` where relu's value ``y`` is above 0, or nan; one that was written to may be below."""
    return only(h, ~(y <= 0))


@rounded_once
def sinc(x: Array) -> Array:
    x = floating(x)
    angle = x * x.dtype.type(math.pi)
    with silent():
        return np.where(x == 0, x.dtype.type(1), np.sin(angle) / angle)


@rounded_once
def deg2rad(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("deg2rad is not supported for complex tensors.")
    x = floating(x)
    return np.multiply(x, x.dtype.type(math.pi / 180), out=...)


@rounded_once
def rad2deg(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("rad2deg is not supported for complex tensors.")
    x = floating(x)
    return np.multiply(x, x.dtype.type(180 / math.pi), out=...)


# Writing.


def filled(x: Array, value: Any) -> Array:
    return copied(x, np.asarray(value))


def copied(x: Array, source: Array) -> Array:
    """``source`` broadcast and cast to what ``x`` is."""
    result = np.empty(x.shape, x.dtype)
    np.copyto(result, real_if(source, x.dtype), casting="unsafe")
    return result


def real_if(x: Array, dtype: np.dtype[Any]) -> Array:
    """What ``dtype`` has room for: the real part; what is true is so by either part. Float8 types take the nearest they have."""
    if dtype.kind == "b" and x.dtype.kind in "W":
        return x.astype(np.complex64)  # ml_dtypes itself looks at the real part
    x = real_part(x) if x.dtype.kind in "cW" and dtype.kind not in "cbW" else x
    if x.dtype.char == "d" and dtype.char == "B":
        with silent():
            return x.astype(np.int64)  # NumPy goes by way of int32, which has no room for as many
    return within_float8(x, dtype) if is_float8(dtype) else x


# The ufunc that does what a kernel does, on floating arrays: it can write into its first operand.
FOR_COMPLEX: dict[Any, Callable[..., Array]] = {np.add: complex_sum}
"""What computes in place of a ufunc on complex numbers."""


def _of_two(name: str, ufunc: np.ufunc, compiled: Callable[[Array, Array], object]) -> Callable[[Array, Array], Array]:
    def kernel(a: Array, b: Array) -> Array:
        return ufunc(a, b, out=...)

    kernel.__name__ = name
    return register(compiled)(kernel)


def _of_one(name: str, ufunc: np.ufunc, compiled: Callable[[Array], object]) -> Callable[[Array], Array]:
    def kernel(x: Array) -> Array:
        return ufunc(x, out=...)

    kernel.__name__ = name
    return register(compiled)(kernel)


add_of_many = _of_two("add_of_many", np.add, arithmetic.add)
multiply_of_many = _of_two("multiply_of_many", np.multiply, arithmetic.multiply)
divide_of_many = _of_two("divide_of_many", np.true_divide, arithmetic.divide)
sqrt_of_halves = _of_one("sqrt_of_halves", np.sqrt, half_precision.sqrt)
exp_of_halves = _of_one("exp_of_halves", np.exp, half_precision.exp)
log_of_halves = _of_one("log_of_halves", np.log, half_precision.log)
FOR_MANY: dict[Callable[..., Array], Callable[..., Array]] = {
    np.add: add_of_many, np.multiply: multiply_of_many, np.true_divide: divide_of_many,
    np.sqrt: sqrt_of_halves, np.exp: exp_of_halves, np.log: log_of_halves,
}  # fmt: skip
"""What computes in place of a ufunc on many numbers, and on those of two bytes, which NumPy converts one after another."""


def of_many(kernel: Callable[..., Array]) -> Callable[..., Array]:
    return FOR_MANY[kernel]


def kernel_for(kernel: Callable[..., Any], first: Any) -> Callable[..., Any]:
    """What a kernel is for operands of the dtype of ``first``."""
    if kernel in FOR_MANY and (first.dtype.itemsize == 2 or (first.size > arithmetic.MANY and first.dtype.kind != "c")):
        return FOR_MANY[kernel]
    return FOR_COMPLEX[kernel] if kernel in FOR_COMPLEX and first.dtype.kind == "c" else kernel


IN_PLACE: dict[Any, np.ufunc] = {
    **{
        ufunc: ufunc
        for ufunc in (
            np.add, np.multiply, np.true_divide, np.sqrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10,
            np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.arcsinh,
            np.arccosh, np.arctanh,
        )
    },
    log1p: np.log1p,
    subtract: np.subtract,
    negative: np.negative,
    absolute: np.absolute,
    floor: np.floor,
    ceil: np.ceil,
    rint: np.rint,
    trunc: np.trunc,
}  # fmt: skip
