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

_F4 = np.float32
_AT_ONCE = 8 * 1024  # pairs: some ten arrays of this many float64 fit a second-level cache

# Cephes logf, on [sqrt(1/2), sqrt(2)), highest power first; then ln 2 in two parts.
_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LN2_LOW, _LN2_HIGH = _F4(-2.12194440e-4), _F4(0.693359375)
# Cephes sinf and cosf, on [-pi/4, pi/4]; and pi/4 in three parts.
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_PI_4 = (_F4(0.78515625), _F4(2.4187564849853515625e-4), _F4(3.77489497744594108e-8))


def fill_blocks_32(uniform: np.ndarray, mean: float, std: float) -> None:
    """Make normal numbers of the uniform ones in `uniform`, in place: float32, contiguous, a multiple of sixteen long."""
    blocks = uniform.reshape(-1, 2, 8)
    for start in range(0, len(blocks), _AT_ONCE // 8):
        part = blocks[start : start + _AT_ONCE // 8]
        radius = np.sqrt(_F4(-2) * _log(_F4(1) - part[:, 0]))
        sine, cosine = _sine_and_cosine(_F4(2 * math.pi) * part[:, 1])
        cosine *= radius
        sine *= radius
        if mean == 0.0 and std == 1.0:
            part[:, 0], part[:, 1] = cosine, sine
        else:
            part[:, 0] = _fused(_wide(cosine), _F4(std), _F4(mean))
            part[:, 1] = _fused(_wide(sine), _F4(std), _F4(mean))


def fill_blocks_64(uniform: np.ndarray, mean: float, std: float) -> None:
    """The same in float64."""
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * as_libm("log", 1.0 - blocks[:, 0]))
    angle = 2.0 * math.pi * blocks[:, 1]
    blocks[:, 0] = radius * as_libm("cos", angle)
    blocks[:, 1] = radius * as_libm("sin", angle)
    scale_and_shift(uniform, std, mean)


def scale_and_shift(values: np.ndarray, scale: float, shift: float) -> None:
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


def as_libm(function: str, x: np.ndarray) -> np.ndarray:
    """log, log1p, exp, tan, cos or sin of float64 numbers to the last bit of the C library's, which PyTorch uses.

    NumPy's are faster and may differ in that bit (on x86-64 with AVX-512 they do), so they are used only if they do not.
    """
    if x.size > 256 and _agrees(function):
        result: np.ndarray = getattr(np, function)(x)
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


def _log(x: np.ndarray) -> np.ndarray:
    """The natural logarithm of float32 numbers of (0, 1]."""
    bits = x.view(np.int32)
    exponent = ((bits >> 23) - 126).astype(np.float32)
    fraction = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32)  # in [1/2, 1)
    below = fraction < _F4(math.sqrt(0.5))
    exponent -= below
    fraction = (fraction - _F4(1)) + np.where(below, fraction, _F4(0))
    square = fraction * fraction
    wide = _wide(fraction)
    tail = _polynomial(_LOG, wide) * fraction
    wide_square = _wide(square)
    tail = _fused(_wide(tail), wide_square, exponent * _LN2_LOW)
    tail = _fused(wide_square, -0.5, tail)
    return _fused(_wide(exponent), _LN2_HIGH, fraction + tail)


def _sine_and_cosine(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of float32 angles of [0, 2 pi]."""
    octant = ((angle * _F4(4 / math.pi)).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float64)
    for part in _PI_4:
        angle = _fused(turns, -part, angle)
    square = angle * angle
    wide_square = _wide(square)
    cosine = _polynomial(_COS, wide_square) * square
    cosine = _fused(_wide(cosine), wide_square, square * _F4(-0.5)) + _F4(1)
    sine = _polynomial(_SIN, wide_square) * square
    sine = _fused(_wide(sine), angle, angle)
    quarter = octant >> 1
    swapped = (quarter & 1).astype(bool)
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    # The sign is the top bit, set as bits: a product with -1 would do the same and cost a conversion.
    sine.view(np.int32)[...] ^= (quarter & 2) << 30
    cosine.view(np.int32)[...] ^= ((quarter + 1) & 2) << 30
    return sine, cosine


def _polynomial(coefficients: tuple[float, ...], wide: np.ndarray) -> np.ndarray:
    value: Any = _F4(coefficients[0])
    for coefficient in coefficients[1:]:
        value = _fused(wide, value, _F4(coefficient))
    return value


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def _fused(a: np.ndarray, b: Any, c: Any) -> np.ndarray:
    """a * b + c of float32 numbers rounded once (but for one case in 2**29): in float64 the product is exact."""
    total = a * b
    total += c
    return total.astype(np.float32)


def _halves(x: Any) -> tuple[Any, Any]:
    """x as a sum of two numbers of 26 bits, whose products are exact."""
    spread = x * 134217729.0  # 2**27 + 1
    high = spread - (spread - x)
    return high, x - high
