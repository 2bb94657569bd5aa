"""Kernels of special functions: SciPy's, imported when first used, and the few that need no SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..base.errstate import silent
from ..kernels import register
from ..kernels import sweeps as compiled
from ..kernels.half_precision import kept
from .array_dtypes import floating, meeting, refuse
from .numpy import Array, in_single

Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]


@cache
def _scipy_special() -> Any:
    """SciPy's special functions, or None where SciPy is not installed."""
    try:
        import scipy.special
    except ImportError:
        return None
    return scipy.special


def _lgamma(value: float) -> float:
    try:
        return math.lgamma(value)
    except (ValueError, OverflowError):
        return math.inf


# What the standard library computes too, one element at a time.
_BY_ELEMENT = {"erf": math.erf, "erfc": math.erfc, "gammaln": _lgamma}


@cache
def _function(name: str) -> Callable[..., Array]:
    special = _scipy_special()
    if special is not None:
        return _with_exp(special, name) if name in ("i0", "i1") else getattr(special, name)
    if name not in _BY_ELEMENT:
        raise ImportError(
            f"this function needs scipy.special.{name}, and SciPy is not installed: pip install 'rushlight[scipy]'"
        )
    elements = np.frompyfunc(_BY_ELEMENT[name], 1, 1)
    return lambda x: np.asarray(elements(x)).astype(x.dtype)


def _with_exp(special: object, name: str) -> Callable[..., Array]:
    """A function of which exp is a factor, that overflows in single precision before the product does, and is nan at infinity."""

    def function(x: Array) -> Array:
        out = np.asarray(getattr(special, name)(x))
        if out.dtype == np.float32:
            np.copysign(np.float32(np.inf), out, out=out, where=np.abs(x) > _LOG_OF_LARGEST)
        infinite = np.isinf(x)
        return np.where(infinite, out.dtype.type(np.nan), out) if infinite.any() else out

    return function


_LOG_OF_LARGEST = np.log(np.finfo(np.float32).max)


def unary(name: str, refusal: str | None = None, half: bool = True) -> Unary:
    """The kernel that calls SciPy's function; half precision computes in single, or is refused."""
    label = refusal or f"{name}_cpu"

    def kernel(x: Array) -> Array:
        x = floating(x)
        if x.dtype.kind == "c":
            refuse(label, x)
        if x.dtype.itemsize == 2:
            if not half:
                refuse(label, x)
            return np.asarray(_function(name)(in_single(x))).astype(x.dtype)
        return np.asarray(_function(name)(x))

    kernel.__name__ = name
    return kernel


def binary(name: str, refusal: str, half: bool = True, integers: bool = True) -> Binary:
    """The kernel of a function of two arguments, as :func:`unary`."""

    def kernel(a: Array, b: Array) -> Array:
        if not integers and a.dtype.kind in "biu":
            refuse(refusal, a)
        a, b = floating(a), floating(b)
        if a.dtype.kind == "c" or (a.dtype.itemsize == 2 and not half):
            refuse(refusal, a)
        if a.dtype.itemsize == 2:
            return np.asarray(_function(name)(in_single(a), in_single(b))).astype(a.dtype)
        return np.asarray(_function(name)(a, b))

    kernel.__name__ = name
    return kernel


_erf = unary("erf", "erf_vml_cpu")
_erfc = unary("erfc", "erfc_vml_cpu")
_erfinv = unary("erfinv", "erfinv_vml_cpu")
erfcx = unary("erfcx", half=False)
digamma = unary("psi", "digamma")
i0, i0e, i1, i1e = unary("i0", "i0_vml_cpu"), unary("i0e"), unary("i1"), unary("i1e")
ndtri, log_ndtr = unary("ndtri", half=False), unary("log_ndtr", half=False)
bessel_j0, bessel_j1 = unary("j0", "bessel_j0_cpu", half=False), unary("j1", "bessel_j1_cpu", half=False)
bessel_y0, bessel_y1 = unary("y0", "bessel_y0_cpu", half=False), unary("y1", "bessel_y1_cpu", half=False)
modified_bessel_i0 = unary("i0", "modified_bessel_i0_cpu", half=False)
modified_bessel_i1 = unary("i1", "modified_bessel_i1_cpu", half=False)
modified_bessel_k0 = unary("k0", "modified_bessel_k0_cpu", half=False)
modified_bessel_k1 = unary("k1", "modified_bessel_k1_cpu", half=False)
scaled_modified_bessel_k0 = unary("k0e", "scaled_modified_bessel_k0_cpu", half=False)
scaled_modified_bessel_k1 = unary("k1e", "scaled_modified_bessel_k1_cpu", half=False)

_gammaln = unary("gammaln", "lgamma_vml_cpu")
_zeta = binary("zeta", "zeta_cpu", half=False)


@register(compiled.erf)
def erf(x: Array) -> Array:
    """The error function."""
    return _erf(x)


@register(compiled.erfc)
def erfc(x: Array) -> Array:
    """What the error function leaves to 1."""
    return _erfc(x)


@register(compiled.erfinv)
def erfinv(x: Array) -> Array:
    """The inverse of erf, zero with its sign."""
    out = _erfinv(x)
    return np.copysign(out, x, out=...) if x.dtype.kind in "fV" else out


