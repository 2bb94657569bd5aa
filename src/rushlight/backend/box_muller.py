"""Normal numbers in blocks of sixteen: eight radii and eight angles (Box and Muller 1958).

In float32 PyTorch's kernel uses its own logarithm, sine and cosine, eight lanes at a time, so equal results need the
same polynomials (those of S. L. Moshier's Cephes library) and one rounding wherever the processor multiplies and adds
at once. In float64 it uses the C library's.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ..kernels import normals, register
from .numpy import Array

_F4 = np.float32
_AT_ONCE = 1 << 15  # numbers: fewer and NumPy's calls cost more than their arithmetic, more and the cache is too small


def _constants(*values: float) -> list[Array]:
    """float32 constants as arrays of float64, which NumPy's functions take up quicker than numbers."""
    return [np.array(_F4(value), np.float64) for value in values]


# Cephes logf, on [sqrt(1/2), sqrt(2)), highest power first; then ln 2 in two parts.
_LOG = _constants(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LN2_LOW, _LN2_HIGH = _constants(-2.12194440e-4, 0.693359375)
# Cephes cosf and sinf, on [-pi/4, pi/4], one above the other.
_COS_SIN = [
    np.array(pair).reshape(2, 1, 1)
    for pair in zip(
        _constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
        _constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
        strict=True,
    )
]
# pi/4 in parts, of which the first two, summed here, have so few bits that subtracting multiples of them is exact.
_PI_4_HIGH = np.array(0.78515625 + 2.4187564849853515625e-4)
(_PI_4_LOW,) = _constants(3.77489497744594108e-8)
_COS_IS_AHEAD = np.array([1, 0], np.int32).reshape(2, 1, 1)
_ONE, _HALF = np.array(1.0), np.array(-0.5)


@register(normals.fill_blocks)
def fill_blocks_32(uniform: Array, mean: float, std: float) -> Array:
    """Make normal numbers of the uniform ones, in place: float32, contiguous, a multiple of sixteen long."""
    for start in range(0, len(uniform), _AT_ONCE):
        part = uniform[start : start + _AT_ONCE]
        standard_blocks_32(part)
        scale_blocks_32(part, mean, std)
    return uniform


@register(normals.standard_blocks)
def standard_blocks_32(uniform: Array) -> Array:
    """The same with mean 0 and deviation 1, for so many as the cache holds."""
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(_F4(-2) * _log(_F4(1) - blocks[:, 0]))
    pair = _cosine_and_sine(_F4(2 * math.pi) * blocks[:, 1])
    pair *= radius
    blocks.transpose(1, 0, 2)[...] = pair
    return uniform


def scale_blocks_32(standard: Array, mean: float, std: float) -> None:
    """Standard normal numbers times ``std`` plus ``mean``, in place, rounded once."""
    if mean != 0.0 or std != 1.0:
        wide = standard.astype(np.float64)
        wide *= _F4(std)
        wide += _F4(mean)
        standard[...] = wide


@register(normals.fill_blocks)
def fill_blocks_64(uniform: Array, mean: float, std: float) -> Array:
    """The same in float64."""
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * as_libm("log", 1.0 - blocks[:, 0]))
    angle = 2.0 * math.pi * blocks[:, 1]
    blocks[:, 0] = radius * as_libm("cos", angle)
    blocks[:, 1] = radius * as_libm("sin", angle)
    scale_and_shift(uniform, std, mean)
    return uniform


def scale_and_shift(values: Array, scale: float, shift: float) -> None:
    """values * scale + shift in place, float64, rounded once, as the processor's fused instruction does."""
    if scale == 1.0:
        if shift != 0.0:
            values += shift
        return
    product = values * scale
    if shift != 0.0:
        # What the product and the sum each lost (Dekker 1971, Knuth's two-sum), added back before the last rounding.
        with np.errstate(over="ignore", invalid="ignore"):
            (high, low), (scale_high, scale_low) = _halves(values), _halves(np.float64(scale))
            lost = high * scale_high - product + high * scale_low + low * scale_high + low * scale_low
            total = product + shift
            shared = total - product
            lost += (product - (total - shared)) + (shift - shared)
            product = np.where(np.isfinite(lost), total + lost, total)
    values[...] = product


