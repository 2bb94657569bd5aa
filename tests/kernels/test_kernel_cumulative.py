"""Compiled running sums, products and extremes, held to NumPy's: to the bit, for both go on in double, number by number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import (
    A_DTYPE,
    BEYOND,
    ODD,
    few,
    native,
    needs_native,
    numbers,
    same_on_any_number_of_threads,
    stays_within_fences,
)

import rushlight as torch
from rushlight import kernels

TOTALS = ["cumulative.cumsum", "cumulative.cumprod", "cumulative.cumsum_from_end"]
PLACES = ["cumulative.argcummax", "cumulative.argcummin"]
SHAPES = [(1,), (7,), (1000,), (3, 5), (8, 9), (17, 4), (2, 3, 65), (4, 130), (1, 64, 1), (5, 1, 3), (2, 2, 2, 2)]


@needs_native
@pytest.mark.parametrize("name", TOTALS + PLACES)
@given(data=st.data())
@few
def test_along_every_axis(instruction_set, name, data):
    shape = data.draw(st.sampled_from(SHAPES))
    x = numbers(data.draw, shape, data.draw(A_DTYPE), ODD + BEYOND, 0.6)
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    if name in PLACES and data.draw(st.booleans()):
        x = np.round(x)  # with equal ones
    kernel, axis = kernels.registered[name], data.draw(st.integers(0, x.ndim - 1))
    with np.errstate(all="ignore"):
        found, expected = kernel.compiled(x, axis), kernel.numpy(x, axis)
    assert found is not None and found.dtype == expected.dtype and found.flags.c_contiguous
    np.testing.assert_array_equal(found, expected)
    zeros = expected == 0
    assert (np.signbit(found[zeros]) == np.signbit(expected[zeros])).all()


@needs_native
def test_what_is_not_taken():
    for name in TOTALS + PLACES:
        compiled = kernels.registered[name].compiled
        for x in (np.float32(3), np.empty((0, 3), np.float32), np.arange(4), np.ones(3, np.float16), np.ones(3, np.complex64)):
            assert compiled(np.asarray(x), 0) is None
    assert kernels.registered["cumulative.cumsum"].compiled(np.ones(3, np.float32), 0, np.dtype(np.float64)) is None


@needs_native
def test_any_number_of_threads_gives_the_same():
    x = np.random.default_rng(0).standard_normal((300, 40, 70)).astype(np.float32)
    every = [kernels.registered[name].compiled for name in TOTALS + PLACES]
    same_on_any_number_of_threads(lambda: [each(x, axis) for each in every for axis in (0, 1, 2)])


@needs_native
@pytest.mark.parametrize("name", ["running_sum", "running_sum_back", "running_product", "last_maximum", "last_minimum"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        outer, length, inner = (source.choice([1, 2, 3, 9, 65]) for _ in range(3))
        size, room = outer * length * inner, source.choice([0, 0, 0, 1])
        sizes = [(size + room, "q" if name.startswith("last") else dtype), (size, dtype)]
        return sizes, [source.choice([length, length, 0, 1 << 63]), source.choice([inner, inner, inner + 1, 0])]

    stays_within_fences(name, arguments)
    with pytest.raises(OverflowError):
        getattr(native, name)(np.zeros(1, "q" if name.startswith("last") else dtype), np.zeros(1, dtype), -1, 1)


def test_many_numbers_beside_plain_ones():
    x = torch.arange(6000.0).reshape(60, 100).sin()
    plain = [0.0] * 100
    for number, row in enumerate(x.tolist()):
        plain = [before + now for before, now in zip(plain, row, strict=True)]
        assert math.isclose(x.cumsum(0)[number, 7].item(), plain[7], rel_tol=1e-5, abs_tol=1e-6)
    values, indices = x.cummax(1)
    assert values[:, -1].tolist() == x.amax(1).tolist() and indices[:, -1].tolist() == x.argmax(1).tolist()
