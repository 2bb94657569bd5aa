"""Compiled sums at places, held to NumPy's."""

from __future__ import annotations

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
    dtype = data.draw(A_DTYPE)
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
    dtype = data.draw(A_DTYPE)
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


MOVES = ["flat_indices.put_in_step", "flat_indices.add_in_step"]
KINDS = ["float32", "float64", "float16", "int64", "int32", "int8", "bool"]


def draw_along(data, is_put):
    """An array's shape, an axis of it, and indices along it: of all others, of a few of the first, or the same for all."""
    shape = data.draw(st.sampled_from([(5,), (3, 4), (40, 3), (2, 3, 5), (7, 1, 2), (3, 2, 2, 9)]))
    axis, generator = data.draw(st.integers(0, len(shape) - 1)), np.random.default_rng(data.draw(st.integers(0, 99)))
    picked = list(shape)
    picked[axis] = shape[axis] if is_put else data.draw(st.sampled_from([1, 2, 6, 600]))
    if axis:
        picked[0] = data.draw(st.integers(1, shape[0]))
    if is_put:  # each place once, so that the order does not count
        turns = [generator.permutation(shape[axis]) for _ in range(math.prod(picked) // shape[axis])]
        others = [size for place, size in enumerate(picked) if place != axis]
        return shape, axis, np.moveaxis(np.array(turns).reshape(*others, shape[axis]), -1, axis)
    if data.draw(st.booleans()):
        along = generator.integers(0, shape[axis], picked[axis]).reshape(
            [-1 if one == axis else 1 for one in range(len(shape))]
        )
        return shape, axis, np.broadcast_to(along, picked)
    return shape, axis, generator.integers(0, shape[axis], picked)


@needs_native
@given(data=st.data())
@few
def test_picked_along_every_axis(data):
    shape, axis, indices = draw_along(data, False)
    x = np.array(numbers(data.draw, shape, "float32", [-0.0, 1e-42], 40.0)).astype(data.draw(st.sampled_from(KINDS)))
    if data.draw(st.booleans()):
        x = np.asfortranarray(x)
    if len(shape) == 1 and indices.size < 600:
        assert kernels.registered["extremes.take_along"].compiled(x, indices, axis) is None
    elif x.flags.c_contiguous or indices.size >= x.size:
        found, expected = both("extremes.take_along", x, indices, axis)
        assert found is not None and found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    line = np.ascontiguousarray(indices.reshape(-1)[: shape[axis]])
    compiled = kernels.registered["index.slices"].compiled(x, line, axis)
    if not axis:
        assert compiled is None
    elif x.flags.c_contiguous:
        np.testing.assert_array_equal(compiled, kernels.registered["index.slices"].numpy(x, line, axis))


@needs_native
@given(data=st.data())
@few
def test_put_along_every_axis(data):
    shape, axis, indices = draw_along(data, True)
    dtype = data.draw(st.sampled_from(KINDS))
    out = np.zeros(shape, dtype)
    values = np.arange(1, indices.size + 1).reshape(indices.shape).astype(dtype)
    found, expected = both_added("flat_indices.put_in_step", out, indices, values, axis)
    np.testing.assert_array_equal(found, expected)


@needs_native
@given(data=st.data())
@few
def test_added_along_every_axis(data):
    shape, axis, indices = draw_along(data, False)
    dtype = data.draw(A_DTYPE)
    values = np.array(numbers(data.draw, data.draw(st.sampled_from([indices.shape, ()])), dtype, [*BEYOND, 1e-42], 1.0))
    agree(*both_added("flat_indices.add_in_step", np.ones(shape, dtype), indices, values, axis), dtype, 100)


@needs_native
def test_of_several_indices_the_last_stays_and_threads_change_nothing():
    source = np.random.default_rng(3)
    x, values = (source.standard_normal((90, 70, 50)).astype(np.float32) for _ in range(2))
    moves = {name: kernels.registered[name].compiled for name in (*MOVES, "extremes.take_along")}
    indices = [source.integers(0, x.shape[axis], x.shape) for axis in range(3)]
    out = moves[MOVES[0]](x.copy(), indices[1], values, 1)
    places = {}
    for place in range(70):
        places[indices[1][4, place, 6]] = values[4, place, 6]
    assert all(out[4, place, 6] == value for place, value in places.items())
    same_on_any_number_of_threads(
        lambda: (
            [moves[name](x.copy(), indices[axis], values, axis) for name in MOVES for axis in range(3)]
            + [moves["extremes.take_along"](x, indices[axis], axis) for axis in range(3)]
        )
    )


@needs_native
def test_indices_beyond_the_bounds_are_left_to_numpy():
    x, values = np.zeros((3, 4), np.float32), np.ones((3, 1), np.float32)
    for bad in (-1, 4, 1 << 62, -(1 << 63)):
        indices = np.array([[0], [bad], [1]])
        assert kernels.registered["extremes.take_along"].compiled(x, indices, 1) is None
        for name in MOVES:
            assert kernels.registered[name].compiled(x, indices, values, 1) is None
        assert not x.any()
        assert not kernels.registered["flat_indices.within"].compiled(indices, 0, 4)
        assert not kernels.registered["flat_indices.within"].compiled(indices, 0, 0)
    assert kernels.registered["flat_indices.within"].compiled(np.array([-4, 3]), -4, 4) is True
    assert kernels.registered["flat_indices.within"].compiled(np.array([-5, 3]), -4, 4) is False
    assert kernels.registered["flat_indices.within"].compiled(np.array([], np.int64), 0, 0) is True
    assert kernels.registered["flat_indices.within"].compiled(np.array([1], np.int32), 0, 4) is None
    with pytest.raises(RuntimeError, match="index 4 is out of bounds for dimension 1 with size 4"):
        torch.zeros(3, 4).gather(1, torch.tensor([[0], [4], [1]]))


@needs_native
@pytest.mark.parametrize("name", ["pick_along", "put_along", "add_along"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_moves_stay_within_fences(name, dtype):
    def arguments(source):
        outer, length, picked, inner = (source.choice([1, 2, 3, 5]) for _ in range(4))
        whole, part = (outer * length * inner, dtype), (outer * picked * inner, dtype)
        indices = np.array([source.choice([0, length - 1, length - 1, 0, source.choice([0, length])]) for _ in range(part[0])])
        arrays = [part, whole] if name == "pick_along" else [whole, part]
        return [*arrays, indices[: source.choice([part[0], part[0], part[0], picked, 1])]], [(outer, length, picked, inner)]

    stays_within_fences(name, arguments)
