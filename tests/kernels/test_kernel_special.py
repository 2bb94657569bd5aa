"""Compiled special functions and remainders on numbers where they are hard to get right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_checks import both, native

if native is None:
    pytest.skip("the extension is not built, or is switched off", allow_module_level=True)

ODD = [0.0, -0.0, 1.0, -1.0, 0.1, -3.5, 7.0, 1e-40, -1e-40, 1e30, -1e30, 16777216.0, 4.0, math.inf, -math.inf, math.nan]
FIRST, SECOND = (each.ravel() for each in np.meshgrid(ODD, ODD))


def spread_out(source, dtype, power):
    values = source.standard_normal(4096) * 10.0 ** source.uniform(-power, power, 4096)
    values[:1024] = np.round(values[:1024] * 8) / 8
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", ["arithmetic.fmod", "arithmetic.remainder"])
@pytest.mark.parametrize("power", [1, 3, 12])
def test_remainders_are_exact(instruction_set, dtype, name, power):
    source = np.random.default_rng(power)
    a, b = spread_out(source, dtype, power), spread_out(source, dtype, power)
    a[2048:3072] = b[2048:3072] * source.integers(-50, 51, 1024)
    for one, other in ((a, b), (FIRST.astype(dtype), SECOND.astype(dtype)), (a, b[7:8].reshape(()))):
        found, expected = both(name, one, other)
        np.testing.assert_array_equal(found, expected)
        numbers = ~np.isnan(expected)
        assert (np.signbit(found) == np.signbit(expected))[numbers].all()


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", ["choice.logaddexp", "choice.logaddexp2"])
def test_sums_of_exponentials(instruction_set, dtype, name):
    source = np.random.default_rng(0)
    for a, b in ((FIRST, SECOND), (source.uniform(0, 90, 4096), source.uniform(-90, 90, 4096))):
        found, expected = both(name, a.astype(dtype), b.astype(dtype))
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "f" else 1e-14, atol=1e-44)


def test_erfc_of_large_numbers_keeps_its_digits(instruction_set):
    x = np.linspace(-3, 26, 1001)
    expected = np.array(list(map(math.erfc, x)))
    np.testing.assert_allclose(both("special.erfc", x)[0], expected, rtol=2e-14)
    narrow = np.linspace(-3, 9, 1001).astype("f")
    expected = np.array(list(map(math.erfc, narrow.astype("d"))))
    np.testing.assert_allclose(both("special.erfc", narrow)[0], expected, rtol=2e-6)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_lgamma_keeps_its_digits_where_it_is_nearly_0(instruction_set, dtype):
    t = np.array([2.0**-10, -(2.0**-10), 0.0, 2.0**-20, -(2.0**-20)] * 20)
    # By powers of the distance: Euler's constant, and zeta(2) / 2, (zeta(2) - 1) / 2, zeta(3) / 3 and so on.
    at_1 = t * (-0.57721566490153286 + t * (0.82246703342411322 + t * (-0.40068563438653143 + t * 0.27058080842778454)))
    at_2 = t * (0.42278433509846714 + t * (0.32246703342411322 + t * (-0.067352301053198095 + t * 0.020580808427784548)))
    for place, expected in ((1, at_1), (2, at_2)):
        found = both("special.lgamma", (t + place).astype(dtype))[0]
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "f" else 1e-11, atol=1e-15)


def test_lgamma_leaves_odd_numbers_to_numpy():
    for odd in (0.0, -1.5, 1e-310, math.nan, -math.inf):
        assert both("special.lgamma", np.array([1.0, odd]))[0] is None
    assert math.isinf(both("special.lgamma", np.array([1.0, math.inf]))[0][1])
