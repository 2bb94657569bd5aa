"""Compiled norms of groups of channels, and by moments that are given, held to NumPy's and to double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import (
    A_DTYPE,
    DTYPES,
    agree,
    both,
    few,
    native,
    needs_native,
    numbers,
    same_on_any_number_of_threads,
    stays_within_fences,
)

from rushlight import kernels

INNER = [(8,), (9,), (17,), (3, 5), (28, 28), (2, 3, 11), (2049,)]


def drawn(draw, odd=(), inners=INNER):
    """Numbers, a cotangent, weight and bias, and how many groups there are."""
    dtype, inner, groups = draw(A_DTYPE), draw(st.sampled_from(inners)), draw(st.integers(1, 3))
    shape = (draw(st.integers(1, 4)), groups * draw(st.integers(1, 4)), *inner)
    x, g = (numbers(draw, shape, dtype, odd) for _ in range(2))
    weight, bias = (draw(st.sampled_from([None, numbers(draw, shape[1:2], dtype, (), 1.0)])) for _ in range(2))
    return dtype, x, g, weight, bias, groups


@given(data=st.data())
@few
def test_group_norm(instruction_set, data):
    dtype, x, _, weight, bias, groups = drawn(data.draw, [math.nan, 1e-42, 20.0])
    agree(*both("normalization.group_norm", x, weight, bias, groups, 1e-5), dtype, 100)


@given(data=st.data())
@few
def test_slopes_of_group_norm(instruction_set, data):
    dtype, x, g, weight, _, groups = drawn(data.draw)
    needs = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    found = kernels.registered["normalization.group_norm_backward"].compiled(g, x, weight, groups, 1e-5, needs)
    assert found is not None and [each is not None for each in found] == list(needs)
    rows, axes = (x.shape[0] * groups, -1), (0, *range(2, x.ndim))
    wide, h = x.astype(np.float64).reshape(rows), g.astype(np.float64)
    rstd = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    hat = (wide - wide.mean(1, keepdims=True)) * rstd
    for_weight, for_bias = (h * hat.reshape(x.shape)).sum(axes), h.sum(axes)
    scaled = h if weight is None else h * weight.astype(np.float64).reshape(-1, *(1,) * (x.ndim - 2))
    scaled = scaled.reshape(rows)
    slope = (scaled - scaled.mean(1, keepdims=True) - hat * (scaled * hat).mean(1, keepdims=True)) * rstd
    for one, other in zip(found, (slope.reshape(x.shape), for_weight, for_bias), strict=True):
        if one is not None:
            bound = DTYPES[dtype] * 100
            np.testing.assert_allclose(one, other, rtol=bound, atol=bound * max(1.0, float(np.abs(other).max())))


@given(data=st.data())
@few
def test_batch_norm_by_given_moments(instruction_set, data):
    dtype, x, _, weight, bias, _ = drawn(data.draw, [math.nan, math.inf, 1e-42, 20.0], [(), *INNER])
    mean, var = numbers(data.draw, x.shape[1:2], dtype), np.abs(numbers(data.draw, x.shape[1:2], dtype))
    agree(*both("normalization.batch_norm_given", x, mean, var, weight, bias, 1e-5), dtype, 1000)


@given(data=st.data())
@few
def test_dots_of_channels(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    shape = (
        data.draw(st.sampled_from([1, 3, 40])),
        data.draw(st.sampled_from([1, 2, 9])),
        *data.draw(st.sampled_from([(8,), (3, 11), (5, 5, 5)])),
    )
    x, g = (numbers(data.draw, shape, dtype, [1e-42]) for _ in range(2))
    mean = numbers(data.draw, shape[1:2], dtype)
    agree(*both("normalization.channel_dots", g, x, mean), dtype, 100 * math.sqrt(x.size))
    same_on_any_number_of_threads(lambda: [kernels.registered["normalization.channel_dots"].compiled(g, x, mean)])
    assert kernels.registered["normalization.channel_dots"].compiled(g[..., :4], x[..., :4], mean) is None


def test_numbers_far_from_0_are_normalized_as_exactly_as_near(instruction_set):
    x = np.random.default_rng(0).standard_normal((2, 4, 100))
    near = kernels.registered["normalization.group_norm"].compiled(x, None, None, 2)
    far = kernels.registered["normalization.group_norm"].compiled((x + 4096).astype(np.float32), None, None, 2)
    assert np.abs(far - near).max() < 1e-3  # of which the numbers' own rounding is 2e-4


@needs_native
def test_norms_of_groups_do_not_depend_on_the_number_of_threads():
    x, g = np.random.default_rng(0).standard_normal((2, 30, 12, 20, 31)).astype(np.float32)
    forward, back = (kernels.registered[f"normalization.group_norm{name}"].compiled for name in ("", "_backward"))
    same_on_any_number_of_threads(lambda: [forward(x, None, None, 3), *back(g, x, None, 3, 1e-5, (True,) * 3)])


@needs_native
def test_sizes_that_do_not_fit_are_refused():
    x, y, moments = np.ones((2, 6, 8), np.float32), np.zeros((2, 6, 8), np.float32), np.ones((2, 6))
    for sizes in ((2, 6, 8, 4), (2, 6, 8, 0), (2, 6, 9, 2), (0, 6, 8, 2), (2, 1 << 40, 8, 1), (1 << 63, 2, 48, 2)):
        assert not native.group_norm(y, x, None, None, 1e-5, sizes)
        assert not native.group_norm_backward(y, None, None, x, x, None, 1e-5, sizes)
        if sizes[:3] != (2, 6, 8):
            assert not native.batch_norm_given(y, x, moments, None, None, 1e-5, sizes[:3])
    for wrong in (moments[:1], moments.astype(np.float32)):
        assert not native.batch_norm_given(y, x, wrong, None, None, 1e-5, (2, 6, 8))
    assert not native.group_norm(y, x, np.ones(5, np.float32), None, 1e-5, (2, 6, 8, 2))
    assert not y.any()


@needs_native
@pytest.mark.parametrize("name", ["group_norm", "group_norm_backward", "batch_norm_given"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        samples, channels, length = (source.choice([1, 2, 3, 6, 17]) for _ in range(3))
        groups = source.choice([one for one in (1, 2, 3, 17) if channels % one == 0])
        whole, vector, sizes = (samples * channels * length, dtype), (channels, dtype), (samples, channels, length)
        if name == "batch_norm_given":
            return [whole, whole, (2 * channels, "d"), vector, None], [1e-5, sizes]
        if name == "group_norm":
            return [whole, whole, vector, vector], [1e-5, (*sizes, groups)]
        return [whole, vector, vector, whole, whole, vector], [1e-5, (*sizes, groups)]

    stays_within_fences(name, arguments)
