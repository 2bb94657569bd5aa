"""How a drawn gamma or beta number moves with its parameter, at the same place in its distribution.

For a distribution function F(x; a) that place is fixed where dF = 0, so dx/da = -(dF/da) / (dF/dx). Both come from the
power series of the incomplete gamma and beta functions: in the quotient their common factors cancel, and what remains is a
sum of terms, each times the derivative of its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errstate import silent
from .special import digamma

Array = np.ndarray[Any, Any]

_NORMAL_FROM = 1e4  # shape parameters from which the cube root of a gamma number is as good as normal
_TOGETHER = 4096  # numbers whose series are summed side by side
_TERMS = 16, 256  # terms at a time: the first ones, and the most
_MANY = 100_000  # terms at most


def gamma_gradient(shape: Array, x: Array) -> Array:
    """dx/dshape of gamma numbers ``x`` of scale 1."""
    dtype = np.result_type(shape, x)
    shape, x = np.broadcast_arrays(np.asarray(shape, np.float64), np.asarray(x, np.float64))
    slope = np.empty(x.shape)
    large = shape >= _NORMAL_FROM
    with silent():
        slope[large] = _gamma_by_cube_root(shape[large], x[large])
        slope[~large] = _in_parts(_gamma_by_series, shape[~large], x[~large])
    return slope.astype(dtype)


def _gamma_by_series(a: Array, x: Array) -> Array:
    """x * sum over n of x**n gamma(a) / gamma(a + n + 1) * (digamma(a + n + 1) - log(x))."""

    def next_ratios(left: Array, n: Array) -> tuple[Array, Array]:
        step = 1 / (a[left] + 1 + n)
        return x[left] * step, step

    return x * _weighted_sum(1 / a, digamma(a + 1) - np.log(x), next_ratios)


def _gamma_by_cube_root(a: Array, x: Array) -> Array:
    """From Wilson and Hilferty: x = a c**3, c = 1 - 1 / (9 a) + z / (3 sqrt(a)), with z normal and fixed."""
    c = np.cbrt(x / a)
    # dc/da at fixed z, of which c - 1 + 1 / (9 a) is a share falling with sqrt(a)
    change = 1 / (9 * a * a) - (c - 1 + 1 / (9 * a)) / (2 * a)
    slope: Array = c**3 + 3 * a * c * c * change
    return slope


def dirichlet_gradient(x: Array, alpha: Array, total: Array) -> Array:
    """dx/dalpha / (1 - x) of a share ``x`` of concentration ``alpha``, where all shares have ``total`` together."""
    dtype = np.result_type(x, alpha, total)
    x, alpha, total = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (x, alpha, total)))
    with silent():
        slope = _in_parts(_share_by_series, x.ravel(), alpha.ravel(), total.ravel())
    return slope.reshape(x.shape).astype(dtype)


def _share_by_series(x: Array, a: Array, both: Array) -> Array:
    """The series of the share, or that of the rest: of the smaller one, which converges faster, as far as it may reach."""
    b = both - a
    smaller = np.minimum(a, b)
    reach = np.minimum(0.5, (smaller + 10 * np.sqrt(smaller + 1) + 10) / both)
    of_share = np.where(a <= b, x <= reach, 1 - x > reach)
    y = np.where(of_share, x, 1 - x)
    after = np.where(of_share, a, b) + 1
    # The derivative of a term's logarithm by a: digamma(a + n + 1) is in it for the share, digamma(a) for the rest.
    weight = np.log(x) + digamma(both) - digamma(np.where(of_share, a + 1, a))

    def next_ratios(left: Array, n: Array) -> tuple[Array, Array]:
        above, below = both[left] + n, after[left] + n
        return y[left] * above / below, 1 / above - of_share[left] / below

    slope: Array = np.where(of_share, -x / a, x / b) * _weighted_sum(np.ones_like(x), weight, next_ratios)
    return slope


def _in_parts(function: Callable[..., Array], *arrays: Array) -> Array:
    if arrays[0].size <= _TOGETHER:
        return function(*arrays)
    starts = range(0, arrays[0].size, _TOGETHER)
    return np.concatenate([function(*(array[at : at + _TOGETHER] for array in arrays)) for at in starts])


def _weighted_sum(term: Array, weight: Array, next_ratios: Callable[[Array, Array], tuple[Array, Array]]) -> Array:
    """The sum of term * weight over n; ``next_ratios(places, n)`` says what a term is multiplied by and a weight grows by."""
    total: Array = term * weight
    left = np.arange(total.size)  # the indices whose sums are not done
    done, count = 0, _TERMS[0]
    while left.size and done < _MANY:
        ratios, steps = next_ratios(left, np.arange(done, done + count)[:, None])
        terms = term * np.cumprod(ratios, 0)
        weights = weight + np.cumsum(steps, 0)
        added = terms * weights
        total[left] += added.sum(0)
        # What is to come is as a geometric series, once the ratio is below one.
        rest = np.abs(added[-1]) / (1 - np.minimum(ratios[-1], 0.999))
        go_on = (ratios[-1] > 0.999) | (rest > 1e-16 * np.abs(total[left]))
        left, term, weight = left[go_on], terms[-1][go_on], weights[-1][go_on]
        done, count = done + count, min(2 * count, _TERMS[1])
    return total
