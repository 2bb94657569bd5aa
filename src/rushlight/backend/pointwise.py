"""Kernels of pointwise ops that NumPy does not have under the same meaning."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np

from ..base import dtypes
from ..kernels import register
from ..kernels import sweeps as compiled
from . import bits, pairs
from . import numpy as backend
from .fitting import fitting
from .numpy import Array, in_single

divide = np.true_divide
_ones = {char: np.ones((), char) for char in "fd"}
_zeros = {char: np.zeros((), char) for char in "fd"}
# Found faster than by way of the module.
_add, _divide, _exp, _maximum, _negative = np.add, np.divide, np.exp, np.maximum, np.negative


def refuse(name: str, x: Array) -> NoReturn:
    """Raises PyTorch's error for a kernel that does not exist for the dtype of ``x``."""
    raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.of(x.dtype).scalar_name}'")


def only(x: Array, mask: Array, zero: Array | None = None) -> Array:
    """``x`` where the mask is true, zero elsewhere (even where x is infinite or nan): PyTorch has a tensor of zeros for that."""
    kept = bits.kept(x, mask)
    return np.asarray(np.where(mask, x, zero_of(x.dtype))) if kept is None else kept


def zeroed(x: Any) -> Array:
    """Zeros in the shape and dtype of ``x``: the derivative of a function that is constant between its steps."""
    return np.zeros(x.shape, x.dtype)


def meeting(x: Array, value: Any) -> np.dtype[Any]:
    """The dtype in which a tensor's array and a Python number meet."""
    kind = x.dtype.kind
    if kind == "c" or (kind in "fV" and not isinstance(value, (complex, np.complexfloating))):
        return x.dtype
    own = (dtypes.of(x.dtype),)
    found = dtypes.result_dtype(own, (), (type(value),)) if x.ndim else dtypes.result_dtype((), own, (type(value),))
    return found.numpy


def common(*arrays: Any) -> np.dtype[Any]:
    """The dtype in which tensors' arrays meet; None among them is no tensor."""
    own = tuple(dtypes.of(array.dtype) for array in arrays if array is not None and array.ndim)
    scalars = tuple(dtypes.of(array.dtype) for array in arrays if array is not None and not array.ndim)
    return dtypes.result_dtype(own, scalars).numpy


def as_array(number: Any, dtype: np.dtype[Any]) -> Array:
    """A Python number as a 0-dim array; into integers it is cut off and wraps around, as in C."""
    if dtype.kind in "iu" and isinstance(number, (int, np.integer)):
        return np.asarray(int(number) & (2**64 - 1), np.uint64).astype(dtype)
    return np.asarray(number).astype(dtype)


def floating(x: Array) -> Array:
    """``x``, or its copy in the default floating dtype if it is of integers."""
    return x if x.dtype.kind in "fcV" else backend.copied(x, dtypes.get_default_dtype().numpy)


# Arithmetic.


def no_bool_difference(are_bool: list[bool]) -> None:
    if all(are_bool):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(are_bool):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def subtract(a: Array, b: Array) -> Array:
    if a.dtype.kind in "bc":
        if a.dtype.kind == "b":
            no_bool_difference([True, True])
        return _complex_sum(np.subtract, a, b, -1)
    if a.ndim + b.ndim > 4 and a.shape != b.shape:
        out = pairs.differences(a, b)
        if out is not None:
            return out
    return np.subtract(a, b, out=...)


def complex_sum(a: Array, b: Array) -> Array:
    """``a + b``: see :func:`_complex_sum`."""
    return _complex_sum(np.add, a, b, 1)


def _complex_sum(ufunc: np.ufunc, a: Array, b: Array, factor: Any) -> Array:
    """``a + factor * b``, multiplied out as PyTorch does: 1 is a complex number, so what is infinite becomes nan beside itself.

    ``ufunc``  gives the same where everything is finite, and 1 or -1 is the factor
    """
    out = ufunc(a, b, out=...)
    if not np.isfinite(out).all():
        out = np.add(a, np.multiply(b, b.dtype.type(factor)), out=...)
    return out


def subtract_from(x: Array, number: Any, alpha: Any = 1) -> Array:
    """``number - alpha * x``."""
    value = backend.number(number, x.dtype) if number.__class__ in (float, int) else None
    if value is None:
        no_bool_difference([x.dtype.kind == "b", isinstance(number, bool)])
        dtype = meeting(x, number)
        if x.dtype != dtype:
            wide = backend.like_first([x], dtype)
            wide[...] = x
            x = wide
        value = as_array(number, dtype)
    return subtract(value, x if alpha == 1 and alpha is not True else scaled(x, alpha))