def as_libm(function: str, x: Array) -> Array:
    """log, log1p, exp, tan, cos or sin of float64 numbers to the last bit of the C library's, which PyTorch uses.

    NumPy's are faster and may differ in that bit (on x86-64 with AVX-512 they do), so they are used if they do not.
    """
    if x.size > 256 and _agrees(function):
        result: Array = getattr(np, function)(x)
        return result
    try:
        return np.fromiter(map(getattr(math, function), x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
    except OverflowError:  # exp past the largest number, which C answers with infinity
        with np.errstate(over="ignore"):
            result = getattr(np, function)(x)
        return result


@cache
def _agrees(function: str) -> bool:
    low, high = {"log": (1e-9, 1.0), "log1p": (-1.0 + 1e-9, 0.0), "exp": (-8.0, 8.0), "tan": (-1.57, 1.57)}.get(
        function, (0.0, 2 * math.pi)
    )
    sample = np.linspace(low, high, 10007)
    exact = np.fromiter(map(getattr(math, function), sample.tolist()), np.float64, sample.size)
    return bool(np.array_equal(getattr(np, function)(sample), exact))


# float32 numbers are held as float64 from here on: there a product of two is exact, so that product and sum are rounded
# once (but for one case in 2**29) when they are put into `single` and taken back.


def _log(x: Array) -> Array:
    """The natural logarithm of float32 numbers of (0, 1], less one rounding: float32."""
    bits = x.view(np.int32)
    single = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32)
    fraction = single.astype(np.float64)  # in [1/2, 1)
    exponent = (bits >> 23).astype(np.float64)
    exponent -= 126.0
    below = fraction < _F4(math.sqrt(0.5))
    exponent -= below
    np.add(fraction, fraction, fraction, where=below)
    fraction -= _ONE
    tail = _polynomial(_LOG, fraction, single)
    tail *= fraction
    _round(tail, single)
    square = fraction * fraction
    _round(square, single)
    low = exponent * _LN2_LOW
    _round(low, single)
    tail *= square
    tail += low
    _round(tail, single)
    square *= _HALF
    tail += square
    _round(tail, single)
    tail += fraction
    _round(tail, single)
    exponent *= _LN2_HIGH
    exponent += tail
    single[...] = exponent
    return single


def _cosine_and_sine(angle: Array) -> Array:
    """Cosine and sine of float32 angles of [0, 2 pi], one above the other: float32, one axis more."""
    octant = (angle * _F4(4 / math.pi)).astype(np.int32)
    octant += 1
    octant &= ~1
    turns: Array = octant.astype(np.float64)
    single = np.empty((2, *angle.shape), np.float32)
    above = np.empty(single.shape)  # the square for the cosine, the angle itself for the sine
    square: Array = above[0]
    reduced: Array = above[1]
    np.subtract(angle, turns * _PI_4_HIGH, reduced)
    turns *= _PI_4_LOW
    reduced -= turns
    _round(reduced, single[0])
    np.multiply(reduced, reduced, square)
    _round(square, single[0])
    value = _polynomial(_COS_SIN, square, single)
    value *= square
    _round(value, single)
    value *= above
    square *= _HALF
    value += above
    _round(value, single)
    value[0] += _ONE
    single[...] = value
    octant >>= 1
    single = np.where(octant & 1, single[::-1], single)
    # The sign is the top bit, set as bits: a product with -1 would do the same and cost a conversion.
    signs = octant + _COS_IS_AHEAD
    signs &= 2
    signs <<= 30
    bits = single.view(np.int32)
    bits ^= signs
    return single


def _polynomial(coefficients: list[Array], x: Array, single: Array) -> Array:
    value = np.empty(single.shape)
    value[...] = coefficients[0]
    for coefficient in coefficients[1:]:
        np.multiply(value, x, value)
        np.add(value, coefficient, value)
        single[...] = value
        value[...] = single
    return value


def _round(value: Array, single: Array) -> None:
    single[...] = value
    value[...] = single


def _halves(x: Any) -> tuple[Any, Any]:
    """x as a sum of two numbers of 26 bits, whose products are exact."""
    spread = x * 134217729.0  # 2**27 + 1
    high = spread - (spread - x)
    return high, x - high
