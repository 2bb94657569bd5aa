"""Compiled sums at places, held to NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import BEYOND, DTYPES, agree, few, native, needs_native, numbers, stays_within_fences

import rushlight as torch
from rushlight import kernels


def both_added(name, out, *args):
    kernel, other = kernels.registered[name], out.copy()
    with np.errstate(all="ignore"):
        found, expected = kernel.compiled(out, *args), kernel.numpy(other, *args)
    assert found is out and expected is other
    return found, expected


@needs_native
@given(data=st.data())
@few
def test_rows_are_added(data):
    dtype = data.draw(st.sampled_from(list(DTYPES)))
    rows, count, inner = (
        data.draw(st.sampled_from(sizes)) for sizes in ([1, 3, 50, 700], [0, 1, 2, 90, 1000], [(1,), (3,), (2, 5), (33,)])
    )
    places = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, rows, count)
    values = np.array(numbers(data.draw, (count, *inner), dtype, [*BEYOND, 1e-42, -0.0], 1.0))
    out = np.zeros((rows, *inner), dtype)
    agree(*both_added("flat_indices.add_rows", out, places, values, True), dtype, 100)
    out = np.ones((rows, *inner), dtype)
    agree(*both_added("flat_indices.add_rows", out, places, values[:, ::-1], False), dtype, 100)


@needs_native
@given(data=st.data())
@few
def test_numbers_are_added(data):
    dtype = data.draw(st.sampled_from(list(DTYPES)))
    size, shape = data.draw(st.sampled_from([1, 4, 1000])), data.draw(st.sampled_from([(), (0,), (1,), (7,), (40, 30)]))
    places = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, size, shape)
    values = np.array(numbers(data.draw, data.draw(st.sampled_from([shape, ()])), dtype, [*BEYOND, 1e-42], 1.0))
    out = np.linspace(-1, 1, size).astype(dtype)
    agree(*both_added("flat_indices.add_at", out, places, values), dtype, 100)


@needs_native
def test_what_is_not_taken_is_left_as_it_is():
    add = kernels.registered["flat_indices.add_at"].compiled
    out, values = np.zeros(4, np.float32), np.ones(2, np.float32)
    for places in ([0, 4], [-1, 0], [1 << 62, 0]):
        assert add(out, np.array(places), values) is None
    assert add(out, np.array([0, 1], np.int32), values) is None
    assert add(out, np.array([0, 1]), values.astype(np.float64)) is None
    assert add(np.zeros(8, np.float32)[::2], np.array([0, 1]), values) is None
    assert not out.any()
    for width in (0, 3, 1 << 61, (1 << 64) - 1):
        assert not native.add_at(out, np.array([0, 1]), values, width)
    with pytest.raises(OverflowError):
        native.add_at(out, np.array([0, 1]), values, -1)
    assert not out.any()


@needs_native
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(dtype):
    def arguments(source):
        rows, count, width = (source.choice([1, 2, 3, 5, 8]) for _ in range(3))
        places = source.choice([count, count, count, count + 1])
        return [(rows * width, dtype), (places, "q"), (count * width, dtype)], [
            source.choice([width, width, width, 0, 2, 1 << 63])
        ]

    stays_within_fences("add_at", arguments)


def test_scatter_add_of_an_index_that_is_stretched_adds_rows():
    index = torch.arange(5000) % 7
    out = torch.zeros(7, 3).scatter_add(0, index[:, None].expand(5000, 3), torch.ones(5000, 3))
    assert out[:, 0].tolist() == [715.0, 715.0, 714.0, 714.0, 714.0, 714.0, 714.0] and (out == out[:, :1]).all()
    out = torch.zeros(7, 4).scatter_add(0, index[:, None].expand(5000, 3), torch.ones(5000, 3))
    assert out[0].tolist() == [715.0, 715.0, 715.0, 0.0]
