"""Normal numbers in blocks of sixteen: eight radii and eight angles (Box and Muller 1958).

In float32 PyTorch's kernel uses its own logarithm, sine and cosine, eight lanes at a time, so equal results need the
same polynomials (those of S. L. Moshier's Cephes library) and one rounding wherever the processor multiplies and adds
at once. In float64 it uses the C library's.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ..base.errstate import silent
from ..kernels import normals, register
from .arithmetic import fused
from .numpy import Array

_F4 = np.float32
_AT_ONCE = 1 << 15  # numbers: fewer and NumPy's calls cost more than their arithmetic, more and the cache is too small


def _constants(*values: float) -> tuple[float, ...]:
    """The float32 numbers next to these."""
    return tuple(float(_F4(value)) for value in values)


# Cephes logf, on [sqrt(1/2), sqrt(2)), highest power first; then ln 2 in two parts.
_LOG = _constants(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LN2_LOW, _LN2_HIGH = _constants(-2.12194440e-4, 0.693359375)
# Cephes cosf and sinf, on [-pi/4, pi/4].
_COS = _constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_SIN = _constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
# pi/4 in parts, of which the first two, summed here, have so few bits that subtracting multiples of them is exact.
_PI_4_HIGH = 0.78515625 + 2.4187564849853515625e-4
(_PI_4_LOW,) = _constants(3.77489497744594108e-8)


@register(normals.fill_blocks)
def fill_blocks_32(uniform: Array, mean: float, std: float) -> Array:
    """Make normal numbers of the uniform ones, in place: float32, contiguous, a multiple of sixteen long."""
    for start in range(0, len(uniform), _AT_ONCE):
        part = uniform[start : start + _AT_ONCE]
        blocks = part.reshape(-1, 2, 8)
        radius = np.sqrt(_F4(-2) * _log(_F4(1) - blocks[:, 0]))
        cosine, sine = _cosine_and_sine(_F4(2 * math.pi) * blocks[:, 1])
        blocks[:, 0], blocks[:, 1] = cosine * radius, sine * radius
        if mean != 0.0 or std != 1.0:  # rounded once
            part[...] = part.astype(np.float64) * _F4(std) + _F4(mean)
    return uniform


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
    values[...] = fused(values, scale, shift) if shift != 0.0 else values * scale


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
        with silent():
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
    fraction = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32).astype(np.float64)  # in [1/2, 1)
    exponent = (bits >> 23) - 126.0
    below = fraction < _F4(math.sqrt(0.5))
    exponent -= below
    np.add(fraction, fraction, fraction, where=below)
    fraction -= 1
    square = _rounded(fraction * fraction)
    tail = _rounded(_polynomial(_LOG, fraction) * fraction)
    tail = _rounded(tail * square + _rounded(exponent * _LN2_LOW))
    tail = _rounded(_rounded(tail - square / 2) + fraction)
    return (exponent * _LN2_HIGH + tail).astype(_F4)


def _cosine_and_sine(angle: Array) -> tuple[Array, Array]:
    """Cosine and sine of float32 angles of [0, 2 pi]: float32."""
    octant = ((angle * _F4(4 / math.pi)).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float64)
    reduced = _rounded(angle - turns * _PI_4_HIGH - turns * _PI_4_LOW)
    square = _rounded(reduced * reduced)
    cosine = _rounded(_rounded(_polynomial(_COS, square) * square) * square - square / 2) + 1
    sine = _rounded(_polynomial(_SIN, square) * square) * reduced + reduced
    swap, quarter = octant & 2, octant >> 1
    found = np.where(swap, sine, cosine).astype(_F4), np.where(swap, cosine, sine).astype(_F4)
    for ahead, each in zip((1, 0), found, strict=True):  # the sign is the top bit
        bits = each.view(np.int32)
        bits ^= (quarter + ahead & 2) << 30
    return found


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    value: Array = np.full(x.shape, coefficients[0])
    for coefficient in coefficients[1:]:
        value = _rounded(value * x + coefficient)
    return value


def _rounded(value: Array) -> Array:
    """To float32, and back."""
    return value.astype(_F4).astype(np.float64)