def scaled(x: Array, alpha: Any) -> Array:
    """``alpha * x`` in the dtype of ``x``; the errors for an alpha that it cannot hold."""
    kind = x.dtype.kind
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if kind in "biu" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if kind != "c" and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return x if alpha == 1 else np.multiply(x, np.asarray(alpha).astype(x.dtype), out=...)


def add_scaled(a: Array, b: Array, alpha: Any) -> Array:
    return np.add(a, scaled(b, alpha), out=...)


def subtract_scaled(a: Array, b: Array, alpha: Any) -> Array:
    factor = scaled(b, alpha)
    return subtract(a, factor) if a.dtype.kind != "c" or alpha == 1 else np.asarray(np.subtract(a, factor))


def reverse_subtract_scaled(a: Array, b: Array, alpha: Any) -> Array:
    return subtract(b, scaled(a, alpha))


def negative(x: Array) -> Array:
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return np.negative(x, out=...)


def _no_zero(a: Array, b: Array) -> None:
    if b.dtype.kind in "iu" and a.size and not b.all():
        raise RuntimeError("ZeroDivisionError")


def floor_divide(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c" or a.dtype.kind == b.dtype.kind == "b":  # rules divide a mask by numbers
        refuse("div_floor_cpu", a)
    _no_zero(a, b)
    wide = _exact_quotients(a, b)
    if wide is not None:
        return np.floor(wide[0], out=...).astype(a.dtype)
    with np.errstate(all="ignore"):
        return np.floor_divide(a, b, out=...)


_MANY_QUOTIENTS = 256
_LARGEST_QUOTIENT = 1 << 24


def _exact_quotients(a: Array, b: Array) -> tuple[Array, Array, Array] | None:
    """Quotients of single-precision numbers in doubles, and both in doubles, if these tell every whole part and what it leaves:
    so much sooner (a tenth of the time) than NumPy takes the divisor off bit by bit. None for few, infinite or large ones."""
    if a.dtype != np.float32 or b.dtype != np.float32 or max(a.size, b.size) < _MANY_QUOTIENTS:
        return None
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        quotients = wide_a / wide_b
        exact = quotients.size > 0 and max(quotients.max(), -quotients.min()) < _LARGEST_QUOTIENT and np.isfinite(b).all()
    return (quotients, wide_a, wide_b) if exact else None


def _exact_rest(a: Array, b: Array, to_whole: np.ufunc) -> Array | None:
    """What quotients brought ``to_whole`` leave of ``a``, zeros with its sign, or None."""
    wide = _exact_quotients(a, b)
    if wide is None:
        return None
    quotients, wide_a, wide_b = wide
    rest = to_whole(quotients, quotients)
    rest *= wide_b
    np.subtract(wide_a, rest, rest)
    nothing = rest == 0
    if nothing.any():
        np.copysign(rest, wide_a, rest, where=nothing)
    return rest.astype(a.dtype)  # type: ignore[no-any-return]


def truncate_divide(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c" or a.dtype.kind == b.dtype.kind == "b":
        refuse("div_trunc_cpu", a)
    if a.dtype.kind not in "iu":
        return np.trunc(np.true_divide(a, b), out=...)
    _no_zero(a, b)
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, b)
        inexact = np.multiply(quotient, b) != a
        return np.asarray(quotient + ((quotient < 0) & inexact).astype(quotient.dtype))


def remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind in "bc":
        refuse("remainder_cpu", a)
    _no_zero(a, b)
    if a.dtype.kind in "iu":
        return np.remainder(a, b, out=...)
    exact = _exact_rest(a, b, np.floor)
    if exact is not None:
        return exact
    rest = np.asarray(np.fmod(a, b))
    # The sign of b; but a rest of zero keeps the sign of a.
    other_sign = (rest != 0) & ((b < 0) != (rest < 0))
    return bits.either(other_sign, np.add(rest, b, out=...), rest) if other_sign.any() else rest


def fmod(a: Array, b: Array) -> Array:
    if a.dtype.kind in "bc":
        refuse("fmod_cpu", a)
    _no_zero(a, b)
    exact = _exact_rest(a, b, np.trunc)
    return np.fmod(a, b, out=...) if exact is None else exact


def remainder_number(x: Array, other: Any) -> Array:
    dtype = meeting(x, other)
    return remainder(x.astype(dtype, copy=False), as_array(other, dtype))


def number_remainder(x: Array, number: Any) -> Array:
    dtype = meeting(x, number)
    return remainder(as_array(number, dtype), x.astype(dtype, copy=False))


def fmod_number(x: Array, other: Any) -> Array:
    dtype = meeting(x, other)
    return fmod(x.astype(dtype, copy=False), as_array(other, dtype))


# Powers.


def power(a: Array, b: Array) -> Array:
    """``a ** b``; an integer to a negative power is truncated."""
    if a.dtype.kind in "iu" and (b < 0).any():
        signs = np.where(b % 2 == 0, a.dtype.type(1), a)
        rare = np.where(a == 1, 1, np.where(a == -1, signs, 0)).astype(a.dtype)
        return np.where(b < 0, rare, np.power(a, np.maximum(b, 0)))
    if a.dtype.kind == "b":
        refuse("pow", a)
    result = np.power(a, b, out=...)
    if a.dtype.kind == "c":
        result[(a == 0) & (b == 0)] = complex("nan+nanj")  # exp(0 * log(0)), as in PyTorch
    return result


def power_number(x: Array, exponent: Any) -> Array:
    """``x ** exponent`` for a Python number, with the shortcuts for the powers everybody writes."""
    dtype = meeting(x, exponent)
    if x.dtype != dtype:
        x = x.astype(dtype)
    kind = dtype.kind
    if kind in "iu":
        if exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return np.power(x, as_array(exponent, dtype), out=...)
    if exponent == 2:
        return np.multiply(x, x, out=...)
    if exponent == 1:
        return x.copy()
    if exponent == 3:
        return np.multiply(x * x, x, out=...)
    if exponent == 0.5:
        return np.sqrt(x, out=...)
    if exponent == -1:
        return np.true_divide(dtype.type(1), x, out=...)
    if exponent == -2:
        return np.true_divide(dtype.type(1), x * x, out=...)
    if exponent == -0.5:
        return np.true_divide(dtype.type(1), np.sqrt(x), out=...)
    if kind == "b":
        return x | (not exponent)
    return np.power(x, np.asarray(exponent).astype(dtype), out=...)


def number_power(x: Array, base: Any) -> Array:
    """``base ** x`` for a Python number."""
    dtype = meeting(x, base)
    x = x.astype(dtype, copy=False)
    if dtype.kind in "biuc":
        return power(np.full(x.shape, as_array(base, dtype), dtype), x)
    return np.power(dtype.type(base), x, out=...)


def reciprocal(x: Array) -> Array:
    return np.true_divide(1, floating(x), out=...)


def rsqrt(x: Array) -> Array:
    wide = floating(x)
    return np.true_divide(1, np.sqrt(in_single(wide)), out=...).astype(wide.dtype, copy=False)


# Signs and steps.


def absolute(x: Array) -> Array:
    if x.dtype.kind == "b":
        refuse("abs_cpu", x)
    return np.absolute(x, out=...)


def sgn(x: Array) -> Array:
    """The sign; of a complex number, the number of modulus one (or zero) in its direction."""
    if x.dtype.kind == "c":
        size = np.absolute(x)
        out = np.zeros_like(x)
        np.divide(x.real, size, out.real, where=size != 0)
        np.divide(x.imag, size, out.imag, where=size != 0)
        return out
    return sign(x)


def sign(x: Array) -> Array:
    kind = x.dtype.kind
    if kind == "b":
        return x.copy()
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
        return x.copy()

    kernel.__name__ = ufunc.__name__
    return kernel


floor = _step(np.floor, "floor_vml_cpu")
ceil = _step(np.ceil, "ceil_vml_cpu")
rint = _step(np.rint, "round_vml_cpu")
trunc = _step(np.trunc, "trunc_vml_cpu")


def round_decimals(x: Array, decimals: int) -> Array:
    if x.dtype.kind not in "fV":
        refuse("round_cpu", x)
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    scale = wide.dtype.type(10.0 ** abs(decimals))
    rounded = np.rint(wide * scale) / scale if decimals >= 0 else np.rint(wide / scale) * scale
    return np.asarray(rounded).astype(x.dtype)


def frac(x: Array) -> Array:
    if x.dtype.kind not in "fV":
        refuse("frac_cpu", x)
    return np.subtract(x, np.trunc(x), out=...)


# Exponentials and circular functions.


@register(compiled.sigmoid)
def sigmoid(x: Array) -> Array:
    one = _ones.get(x.dtype.char)
    if one is None:
        return _sigmoid_of_others(floating(x))
    power = _negative(x, out=...)
    _exp(power, power)
    _add(power, one, power)
    return _divide(one, power, power)


def _sigmoid_of_others(x: Array) -> Array:
    if x.dtype.char in _ones:
        return sigmoid(x)
    if x.dtype.itemsize == 2:
        return sigmoid(x.astype(np.float32)).astype(x.dtype)
    # Of a complex number the reciprocal has the other sign of zero.
    return np.divide(1, np.exp(np.negative(x)) + 1, out=...)


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


@register(compiled.relu)
def relu(x: Array) -> Array:
    zero = _zeros.get(x.dtype.char)
    if zero is not None:
        return bounded(_maximum, zero, x)
    if x.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    # A second operand is what NumPy returns of two zeros: -0.0 stays.
    zero = zero_of(x.dtype)
    return _maximum(x, zero, out=...) if x.dtype.itemsize == 2 else bounded(_maximum, zero, x)


_LINE = 1 << 12


def bounded(ufunc: np.ufunc, bound: Array, x: Array) -> Array:
    """``ufunc(bound, x)``, np.maximum or np.minimum of a number and an array.

    NumPy compares many numbers with one of them one after another, with a line of it, again and again, in half the time.
    """
    if x.size < 4 * _LINE or not x.flags.c_contiguous:
        return ufunc(bound, x, out=...)  # type: ignore[no-any-return]
    out = np.empty(x.shape, x.dtype)
    flat, into = x.reshape(-1), out.reshape(-1)
    whole = x.size - x.size % _LINE
    ufunc(np.full(_LINE, bound), flat[:whole].reshape(-1, _LINE), out=into[:whole].reshape(-1, _LINE))
    ufunc(bound, flat[whole:], out=into[whole:])
    return out


@cache
def zero_of(dtype: np.dtype[Any]) -> Array:
    return np.zeros((), dtype)


def _conj(x: Array) -> Array:
    return x.conj() if x.dtype.kind == "c" else x


@register(compiled.sigmoid_backward)
def sigmoid_backward(h: Array, y: Array) -> Array:
    """``h`` times the derivative of sigmoid where its value is ``y``."""
    return np.multiply(h, _conj((1 - y) * y), out=...)


@register(compiled.tanh_backward)
def tanh_backward(h: Array, y: Array) -> Array:
    """``h`` times the derivative of tanh where its value is ``y``."""
    return np.multiply(h, _conj(1 - y * y), out=...)


@register(compiled.relu_backward)
def relu_backward(h: Array, y: Array) -> Array:
    """``h`` where relu's value ``y`` is not 0: at nan too."""
    kept = bits.kept(h, y != 0) if h.size >= bits.MANY else None
    return np.asarray(np.where(y <= 0, zero_of(h.dtype), h)) if kept is None else kept


def sinc(x: Array) -> Array:
    x = floating(x)
    angle = x * x.dtype.type(math.pi)
    with np.errstate(all="ignore"):
        return np.where(x == 0, x.dtype.type(1), np.sin(angle) / angle)


def deg2rad(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("deg2rad is not supported for complex tensors.")
    x = floating(x)
    return np.multiply(x, x.dtype.type(math.pi / 180), out=...)


def rad2deg(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("rad2deg is not supported for complex tensors.")
    x = floating(x)
    return np.multiply(x, x.dtype.type(180 / math.pi), out=...)


# Writing.


def checked_number(value: Any, x: Array) -> Any:
    """A number as what is to be put into ``x``; the error for one that does not fit."""
    return fitting(value.item() if isinstance(value, np.generic) else value, dtypes.of(x.dtype))


def filled(x: Array, value: Any) -> Array:
    return copied(x, np.asarray(value))


def copied(x: Array, source: Array) -> Array:
    """``source`` broadcast and cast to what ``x`` is."""
    result = np.empty(x.shape, x.dtype)
    np.copyto(result, real_if(source, x.dtype), casting="unsafe")
    return result


def real_if(x: Array, dtype: np.dtype[Any]) -> Array:
    """The real part where ``dtype`` has room for no other."""
    return x.real if x.dtype.kind == "c" and dtype.kind != "c" else x


# The ufunc that does what a kernel does, on floating arrays: it can write into its first operand.
FOR_COMPLEX: dict[Any, Callable[..., Array]] = {np.add: complex_sum}
"""What computes in place of a ufunc on complex numbers."""


def kernel_for(kernel: Callable[..., Any], first: Any) -> Callable[..., Any]:
    """What a kernel is for operands of the dtype of ``first``."""
    return FOR_COMPLEX[kernel] if kernel in FOR_COMPLEX and first.dtype.kind == "c" else kernel


IN_PLACE: dict[Any, np.ufunc] = {
    **{
        ufunc: ufunc
        for ufunc in (
            np.add, np.multiply, np.true_divide, np.sqrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10,
            np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.arcsinh,
            np.arccosh, np.arctanh,
        )
    },
    subtract: np.subtract,
    negative: np.negative,
    absolute: np.absolute,
    floor: np.floor,
    ceil: np.ceil,
    rint: np.rint,
    trunc: np.trunc,
}  # fmt: skip
