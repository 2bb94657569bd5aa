"""Means and maxima over bins of unequal lengths, against means and maxima bin by bin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight.backend import adaptive_pooling, padding, pooling

SIZES = [(1, 1), (2, 3), (3, 5), (9, 8), (6, 2), (3, 7)]
PLANE = (6, 7)


@pytest.fixture(params=["by a product", "element by element"])
def _way(request, monkeypatch):
    if request.param == "element by element":
        monkeypatch.setattr(adaptive_pooling, "_LARGEST", 0)


def whole_numbers(shape, dtype="float64", seed=0):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def bins_of(size, spatial=PLANE):
    for place in itertools.product(*map(range, size)):
        yield (
            place,
            tuple(
                slice(at * have // want, -(-(at + 1) * have // want))
                for at, have, want in zip(place, spatial, size, strict=True)
            ),
        )


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("size", SIZES)
def test_bins_cover_the_input(size, dtype):
    x = whole_numbers((2, 3, *PLANE), dtype)
    mean, (greatest, indices) = adaptive_pooling.adaptive_avg_pool(x, size), adaptive_pooling.adaptive_max_pool(x, size)
    assert mean.dtype == greatest.dtype == dtype
    for place, bins in bins_of(size):
        part = x[(..., *bins)]
        np.testing.assert_allclose(mean[(..., *place)], part.mean((2, 3)), atol=1e-3 if dtype == "float16" else 1e-7)
        np.testing.assert_array_equal(greatest[(..., *place)], part.max((2, 3)))
    np.testing.assert_array_equal(pooling.pool_gather(x, indices, 2), greatest)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("size", SIZES)
def test_the_gradient_of_means_is_their_transpose(size):
    x = whole_numbers((2, 3, *PLANE))
    mean = adaptive_pooling.adaptive_avg_pool(x, size)
    g = whole_numbers(mean.shape, seed=1)
    back = adaptive_pooling.adaptive_avg_pool_input_grad(g, x.shape, 2)
    assert (back * x).sum() == pytest.approx((g * mean).sum())


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("one", [np.inf, -np.inf, np.nan])
@np.errstate(invalid="ignore")
def test_what_is_not_finite_stays_in_its_bins(one):
    x = whole_numbers((1, 2, *PLANE))
    x[0, 1, 2, 3] = one
    size = (4, 3)
    mean, (greatest, _) = adaptive_pooling.adaptive_avg_pool(x, size), adaptive_pooling.adaptive_max_pool(x, size)
    for place, bins in bins_of(size):
        part = x[(..., *bins)]
        np.testing.assert_allclose(mean[(..., *place)], part.mean((2, 3)), atol=1e-15)
        np.testing.assert_array_equal(greatest[(..., *place)], part.max((2, 3)))
    g = np.zeros(mean.shape)
    g[0, 0, 1, 1] = one
    back = adaptive_pooling.adaptive_avg_pool_input_grad(g, x.shape, 2)
    assert (~np.isfinite(back)).sum() == (~np.isfinite(back[0, 0, 1:3, 2:5])).sum() == 6


def test_of_equals_the_first_counts_and_of_nan_the_last():
    x = np.array([[1.0, 3.0, 3.0, 2.0, np.nan, 0.0, np.nan, np.nan]])
    values, indices = adaptive_pooling.adaptive_max_pool(x, (3,))
    np.testing.assert_array_equal(values, [[3.0, np.nan, np.nan]])
    np.testing.assert_array_equal(indices, [[1, 4, 7]])


@pytest.mark.parametrize("shape, size", [((0, 2, 4, 5), (3, 2)), ((2, 0, 4, 5), (3, 2)), ((2, 1, 4, 5), (0, 2))])
def test_nothing_has_no_maxima(shape, size):
    values, indices = adaptive_pooling.adaptive_max_pool(np.zeros(shape), size)
    assert values.shape == indices.shape == (*shape[:2], *size)
    assert adaptive_pooling.adaptive_avg_pool(np.zeros(shape), size).shape == values.shape
    assert not adaptive_pooling.adaptive_avg_pool_input_grad(values, shape, 2).any()


def test_fractional_max_pool_begins_where_the_samples_say():
    x = np.arange(70.0).reshape(1, 1, 7, 10)
    values, indices = adaptive_pooling.fractional_max_pool(x, (2, 3), (3, 4), np.array([[[0.3, 0.8]]]))
    expected = [[12, 15, 17, 19], [32, 35, 37, 39], [62, 65, 67, 69]]
    np.testing.assert_array_equal(values[0, 0], expected)
    np.testing.assert_array_equal(indices[0, 0], expected)


@given(st.integers(1, 6), st.integers(-12, 8), st.integers(-12, 8), st.sampled_from(["reflect", "replicate"]), st.booleans())
def test_padding_backwards_is_its_transpose(size, before, after, mode, inner):
    reach = size - 1 if mode == "reflect" else 8
    before, after = min(before, reach), min(after, reach)
    if size + before + after < 1:
        return
    widths = (0, 0, before, after) if inner else (before, after)
    x = whole_numbers((2, size, 3) if inner else (3, size))
    y = padding.mirrored_pad(x, widths, mode)
    wide = np.pad(x, ((0, 0), (max(before, 0), max(after, 0)), (0, 0))[: x.ndim], {"replicate": "edge"}.get(mode, mode))
    np.testing.assert_array_equal(y, wide[:, max(-before, 0) : wide.shape[1] - max(-after, 0)])
    g = whole_numbers(y.shape, seed=1)
    assert (padding.mirrored_pad_adjoint(g, widths, mode) * x).sum() == (g * y).sum()
