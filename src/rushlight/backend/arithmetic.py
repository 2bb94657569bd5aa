"""Kernels of sums, quotients, remainders and powers, where NumPy gives another result or none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arguments import refuse_too_large
from ..base.errstate import silent
from ..kernels import arithmetic as compiled
from ..kernels import half_precision, mixtures, register, sweeps
from ..kernels.arithmetic import MANY
from . import bits
from . import numpy as backend
from .array_dtypes import as_array, floating, meeting, refuse
from .numpy import Array


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
    if a.dtype.char in "?FDeE":
        if a.dtype.itemsize == 2:
            return _difference_of_many(a, b)
        if a.dtype.kind == "b":
            no_bool_difference([True, True])
        return _complex_sum(np.subtract, a, b, -1)
    return np.subtract(a, b, out=...) if a.size <= MANY else _difference_of_many(a, b)


@register(compiled.subtract)
def _difference_of_many(a: Array, b: Array) -> Array:
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
    if kind in "biu" and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if kind != "c" and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return x if alpha == 1 else np.multiply(x, np.asarray(alpha).astype(x.dtype), out=...)


def _scaled_beside(a: Array, b: Array, alpha: Any) -> Array:
    try:
        return scaled(b, alpha)
    except RuntimeError:
        np.add(a, b)  # shapes that do not fit are told first
        raise


def add_scaled(a: Array, b: Array, alpha: Any) -> Array:
    return np.add(a, _scaled_beside(a, b, alpha), out=...)


def subtract_scaled(a: Array, b: Array, alpha: Any) -> Array:
    factor = _scaled_beside(a, b, alpha)
    return subtract(a, factor) if a.dtype.kind != "c" or alpha == 1 else np.asarray(np.subtract(a, factor))


def reverse_subtract_scaled(a: Array, b: Array, alpha: Any) -> Array:
    return subtract(b, scaled(a, alpha))


def negative(x: Array) -> Array:
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    if half_precision.is_half(x):
        return np.bitwise_xor(x.view(np.uint16), np.uint16(0x8000), out=...).view(x.dtype)
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
    with silent():
        return np.floor_divide(a, b, out=...)


_MANY_QUOTIENTS = 256
_LARGEST_QUOTIENT = 1 << 24


def _exact_quotients(a: Array, b: Array) -> tuple[Array, Array, Array] | None:
    """Quotients of single-precision numbers in doubles, and both in doubles, if these tell every whole part and what it leaves:
    so much sooner (a tenth of the time) than NumPy takes the divisor off bit by bit. None for few, infinite or large ones."""
    if a.dtype != np.float32 or b.dtype != np.float32 or max(a.size, b.size) < _MANY_QUOTIENTS:
        return None
    with silent():
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
    with silent():
        quotient = np.floor_divide(a, b)
        inexact = np.multiply(quotient, b) != a
        return np.asarray(quotient + ((quotient < 0) & inexact).astype(quotient.dtype))


@register(sweeps.remainder)
def remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind in "bcW":
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


@register(sweeps.fmod)
def fmod(a: Array, b: Array) -> Array:
    if a.dtype.kind in "bcW":
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
    if a.dtype is not b.dtype:
        a, b = _met(a, b)
    result = _power(a, b)
    if a.dtype.kind == "c":
        result[(a == 0) & (b == 0)] = complex("nan+nanj")  # exp(0 * log(0)), as in PyTorch
    return result


def _met(a: Array, b: Array) -> tuple[Array, Array]:
    """As rules see operands: a number without dimensions in the dtype of what has some, where both are floating."""
    if a.dtype.kind in "fV" and b.dtype.kind in "fV":
        if a.ndim and not b.ndim:
            return a, b.astype(a.dtype)
        if b.ndim and not a.ndim:
            return a.astype(b.dtype), b
    return a, b


def _power(a: Array, b: Array) -> Array:
    if a.dtype.kind != "c":
        return np.power(a, b, out=...)
    multiplied_out = (b.imag == 0) & (b.real == np.trunc(b.real)) | (a == 0)
    result = np.power(a, b, out=..., where=~multiplied_out)
    if multiplied_out.any():  # by NumPy; PyTorch, as C, takes exp(b * log(a)) here too
        with silent():
            log, product = np.log(a), np.empty_like(result)
            product.real, product.imag = b.real * log.real, b.real * log.imag
            if b.imag.any():
                product.real -= b.imag * log.imag
                product.imag += b.imag * log.real
            np.exp(product, out=result, where=multiplied_out)
    return result


_ROUNDED_ONCE = (3, -2, -0.5)  # exponents of float16 that bfloat16 has by several steps


def power_number(x: Array, exponent: Any) -> Array:
    """``x ** exponent`` for a Python number, with the shortcuts for the powers everybody writes."""
    dtype = meeting(x, exponent)
    if x.dtype != dtype:
        x = backend.copied(x, dtype)
        if backend.is_complex_half(dtype):
            refuse("pow", x)
    kind = dtype.kind
    if kind in "iu":
        if exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        refuse_too_large(exponent)
        return np.power(x, as_array(exponent, dtype), out=...)
    if kind == "c" and exponent == 0:
        return np.ones_like(x)
    if exponent == 2:
        return np.multiply(x, x, out=...)
    if exponent == 1:
        return x.copy("K")
    if dtype.char == "e" and exponent in _ROUNDED_ONCE:
        return np.asarray(power_number(backend.in_single(x), exponent)).astype(dtype)
    if exponent == 3:
        return _cube(x)
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
    refuse_too_large(exponent)
    return _power(x, np.asarray(exponent).astype(dtype))


@register(mixtures.cube)
def _cube(x: Array) -> Array:
    return np.multiply(x * x, x, out=...)


def number_power(x: Array, base: Any) -> Array:
    """``base ** x`` for a Python number."""
    dtype = meeting(x, base)
    x = x.astype(dtype, copy=False)
    if backend.is_complex_half(dtype):
        refuse("pow", x)
    if dtype.kind in "biuc":
        return power(np.full(x.shape, as_array(base, dtype), dtype), x)
    return np.power(dtype.type(base), x, out=...)


def reciprocal(x: Array) -> Array:
    return np.true_divide(1, floating(x), out=...)


_VECTORS = 32  # numbers of two bytes that PyTorch takes at once, in single precision


def rsqrt(x: Array) -> Array:
    if x.dtype.itemsize == 2 and x.size >= _VECTORS:
        return _rsqrt_by_vectors(x)
    return np.true_divide(1, np.sqrt(floating(x)), out=...)


@backend.rounded_once
def _rsqrt_by_vectors(x: Array) -> Array:
    return np.true_divide(1, np.sqrt(floating(x)), out=...)


def fused(a: Any, b: Any, c: Any) -> Array:
    """``a * b + c`` in float64, rounded once, as a processor's fused instruction does.

    What the product and the sum lose (Dekker 1971, Knuth's two-sum) is added before the last rounding.
    """
    with silent():
        product = np.asarray(a * b)
        (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
        lost = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low
        total = product + c
        shared = total - product
        lost = lost + ((product - (total - shared)) + (c - shared))
        return np.where(np.isfinite(lost), total + lost, total)


def _halves(x: Any) -> tuple[Any, Any]:
    """A float64 as the sum of two numbers of 26 bits, whose products are exact."""
    spread = np.float64(134217729.0) * x  # 2 ** 27 + 1
    high = spread - (spread - x)
    return high, x - high
