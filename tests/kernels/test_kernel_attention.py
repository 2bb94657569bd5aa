"""Compiled attention, held to NumPy's."""

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

SIZES = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 100, 130]
NAMES = ["attention.attention", "attention.attention_backward"]


def heads(draw, dtype):
    """Query, key, value, a mask or None, and whether they are causal, in any order in memory."""
    batch, count, queries, keys = (draw(st.sampled_from(each)) for each in ([1, 2], [1, 3], SIZES, SIZES))
    width = draw(st.sampled_from([1, 3, 8, 16, 31, 64]))
    odd = draw(st.sampled_from([[], [], [math.inf, -math.inf, math.nan, 1e-42]]))
    shapes = [(batch, count, length, width) for length in (queries, keys, keys)]
    given_ = [np.require(numbers(draw, shape, dtype, odd, 1.0), requirements="A") for shape in shapes]
    if draw(st.booleans()):  # as parts of one projection lie
        given_ = [np.array(each.swapaxes(1, 2)).swapaxes(1, 2) for each in given_]
    mask = None
    if draw(st.booleans()):
        full = (batch, count, queries)
        shape = tuple(draw(st.sampled_from([size, 1])) for size in full)[draw(st.integers(0, 3)) :]
        mask = np.require(numbers(draw, (*shape, keys), dtype, [-math.inf, -math.inf, math.nan]), requirements="A")
        if draw(st.booleans()):
            mask = np.where(mask > 0, 0.0, -math.inf).astype(dtype)
    return *given_, mask, draw(st.booleans())


@given(data=st.data())
@few
def test_attention(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    *given_, causal = heads(data.draw, dtype)
    agree(*both(NAMES[0], *given_, causal, 0.3), dtype, 40)


@given(data=st.data())
@few
def test_attention_backward(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    query, *rest, causal = heads(data.draw, dtype)
    g = np.require(numbers(data.draw, query.shape, dtype, [math.inf, math.nan], 1.0), requirements="A")
    for found, expected in zip(*both(NAMES[1], g, query, *rest, causal, 0.3), strict=True):
        size = np.maximum(1, np.nanmax(np.abs(expected), initial=1, where=np.isfinite(expected))).astype(dtype)
        agree(found / size, expected / size, dtype, 100)


@needs_native
@pytest.mark.parametrize("odd", [math.inf, math.nan])
def test_nan_comes_to_all_that_a_query_sees_and_to_nothing_behind(odd):
    g, query, value = np.ones((1, 1, 4, 3), np.float32), np.ones((1, 1, 4, 3), np.float32), np.ones((1, 1, 5, 3), np.float32)
    key = np.ones_like(value)
    key[0, 0, 1, 0] = odd
    for _, _, to_value in both(NAMES[1], g, query, key, value, None, True, 0.3):  # as PyTorch's
        assert np.isnan(to_value[0, 0, :, 0]).tolist() == [True] * 4 + [False]
        assert not to_value[0, 0, 4].any()  # which no query sees


@needs_native
@pytest.mark.parametrize("odd", [math.inf, math.nan])
def test_a_mask_spoils_what_is_not_seen_either(odd):
    q, mask = np.ones((1, 1, 2, 4), np.float32), np.array([[0.0, odd], [0.0, 0.0]], np.float32)
    for out in both(NAMES[0], q, q, q, mask, True, 1.0):  # as PyTorch's: -inf and the mask are added
        assert np.isnan(out[0, 0, :, 0]).tolist() == [True, False]


@needs_native
def test_a_row_that_sees_nothing_is_zeros():
    q = np.ones((1, 1, 2, 4), np.float32)
    mask = np.array([[0.0, 0.0], [-math.inf, -math.inf]], np.float32)
    out = kernels.registered[NAMES[0]].compiled(q, q, q, mask, False, 1.0)
    assert out[0, 0].tolist() == [[1.0] * 4, [0.0] * 4]


@needs_native
def test_what_no_query_sees_shows_where_it_is_nan(instruction_set):
    query, key, value, g = np.random.default_rng(0).standard_normal((4, 1, 1, 80, 8)).astype(np.float32)
    value[0, 0, 70] = math.nan  # 0 times it is nan, in every block; a head of finite numbers is not multiplied by its zeros
    out = kernels.registered[NAMES[0]].compiled(query, key, value, None, True, 1.0)
    assert np.isnan(out).all()
    for_query, *_ = kernels.registered[NAMES[1]].compiled(g, query, key, value, None, True, 1.0)
    assert np.isnan(for_query).all()


@needs_native
@pytest.mark.parametrize("dtype", list(DTYPES))
def test_results_do_not_depend_on_the_number_of_threads(instruction_set, dtype):
    source = np.random.default_rng(0)
    g, query = (source.standard_normal((2, 5, 150, 32)).astype(dtype) for _ in range(2))
    key, value = (source.standard_normal((2, 5, 700, 32)).astype(dtype) for _ in range(2))
    same_on_any_number_of_threads(
        lambda: [
            kernels.registered[NAMES[0]].compiled(query, key, value, None, True, 0.2),
            *kernels.registered[NAMES[1]].compiled(g, query, key, value, None, False, 0.2),
        ]
    )


@needs_native
def test_what_is_not_taken_is_left_to_numpy():
    compiled = kernels.registered[NAMES[0]].compiled
    q, wide = np.ones((1, 1, 2, 4), np.float32), np.ones((1, 1, 2, 4))
    assert compiled(q, q, q, None, False, 1.0) is not None
    assert compiled(q, q, wide, None, False, 1.0) is None
    assert compiled(q, q, q, np.zeros((2, 2)), False, 1.0) is None  # of another dtype
    assert compiled(q, q, q, np.zeros((2, 1), np.float32), False, 1.0) is None  # one number for all keys
    assert compiled(q, q[:, :, :0], q[:, :, :0], None, False, 1.0) is None


@needs_native
@pytest.mark.parametrize("name", ["attention", "attention_backward"])
def test_fuzzed_sizes_stay_within(name):
    shapes = []

    def arguments(source):
        batch, count, queries, keys, width = (source.choice([1, 2, 3, 5, 9]) for _ in range(5))
        masks = tuple(source.choice([size, 1]) for size in (batch, count, queries)) if source.random() < 0.5 else (0, 0, 0)
        dtype = source.choice("fd")
        of_query, of_key = ((batch, count, length, width) for length in (queries, keys))
        shapes[:] = [of_query, of_query, of_key, of_key, (*masks, keys)]
        if name == "attention_backward":
            shapes[:0] = [of_query, of_key, of_key]
        sizes = (batch, count, queries, keys, width, *masks, source.choice([0, 1]))
        return [(math.prod(shape), dtype) if shape[0] else None for shape in shapes], [0.5, sizes]

    def call(*given_):
        *arrays, scale, sizes = given_
        shaped = [None if each is None else each.reshape(shape) for each, shape in zip(arrays, shapes, strict=True)]
        return getattr(native, name)(*shaped, scale, sizes)

    stays_within_fences(name, arguments, call=call)