@register(compiled.lgamma)
def lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of the gamma function."""
    out = _gammaln(x)
    return np.asarray(np.where(x == -math.inf, out.dtype.type(math.inf), out))


def zeta(x: Array, q: Array) -> Array:
    """The zeta function of Hurwitz: the sum of ``(k + q) ** -x``."""
    out = _zeta(x, q)
    return np.asarray(np.where((floating(q) == math.inf) & (floating(x) > 1), out.dtype.type(math.nan), out))


def polygamma(x: Array, n: int) -> Array:
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    x = floating(x)
    if x.dtype.kind == "c":
        refuse("polygamma", x)
    if n == 1 and x.dtype.itemsize == 2:
        return polygamma(in_single(x), n).astype(x.dtype)
    with silent():
        if n == 1:
            mirrored = x < 0.5
            wide = x.astype(np.float64)
            above = _trigamma(np.where(mirrored, 1 - wide, wide))
            wave = np.sin(x.dtype.type(math.pi) * x).astype(
                np.float64
            )  # as rounded as PyTorch's: finite at negative whole numbers
            return np.where(mirrored, (math.pi / wave) ** 2 - above, above).astype(x.dtype)
        wide = in_single(x)
        order, sign = np.asarray(n + 1).astype(wide.dtype), 1.0 if n % 2 else -1.0
        found = in_single(zeta(order, wide).astype(x.dtype))
        return np.asarray(found * wide.dtype.type(sign * math.exp(math.lgamma(n + 1)))).astype(x.dtype, copy=False)


# trigamma(x) = 1 / x**2 + trigamma(x + 1), and for large x 1 / x + 1 / (2 * x**2) + the sum of these Bernoulli numbers (of order
# 2, 4, ...) by x**3, x**5, ... (Abramowitz and Stegun 6.4.12).
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_STEPS = 12  # then what is left out is less than 2e-18


def _trigamma(x: Array) -> Array:
    """The derivative of digamma, from 0.5 on."""
    total = np.zeros_like(x)
    for _ in range(_STEPS):
        total += 1 / (x * x)
        x = x + 1
    part = 1 / x
    square = part * part
    series = np.zeros_like(x)
    for number in reversed(_BERNOULLI):
        series = (series + number) * square
    return np.asarray(total + part * (1 + part / 2 + series))


def mvlgamma(x: Array, p: int) -> Array:
    """The logarithm of the multivariate gamma function of dimension p."""
    x = floating(x)
    places = (np.arange(1 - p, 1) / 2).astype(x.dtype)
    values = in_single(lgamma(x[..., np.newaxis] + places)).sum(-1)  # all at once, as in PyTorch: memory is the bound of p
    total = kept(np.asarray(values), x.dtype) + in_single(np.asarray(p * (p - 1) / 4 * math.log(math.pi)).astype(x.dtype))
    return np.asarray(total).astype(x.dtype, order="C", copy=False)


_gammainc = binary("gammainc", "igamma_cpu", integers=False)
_gammaincc = binary("gammaincc", "igammac_cpu", integers=False)


def igamma(a: Array, x: Array) -> Array:
    """The regularised lower incomplete gamma function."""
    return _at_infinity(_gammainc(a, x), a, x, 1)


def igammac(a: Array, x: Array) -> Array:
    """The regularised upper incomplete gamma function."""
    return _at_infinity(_gammaincc(a, x), a, x, 0)


def _at_infinity(out: Array, a: Array, x: Array, last: int) -> Array:
    """What is there at an infinite x, and its opposite at an infinite a, beside nan too."""
    far_x, far_a = (x == math.inf) & ~(a <= 0), (a == math.inf) & ~(x < 0)
    return np.asarray(np.where(far_x ^ far_a, np.where(far_x, last, 1 - last).astype(out.dtype), out))


def airy_ai(x: Array) -> Array:
    x = floating(x)
    if x.dtype.kind == "c" or x.dtype.itemsize == 2:
        refuse("airy_ai_cpu", x)
    return np.asarray(np.where((x > 103.892) & (x < math.inf), x.dtype.type(0), _function("airy")(x)[0]))


def spherical_bessel_j0(x: Array) -> Array:
    x = floating(x)
    if x.dtype.kind == "c" or x.dtype.itemsize == 2:
        refuse("spherical_bessel_j0_cpu", x)
    with silent():
        out = np.where(np.abs(x) < 0.5, np.sinc(x / math.pi), np.sin(x) / x)
    return np.where(np.isinf(x), 0, out).astype(x.dtype)


def entr(x: Array) -> Array:
    """``-x log x``; 0 at zero and minus infinity below."""
    x = floating(x)
    if x.dtype.kind == "c":
        refuse("entr_cpu", x)
    with silent():
        out = np.where(x > 0, -x * np.log(x), np.where(x == 0, 0, -math.inf))
    return np.where(np.isnan(x), x, out).astype(x.dtype)


def _times_logarithm(name: str, logarithm: np.ufunc) -> Binary:
    """``a log b``, or ``a log(1 + b)``; 0 where a is 0, unless b is nan."""

    def kernel(a: Array, b: Array) -> Array:
        a, b = floating(a), floating(b)
        if a.dtype.kind == "c":
            refuse(f"{name}_cpu", a)
        with silent():
            return np.where(np.isnan(b), b, np.where(a == 0, a.dtype.type(0), a * logarithm(b)))

    kernel.__name__ = name
    return kernel


xlogy, xlog1py = _times_logarithm("xlogy", np.log), _times_logarithm("xlog1py", np.log1p)


def with_number(kernel: Binary, number_first: bool = False) -> Callable[[Array, Any], Array]:
    """A kernel of two arrays as one of an array and a Python number."""

    def of_number(x: Array, number: Any) -> Array:
        dtype = floating(np.empty(0, meeting(x, number))).dtype
        array, other = x.astype(dtype, copy=False), np.asarray(number).astype(dtype)
        return kernel(other, array) if number_first else kernel(array, other)

    return of_number
