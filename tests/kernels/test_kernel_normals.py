"""Compiled normal numbers and permutations, held to NumPy's kernels: to the bit, as PyTorch's streams are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import few, native, needs_native, same_on_any_number_of_threads, stays_within_fences

from rushlight import kernels

SCALES = [(0.0, 1.0), (3.0, 0.7), (-1.0, 1.0), (0.0, 2.5), (1e30, 1e-30)]


@needs_native
@pytest.mark.parametrize("name, dtype", [("fill_blocks_32", "f"), ("fill_blocks_64", "d")])
@given(data=st.data())
@few
def test_blocks(instruction_set, name, dtype, data):
    blocks, (mean, std) = data.draw(st.sampled_from([0, 1, 2, 31, 32, 33, 100, 700])), data.draw(st.sampled_from(SCALES))
    words = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 1 << 24, blocks * 16)
    uniform = (words * 2.0**-24).astype(dtype)
    for place, odd in enumerate(
        [0.0, 1 - 2.0**-24, 0.5, 0.25, 2.0**-24][: 5 * (blocks > 0)]
    ):  # a radius of none, angles between octants
        uniform[place] = uniform[place + 8] = odd
    kernel = kernels.registered[f"box_muller.{name}"]
    found, expected = uniform.copy(), uniform.copy()
    assert kernel.compiled(found, mean, std) is found and kernel.numpy(expected, mean, std) is expected
    assert found.tobytes() == expected.tobytes()


@needs_native
def test_what_is_not_taken():
    fill = kernels.registered["box_muller.fill_blocks_32"].compiled
    for values in (np.ones(15, "f"), np.ones(64, "f")[::2], np.ones(16, np.float16), np.ones(16, int)):
        before = values.copy()
        assert fill(values, 0.0, 1.0) is None and (values == before).all()


@needs_native
def test_any_number_of_threads_gives_the_same():
    uniform = np.random.default_rng(0).random(1 << 19)
    fill = kernels.registered["box_muller.fill_blocks_64"].compiled
    same_on_any_number_of_threads(lambda: [fill(uniform.astype(dtype), 1.0, 2.0) for dtype in "fd"])


@needs_native
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(dtype):
    stays_within_fences(
        "normal_blocks",
        lambda source: ([(source.choice([0, 16, 32, 33, 48, 528]), dtype)], [0.0, source.choice([1.0, math.inf])]),
    )


@needs_native
@given(length=st.sampled_from([1, 2, 3, 100, 2048, 2049, 5000]), seed=st.integers(0, 99))
@few
def test_swapped(length, seed):
    words = np.random.default_rng(seed).integers(0, 1 << 32, length - 1, np.uint32)
    words.flags.writeable = False
    kernel = kernels.registered["permutations.swapped"]
    found = kernel.compiled(words, length)
    assert found is not None and found.dtype == np.int64
    np.testing.assert_array_equal(found, kernel.numpy(words, length))


@needs_native
def test_what_swapping_does_not_take():
    order, words = np.full(4, 9), np.zeros(3, np.uint32)
    for one, other in (
        (order[:3], words),
        (order, words[:2]),
        (order[:0], words[:0]),
        (order.astype(np.int32), words),
        (order, words.astype(int)),
    ):
        assert not native.swapped(one, other)
    assert (order == 9).all()
    assert native.swapped(order, words) and order.tolist() == [0, 1, 2, 3]


@needs_native
def test_swapping_stays_within_fences():
    def arguments(source):
        length = source.choice([1, 2, 5, 33, 300])
        return [(length, "q"), (length - 1 + source.choice([0, 0, 0, 1]), "I")], []

    stays_within_fences("swapped", arguments)
