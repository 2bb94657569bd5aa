"""Compiled sorting, held to the steps in Python: equal elements are left in the same places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import few, native, needs_native, stays_within_fences

import rushlight as torch
from rushlight import kernels

DTYPES = ["f", "d", "e", "b", "B", "i", "q", "?"]


def both_ordered(name, *args):
    kernel = kernels.registered[f"introsort.{name}"]
    return kernel.compiled(*args).tolist(), kernel.numpy(*args).tolist()


@needs_native
@given(data=st.data())
@few
def test_equal_elements_come_as_the_steps_leave_them(data):
    count, length = data.draw(st.sampled_from([(1, 1), (3, 2), (2, 17), (5, 130), (1, 2500)]))
    dtype = data.draw(st.sampled_from(DTYPES))
    source = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows = source.integers(0, data.draw(st.sampled_from([1, 2, 5, 60])), (count, length)).astype(dtype)
    if dtype in "fde" and data.draw(st.booleans()):
        rows[source.random(rows.shape) < 0.2] = np.nan
        rows[source.random(rows.shape) < 0.1] *= -1
    upwards, k = data.draw(st.booleans()), data.draw(st.integers(1, length))
    found, expected = both_ordered("introsorted_rows", rows, upwards)
    assert found == expected
    found, expected = both_ordered("greatest_in_rows", rows, k, upwards)
    assert found == expected
    found, expected = both_ordered("selected_in_rows", rows, k - 1)
    assert found == expected


@needs_native
def test_what_is_not_taken_is_left_as_it_is():
    values, places = np.zeros(6, np.float32), np.full(6, 7)
    assert not native.order(values, places, 4, 0, False)
    assert not native.order(values, places, 0, 0, False)
    assert not native.order(values, places, 3, 4, False)
    assert not native.order(values, places[:5], 3, 0, False)
    assert not native.order(values.astype(np.int32), places, 3, 0, False)
    assert not native.select(values, places[:2], 3, 3)
    assert not native.select(values, places[:3], 3, 1)
    with pytest.raises(OverflowError):
        native.select(values, places[:2], 3, -1)
    assert (places == 7).all()


@needs_native
@pytest.mark.parametrize("name", ["order", "select"])
@pytest.mark.parametrize("dtype", ["f", "d", "q"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        rows, length = source.choice([1, 2, 3, 5]), source.choice([1, 2, 17, 40])
        wanted = source.choice([0, 0, length - 1, length - 1, length, length + 1, 1 << 63])
        found = 1 if name == "select" else min(wanted, 40) or length
        places = rows * found + source.choice([0, 0, 0, 1])
        sizes = [source.choice([length, length, length + 1, 0]), wanted] + ([source.random() < 0.5] if name == "order" else [])
        return [(rows * length, dtype), (places, "q")], sizes

    stays_within_fences(name, arguments)


@needs_native
def test_large_tensors_are_sorted_as_small_ones():
    x = (torch.arange(30_000) * 7 % 17).double()
    assert x.sort().indices[:6].tolist() != x.sort(stable=True).indices[:6].tolist()
    assert x.sort().indices.tolist() == x.bfloat16().sort().indices.tolist() == x.int().sort().indices.tolist()
    many = torch.arange(40_000) * 7 % 17
    assert many.sort().indices.tolist() == many.sort(stable=True).indices.tolist()  # by radix
    assert many[None].sort().indices.tolist() != many[None].sort(stable=True).indices.tolist()
