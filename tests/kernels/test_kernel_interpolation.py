"""Compiled weighted sums of elements along an axis, held to NumPy's."""

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
    needs_native,
    numbers,
    same_on_any_number_of_threads,
    stays_within_fences,
)

import rushlight as torch
from rushlight import kernels

NAME = "interpolation.weighted"


def taps_of(source, length, taps, count):
    return source.integers(0, length, (taps, count)), source.random((taps, count)).astype(np.float32)


@needs_native
@given(data=st.data())
@few
def test_sums(data):
    dtype = data.draw(A_DTYPE)
    shape = data.draw(st.sampled_from([(1,), (7,), (300,), (3, 17), (2, 9, 1), (5, 4, 33), (2, 3, 8, 8)]))
    x = numbers(data.draw, shape, dtype, [*BEYOND, 1e-42, -0.0])
    axis = data.draw(st.integers(0, x.ndim - 1))
    source = np.random.default_rng(data.draw(st.integers(0, 99)))
    index, weight = taps_of(
        source, shape[axis], data.draw(st.sampled_from([1, 2, 3, 4])), data.draw(st.sampled_from([1, 2, 31]))
    )
    laid = data.draw(st.sampled_from([lambda y: y, np.asfortranarray, lambda y: np.stack([y, y], -1)[..., 0]]))
    if not x.flags.aligned:
        assert kernels.registered[NAME].compiled(x, axis, index, weight) is None
    else:
        agree(*both(NAME, laid(x), axis, index, weight), dtype)


@needs_native
def test_what_is_not_taken():
    compiled, source = kernels.registered[NAME].compiled, np.random.default_rng(0)
    index, weight = taps_of(source, 8, 2, 5)
    x = np.ones((3, 8), np.float32)
    assert compiled(x, 1, index, weight) is not None
    for wrong in (x[:0], x.astype(np.float16), x.astype(np.int64)):
        assert compiled(wrong, 1, index, weight) is None
    assert compiled(x, 1, index + 8, weight) is None and compiled(x, 1, index - 9, weight) is None
    assert compiled(x, 1, index.astype(np.int32), weight) is None and compiled(x, 1, index[:0], weight[:0]) is None


@needs_native
def test_any_number_of_threads_gives_the_same():
    source = np.random.default_rng(0)
    x = source.standard_normal((40, 90, 70)).astype(np.float32)
    cases = [(axis, *taps_of(source, x.shape[axis], 3, 200)) for axis in range(3)]
    compiled = kernels.registered[NAME].compiled
    same_on_any_number_of_threads(lambda: [compiled(x, *case) for case in cases])


@needs_native
def test_random_sizes_stay_within_fences():
    def arguments(source):
        outer, length, count, inner, taps = (source.choice([1, 2, 3, 17]) for _ in range(5))
        places = np.array([source.randrange(length + (source.random() < 0.002)) for _ in range(taps * count)], np.int64)
        kind = source.choice("fd")
        sizes = (outer * count * inner + source.choice([0, 0, 0, 1]), outer * length * inner)
        return [(sizes[0], kind), (sizes[1], kind), places, (taps * count, kind)], [(outer, length, count, inner, taps)]

    stays_within_fences("weighted", arguments)


@pytest.mark.parametrize("size", [1, 5, 8, 20])
def test_lines_of_tensors(size):
    x = torch.linspace(0, 7, 8).reshape(1, 1, 8)
    y = torch.nn.functional.interpolate(x, size=size, mode="linear", align_corners=True)
    steps = [7 * place / max(1, size - 1) for place in range(size)]
    assert all(math.isclose(a, b, abs_tol=1e-5) for a, b in zip(y.reshape(-1).tolist(), steps, strict=True))
