"""Compiled pooling, held to NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kernel_checks import (
    A_DTYPE,
    BEYOND,
    agree,
    both,
    few,
    needs_native,
    numbers,
    same_on_any_number_of_threads,
    stays_within_fences,
)

from rushlight import kernels
from rushlight.kernels.pooling import pool_shape


def windows(draw):
    """An input, the options of its windows, and the shape of its pooled axes."""
    dtype, rank = draw(A_DTYPE), draw(st.integers(1, 3))
    ranges = ((1, 5), (1, 4), (0, 2), (1, 3))
    kernel, stride, padding, dilation = (tuple(draw(st.integers(*bounds)) for _ in range(rank)) for bounds in ranges)
    padding = tuple(min(pad, taps // 2) for pad, taps in zip(padding, kernel, strict=True))
    spatial = (*(draw(st.integers(1, 12)) for _ in range(rank - 1)), draw(st.sampled_from([1, 5, 9, 17, 40, 70])))
    ceil = draw(st.booleans())
    out = pool_shape(spatial, kernel, stride, padding, dilation, ceil)
    assume(min(out) > 0)
    lead = draw(st.sampled_from([(), (1,), (3, 2)]))
    x = np.require(numbers(draw, (*lead, *spatial), dtype, [*BEYOND, 1e-42, -0.0]), requirements="A")
    if draw(st.booleans()):
        x = np.rint(x)  # so that there are equals
    return dtype, x, (kernel, stride, padding, dilation, ceil), out


def see_something(size, taps, step, pad, spread, count):
    return all(any(0 <= n * step - pad + tap * spread < size for tap in range(taps)) for n in range(count))


@given(data=st.data())
@few
def test_maxima_over_windows(instruction_set, data):
    dtype, x, options, out = windows(data.draw)
    found, expected = both("pooling.max_pool", x, *options)
    if found is None:  # a window of which all taps lie in the padding
        assert not all(map(see_something, x.shape[x.ndim - len(out) :], *options[:4], out))
        return
    agree(found[0], expected[0], dtype)
    assert (found[1] == expected[1]).all() and found[1].dtype == np.int64
    g = np.random.default_rng(0).standard_normal((*x.shape[: x.ndim - len(out)], *out)).astype(dtype)
    agree(*both("pooling.pool_scatter", g, expected[1], x.shape, len(out)), dtype, 100)


@given(data=st.data())
@few
def test_means_over_windows(instruction_set, data):
    dtype, x, (kernel, stride, padding, _, ceil), _ = windows(data.draw)
    with_pad, override = data.draw(st.booleans()), data.draw(st.sampled_from([None, None, 3, -2]))
    options = (kernel, stride, padding, ceil, with_pad, override)
    out = pool_shape(x.shape[x.ndim - len(kernel) :], kernel, stride, padding, (1,) * len(kernel), ceil)
    assume(min(out) > 0)
    found, expected = both("pooling.avg_pool", x, *options)
    agree(found, expected, dtype, 20)
    g = np.random.default_rng(0).standard_normal(expected.shape).astype(dtype)
    agree(*both("pooling.avg_pool_input_grad", g, x.shape, *options), dtype, 100)


@given(data=st.data())
@few
def test_bins(instruction_set, data):
    dtype, rank = data.draw(A_DTYPE), data.draw(st.integers(1, 3))
    spatial, size = (tuple(data.draw(st.integers(1, most)) for _ in range(rank)) for most in (20, 24))
    lead = data.draw(st.sampled_from([(), (1,), (3, 2)]))
    x = np.require(numbers(data.draw, (*lead, *spatial), dtype, [*BEYOND, 1e-42]), requirements="A")
    agree(*both("adaptive_pooling.adaptive_avg_pool", x, size), dtype, 40)
    found, expected = both("adaptive_pooling.adaptive_max_pool", np.rint(x), size)
    agree(found[0], expected[0], dtype)
    assert (found[1] == expected[1]).all()
    g = np.random.default_rng(0).standard_normal((*lead, *size)).astype(dtype)
    agree(*both("adaptive_pooling.adaptive_avg_pool_input_grad", g, x.shape, rank), dtype, 100)


def test_of_equals_the_first_counts_and_of_nan_the_last(instruction_set):
    pool = kernels.registered["pooling.max_pool"].compiled
    x = np.zeros((1, 4, 40), np.float32)
    x[0, 1, 3], x[0, 2, 2] = math.nan, math.nan
    for width in (40, 5):  # by vectors, and one by one
        values, indices = pool(x[..., :width], (4, 5), (4, 1), (0, 0), (1, 1))
        assert indices[0, 0, 0] == 2 * width + 2 and np.isnan(values[0, 0, 0])
    values, indices = pool(np.full((1, 1, 40), -math.inf), (1, 3), (1, 1), (0, 1), (1, 1))
    assert indices[0, 0].tolist() == [0, *range(39)] and (values == -math.inf).all()


@needs_native
def test_pooling_does_not_depend_on_the_number_of_threads():
    x = np.random.default_rng(0).standard_normal((70, 6, 20, 31))
    taken = {name: kernel.compiled for name, kernel in kernels.registered.items() if "pool" in name}
    window = ((3, 3), (2, 1), (1, 1))
    out, indices = taken["pooling.max_pool"](x, *window, (1, 1))
    same_on_any_number_of_threads(
        lambda: [
            *taken["pooling.max_pool"](x, *window, (1, 1)),
            taken["pooling.pool_scatter"](out, indices, x.shape, 2),
            taken["pooling.avg_pool"](x, *window),
            taken["pooling.avg_pool_input_grad"](out, x.shape, *window),
        ]
    )


@needs_native
def test_what_is_not_taken_is_left_to_numpy():
    taken = {name: kernel.compiled for name, kernel in kernels.registered.items() if "pool" in name}
    x, window = np.ones((1, 4, 4), np.float32), ((2, 2), (2, 2), (0, 0))
    for other in (np.float16, np.int64):
        assert taken["pooling.max_pool"](x.astype(other), *window, (1, 1)) is None
        assert taken["pooling.avg_pool"](x.astype(other), *window) is None
    assert taken["pooling.max_pool"](x[:0], *window, (1, 1)) is None
    assert taken["adaptive_pooling.adaptive_max_pool"](x, (0, 2)) is None
    assert taken["pooling.avg_pool"](x, *window, False, True, 1 << 70) is None
    for place in (-1, 16, 1 << 62):
        assert taken["pooling.pool_scatter"](x[:, :1, :1], np.full((1, 1, 1), place), (1, 4, 4), 2) is None


def bounds(source, spatial, out):
    """Random boxes within, as native/box_functions.cpp takes them; wrong ones at times."""
    numbers_of_axes = []
    for have, want in zip(spatial, out, strict=True):
        begin = sorted(source.randrange(have) for _ in range(want))
        end = [source.randint(one + 1, have) for one in begin]
        if source.random() < 0.1:
            begin[0] = source.choice([-1, have, 1 << 40, -(1 << 62)])
        numbers_of_axes += [begin, end, [source.choice([1, 2, 0, (1 << 63) - 1]) for _ in begin]]
    return np.array([one for numbers in numbers_of_axes for one in numbers])


@needs_native
@pytest.mark.parametrize("name", ["box_maxima", "box_means", "box_means_backward"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_boxes_stay_within_fences(name, dtype):
    def arguments(source):
        spatial, out = ([source.choice([1, 2, 5, 20]) for _ in range(3)] for _ in range(2))
        planes = source.choice([1, 2, 3])
        steps = [source.choice([1, 1, 2]) if name == "box_maxima" else 1 for _ in range(3)]
        whole, pooled = planes * math.prod(spatial), planes * math.prod(out)
        values, given = (whole, pooled) if name.endswith("backward") else (pooled, whole)
        indices = (pooled, "q") if name == "box_maxima" else None
        return [(values, dtype), indices, (given, dtype), bounds(source, spatial, out)], [(planes, *spatial, *out, *steps)]

    stays_within_fences(name, arguments)


@needs_native
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_places_of_maxima_stay_within_fences(dtype):
    def arguments(source):
        planes, plane, pooled = (source.choice([1, 2, 3, 5, 8]) for _ in range(3))
        return [(planes * plane, dtype), (planes * pooled, dtype), (planes * pooled, "q")], [(planes, plane, pooled)]

    stays_within_fences("pool_scatter", arguments)
