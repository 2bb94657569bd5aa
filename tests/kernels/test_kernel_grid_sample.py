"""Compiled sampling at the places of a grid, held to NumPy's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import (
    A_DTYPE,
    BEYOND,
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

PADDINGS = ("zeros", "border", "reflection")


def drawn(draw):
    """Images, a grid, a cotangent, and the options."""
    dtype, rank = draw(A_DTYPE), draw(st.sampled_from([2, 3]))
    mode = draw(st.sampled_from(["bilinear", "nearest", "bicubic"][: 5 - rank]))
    spatial = tuple(draw(st.sampled_from([1, 2, 3, 9])) for _ in range(rank))
    out = tuple(draw(st.sampled_from([1, 3, 13])) for _ in range(rank))
    samples, channels = draw(st.integers(1, 3)), draw(st.sampled_from([1, 2, 5]))
    x = np.require(numbers(draw, (samples, channels, *spatial), dtype, [math.nan, 1e-42]), requirements="A")
    g = np.require(numbers(draw, (samples, channels, *out), dtype), requirements="A")
    grid = np.require(numbers(draw, (samples, *out, rank), dtype, [*BEYOND, 1e30, -5.0, 1.0, -1.0, 0.0], 0.8), requirements="A")
    order = draw(st.sampled_from([None, (0,) * rank, (1, *(0,) * (rank - 1)), (*(0,) * (rank - 1), 1)]))
    options = (mode, draw(st.sampled_from(PADDINGS)), draw(st.booleans()), None if mode == "nearest" else order)
    return dtype, x, g, grid, options


@needs_native
@given(data=st.data())
@few
def test_sampling(data):
    dtype, x, _, grid, options = drawn(data.draw)
    agree(*both("grid_sample.grid_sample", x, grid, *options), dtype, 400)


@needs_native
@given(data=st.data())
@few
def test_the_way_back_to_images(data):
    dtype, x, g, grid, options = drawn(data.draw)
    # What is at places that are not finite goes nowhere, or everywhere: PyTorch's order of taps and no other says.
    grid = np.where(np.isfinite(grid), grid, grid.dtype.type(0.25))
    agree(*both("grid_sample.grid_sample_input_grad", g, grid, x.shape, *options), dtype, 2000)


@needs_native
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_places_at_edges_and_between_pixels_are_numpys(mode, padding):
    x = np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4) + 1
    places = np.linspace(-1.5, 1.5, 25, dtype=np.float32)
    grid = np.array(list(itertools.product(places, places)), np.float32).reshape(1, 25, 25, 2)
    for align in (False, True):
        found, expected = both("grid_sample.grid_sample", x, grid, mode, padding, align)
        agree(found, expected, "float32", 10)


@needs_native
def test_higher_derivatives_are_left_to_numpy():
    x, grid = np.ones((1, 1, 2, 2), np.float32), np.zeros((1, 1, 1, 2), np.float32)
    sample = kernels.registered["grid_sample.grid_sample"].compiled
    assert sample(x, grid, "bilinear", "zeros", False, (2, 0)) is None
    assert sample(x, grid, "nearest", "zeros", False, (1, 0)) is None
    assert sample(x.astype(np.float16), grid.astype(np.float16), "bilinear", "zeros", False) is None
    assert sample(x[:, :0], grid, "bilinear", "zeros", False) is None


@needs_native
def test_sampling_does_not_depend_on_the_number_of_threads():
    generator = np.random.default_rng(0)
    x, g = (generator.standard_normal((9, 5, 20, 30)).astype(np.float32) for _ in range(2))
    grid = generator.uniform(-1.2, 1.2, (9, 20, 30, 2)).astype(np.float32)
    options = ("bilinear", "zeros", False)
    forward, back = (kernels.registered[f"grid_sample.grid_sample{name}"].compiled for name in ("", "_input_grad"))
    same_on_any_number_of_threads(lambda: [forward(x, grid, *options), back(g, grid, x.shape, *options)])


@needs_native
@pytest.mark.parametrize("name", ["grid_sample", "grid_sample_backward"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        rank = source.choice([2, 3])
        samples, channels, places = (source.choice([1, 2, 3, 70]) for _ in range(3))
        spatial = [source.choice([1, 2, 5]) if axis + rank >= 3 else 1 for axis in range(3)]
        mode = source.randrange(3 if rank == 2 else 2)
        sizes = (samples, channels, *spatial, places, rank, mode, source.randrange(3), source.randrange(2), 0, 0, 0)
        images, values = samples * channels * math.prod(spatial), samples * channels * places
        first = [(values, dtype), (images, dtype)] if name == "grid_sample" else [(images, dtype), (values, dtype)]
        return [*first, (samples * places * rank, dtype)], [sizes]

    stays_within_fences(name, arguments)


@needs_native
def test_sizes_that_overflow_are_refused():
    y, x, grid = np.zeros(4, np.float32), np.ones(4, np.float32), np.zeros(8, np.float32)
    sizes = [1, 1, 1, 2, 2, 4, 2, 0, 0, 0, 0, 0, 0]
    assert native.grid_sample(y, x, grid, tuple(sizes)) and (y == 1).all()
    for place in range(len(sizes)):
        for wrong in (7, 1 << 22, 1 << 40, 1 << 62, (1 << 64) - 1):
            if place != 9:  # whether corners are aligned
                assert not native.grid_sample(y, x, grid, (*sizes[:place], wrong, *sizes[place + 1 :])), (place, wrong)
