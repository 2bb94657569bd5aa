"""Kernels of comparison, logic and bits: their results are truth values or integers, and have no derivative."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base.errstate import silent
from .array_dtypes import as_array, refuse
from .numpy import Array, empty_like, in_single

Binary = Callable[[Array, Array], Array]


def _ordering(ufunc: np.ufunc, name: str) -> Binary:
    """Complex numbers have no order."""

    def kernel(a: Array, b: Array) -> Array:
        if a.dtype.char in "FDeE":
            if a.dtype.kind == "c":
                refuse(name, a)
            a, b = in_single(a), in_single(b)
        return ufunc(a, b, out=...)

    return kernel


less = _ordering(np.less, "lt_cpu")
less_equal = _ordering(np.less_equal, "le_cpu")
greater = _ordering(np.greater, "gt_cpu")
greater_equal = _ordering(np.greater_equal, "ge_cpu")


def as_number(kernel: Binary) -> Binary:
    """A comparison whose truth values have the dtype of what was compared, or of its real parts."""

    def in_dtype(a: Array, b: Array) -> Array:
        return np.asarray(kernel(a, b)).astype(a.real.dtype)

    return in_dtype


def with_number(kernel: Binary) -> Callable[[Array, complex], Array]:
    """The same with a number, as the dtype of what it is compared with holds it."""
    compare = as_number(kernel)
    return lambda a, number: compare(a, as_array(number, a.dtype))


def isinf(x: Array) -> Array:
    return np.isinf(x, out=...)


def _everywhere(x: Array, truth: bool) -> Array:
    out = empty_like(x, np.dtype(np.bool_))
    out[...] = truth
    return out


def isposinf(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("isposinf does not support complex inputs.")
    return np.equal(x, np.inf, out=...) if x.dtype.kind in "fV" else _everywhere(x, False)


def isneginf(x: Array) -> Array:
    if x.dtype.kind == "c":
        raise RuntimeError("isneginf does not support complex inputs.")
    return np.equal(x, -np.inf, out=...) if x.dtype.kind in "fV" else _everywhere(x, False)


def isreal(x: Array) -> Array:
    return np.equal(x.imag, 0, out=...) if x.dtype.kind == "c" else _everywhere(x, True)


def isclose(a: Array, b: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """``|a - b| <= atol + rtol * |b|``, equal infinities included."""
    close = np.equal(a, b, out=...)
    if equal_nan and a.dtype.kind in "fcVW":
        close = close | ((a != a) & (b != b))
    if rtol == 0 and atol == 0:
        return close
    if a.dtype.kind in "biu":
        a, b = a.astype(np.float64), b.astype(np.float64)
    with silent():
        gap = np.abs(a - b)
        return np.asarray(close | (np.isfinite(gap) & (gap <= atol + np.abs(rtol * b))))


def equal(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool((a == b).all())


def _integral(ufunc: np.ufunc, name: str, bools: bool = True) -> Binary:
    def kernel(a: Array, b: Array) -> Array:
        if a.dtype.kind not in ("biu" if bools else "iu"):
            refuse(name, a)
        return ufunc(a, b, out=...)

    return kernel


bitwise_and = _integral(np.bitwise_and, "bitwise_and_cpu")
bitwise_or = _integral(np.bitwise_or, "bitwise_or_cpu")
bitwise_xor = _integral(np.bitwise_xor, "bitwise_xor_cpu")
gcd = _integral(np.gcd, "gcd_cpu", bools=False)
lcm = _integral(np.lcm, "lcm_cpu", bools=False)


def bitwise_not(x: Array) -> Array:
    if x.dtype.kind not in "biu":
        refuse("bitwise_not_cpu", x)
    return np.invert(x, out=...)


def _shift(ufunc: np.ufunc, name: str) -> Binary:
    """A shift by a negative number of bits, or by more than there are, is one by all of them: it leaves 0, or the sign."""

    def kernel(a: Array, b: Array) -> Array:
        if a.dtype.kind not in "iu":
            refuse(name, a)
        bits = a.dtype.itemsize * 8
        return ufunc(a, np.where((b < 0) | (b > bits), bits, b).astype(a.dtype), out=...)

    return kernel


left_shift = _shift(np.left_shift, "lshift_cpu")
right_shift = _shift(np.right_shift, "rshift_cpu")
