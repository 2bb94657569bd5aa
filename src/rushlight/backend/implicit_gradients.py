"""How a drawn gamma or beta number moves with its parameter, at the same place in its distribution.

For a distribution function F(x; a) that place is fixed where dF = 0, so dx/da = -(dF/da) / (dF/dx). Both come from the
power series of the incomplete gamma and beta functions: in the quotient their common factors cancel, and what remains is a
sum of terms, each times the derivative of its logarithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .special import digamma

Array = np.ndarray[Any, Any]

_MANY = 100_000  # terms, where parameters are so large that even those are more than they need
_NORMAL_FROM = 1e4  # shape parameters from which the cube root of a gamma number is as good as normal


def gamma_gradient(shape: Array, x: Array) -> Array:
    """dx/dshape of gamma numbers ``x`` of scale 1."""
    dtype = np.result_type(shape, x)
    shape, x = np.broadcast_arrays(np.asarray(shape, np.float64), np.asarray(x, np.float64))
    slope = np.empty(x.shape)
    large = shape >= _NORMAL_FROM
    slope[large] = _gamma_by_cube_root(shape[large], x[large])
    slope[~large] = _gamma_by_series(shape[~large], x[~large])
    return slope.astype(dtype)


def _gamma_by_series(a: Array, x: Array) -> Array:
    """x * sum over n of x**n gamma(a) / gamma(a + n + 1) * (digamma(a + n + 1) - log(x))."""
    with np.errstate(all="ignore"):
        term, weight = 1 / a, digamma(a + 1) - np.log(x)
        total = term * weight
        at = a + 1
        left = np.arange(x.size)  # the places whose sums are not done
        for _ in range(_MANY):
            ratio = x[left] / at[left]
            term[left] *= ratio
            weight[left] += 1 / at[left]
            step = term[left] * weight[left]
            total[left] += step
            at[left] += 1
            left = left[(ratio > 0.9) | (np.abs(step) > 1e-17 * np.abs(total[left]))]
            if left.size == 0:
                break
        slope: Array = x * total
    return slope


def _gamma_by_cube_root(a: Array, x: Array) -> Array:
    """From Wilson and Hilferty: x = a c**3, c = 1 - 1 / (9 a) + z / (3 sqrt(a)), with z normal and fixed."""
    with np.errstate(all="ignore"):
        c = np.cbrt(x / a)
        # dc/da at fixed z, of which c - 1 + 1 / (9 a) is a share falling with sqrt(a)
        change = 1 / (9 * a * a) - (c - 1 + 1 / (9 * a)) / (2 * a)
        slope: Array = c**3 + 3 * a * c * c * change
    return slope


def dirichlet_gradient(x: Array, alpha: Array, total: Array) -> Array:
    """dx/dalpha / (1 - x) of a share ``x`` of concentration ``alpha``, where all shares have ``total`` together."""
    dtype = np.result_type(x, alpha, total)
    x, alpha, total = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (x, alpha, total)))
    shape = x.shape
    x, a, both = x.ravel(), alpha.ravel(), total.ravel()
    b = both - a
    with np.errstate(all="ignore"):
        # The series of the share or that of the rest: of the smaller one, which converges faster, as far as it may reach.
        smaller = np.minimum(a, b)
        reach = np.minimum(0.5, (smaller + 10 * np.sqrt(smaller + 1) + 10) / both)
        below = np.where(a <= b, x <= reach, 1 - x > reach)
        y = np.where(below, x, 1 - x)
        first = np.where(below, a, b)
        log_x = np.log(x)
        at = first + 1
        term = np.ones_like(x)
        weight = log_x + digamma(both) - digamma(np.where(below, a + 1, a))
        total_sum = weight.copy()
        left = np.arange(x.size)
        for n in range(_MANY):
            ratio = y[left] * (both[left] + n) / at[left]
            term[left] *= ratio
            weight[left] += 1 / (both[left] + n) - np.where(below[left], 1 / at[left], 0)
            step = term[left] * weight[left]
            total_sum[left] += step
            at[left] += 1
            left = left[(ratio > 0.999) | (np.abs(step) > 1e-16 * np.abs(total_sum[left]) * (1 - np.minimum(ratio, 0.999)))]
            if left.size == 0:
                break
        slope: Array = np.where(below, -x / a, x / b) * total_sum
    return slope.reshape(shape).astype(dtype)
