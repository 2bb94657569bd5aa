"""Compiled temporal classification, held to NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import A_DTYPE, DTYPES, agree, both, few, needs_native, same_on_any_number_of_threads, stays_within_fences

from rushlight import kernels


def problem(generator, times, samples, classes, labels, dtype):
    """Logarithms of probabilities, labels, and how many times and labels count."""
    x = generator.standard_normal((times, samples, classes)) * 3
    x = (x - np.log(np.exp(x).sum(2, keepdims=True))).astype(dtype)
    targets = generator.integers(0, classes, (samples, labels))
    return x, targets, generator.integers(0, times + 1, samples), generator.integers(0, labels + 1, samples)


@given(data=st.data())
@few
def test_temporal_classification(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    sizes = [st.sampled_from(each) for each in ([1, 2, 9, 40], [1, 3], [1, 2, 5, 33], [1, 2, 4, 17])]
    x, targets, inputs, lengths = problem(generator, *map(data.draw, sizes), dtype)
    odd = data.draw(st.sampled_from([None, None, -math.inf, -1e30, math.nan]))
    if odd is not None:
        x.reshape(-1)[data.draw(st.integers(0, x.size - 1))] = odd
    blank, zero_infinity = data.draw(st.integers(0, x.shape[2] - 1)), data.draw(st.booleans())
    found, expected = both("ctc.ctc_loss", x, targets, inputs, lengths, blank, zero_infinity)
    agree(found[0], expected[0], dtype, 20)
    for n, length in enumerate(lengths):
        np.testing.assert_allclose(found[1][:, n, : 2 * length + 1], expected[1][:, n, : 2 * length + 1], 1e-11, 1e-11)
    agree(*both("ctc.ctc_backward", x, targets, inputs, lengths, expected[1], blank, zero_infinity), dtype, 100)
    agree(*both("ctc.ctc_backward", x, targets, inputs, lengths, found[1], blank, zero_infinity), dtype, 100)


@needs_native
def test_it_does_not_depend_on_the_number_of_threads():
    x, targets, inputs, lengths = problem(np.random.default_rng(0), 100, 9, 30, 20, np.float32)
    loss, back = (kernels.registered[f"ctc.ctc_{name}"].compiled for name in ("loss", "backward"))
    alpha = loss(x, targets, inputs, lengths, 0, False)[1]
    same_on_any_number_of_threads(
        lambda: [*loss(x, targets, inputs, lengths, 0, False), back(x, targets, inputs, lengths, alpha, 0, False)]
    )


@needs_native
def test_labels_and_lengths_that_there_are_not_are_left_to_numpy():
    x, targets, inputs, lengths = problem(np.random.default_rng(0), 4, 2, 3, 2, np.float32)
    inputs[:], lengths[:] = 4, 2
    loss = kernels.registered["ctc.ctc_loss"].compiled
    assert loss(x, targets, inputs, lengths, 0, False) is not None
    for wrong in (targets + 3, targets - 3):
        assert loss(x, wrong, inputs, lengths, 0, False) is None
    assert loss(x, targets, inputs + 1, lengths, 0, False) is None
    assert loss(x, targets, inputs, lengths + 1, 0, False) is None
    assert loss(x, targets, inputs, lengths - 3, 0, False) is None
    assert loss(x, targets, inputs, lengths, 3, False) is None
    assert loss(x.astype(np.float16), targets, inputs, lengths, 0, False) is None


@needs_native
@pytest.mark.parametrize("name", ["ctc_loss", "ctc_loss_backward"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        times, samples, labels = (source.choice([1, 2, 3, 6]) for _ in range(3))
        classes = source.choice([5, 6, 8])
        whole = times * samples * classes
        arrays = [(whole if name.endswith("d") else samples, dtype), (whole, dtype), (samples * labels, "q"), (samples, "q")]
        sizes = (times, samples, classes, labels, source.randrange(5), source.randrange(2))
        return [*arrays, (samples, "q"), (times * samples * (2 * labels + 1), "d")], [sizes]

    stays_within_fences(name, arguments, 1000)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithms_are_as_exact_as_their_dtype(instruction_set, dtype):
    """The log softmax of 0 and x, down a column, is less log(1 + exp(x))."""
    x = np.zeros((2, 20_001), dtype)
    x[0] = np.linspace(-30, 0, 20_001)
    found = kernels.registered["softmax.log_softmax"].compiled(x, 0)[1]
    exact = -np.log1p(np.exp(x[0].astype(np.longdouble)))
    assert np.abs(found - exact).max() < {"float32": 1.5e-7, "float64": 3e-16}[dtype]
