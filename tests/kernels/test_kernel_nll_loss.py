"""The compiled likelihood of classes, held to NumPy's: the same to the last bits of its sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import A_DTYPE, BEYOND, agree, both, few, native, needs_native, numbers, stays_within_fences

import rushlight as torch
from rushlight import kernels

F = torch.nn.functional
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


@needs_native
@given(data=st.data())
@few
def test_likelihood_of_classes(data):
    dtype = data.draw(A_DTYPE)
    shape = data.draw(st.sampled_from([(1,), (5,), (1, 3), (7, 2), (33, 10), (700, 4), (2, 3, 4, 5), (3, 2, 1, 33), (9, 1, 5)]))
    x = np.require(numbers(data.draw, shape, dtype, [*BEYOND, -0.0, 1e-42]), requirements="A")
    classes, places = shape[min(1, len(shape) - 1)], (shape[0], *shape[2:]) if len(shape) > 1 else ()
    ignored = data.draw(st.sampled_from([-100, 0, classes - 1]))
    target = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, classes, places)
    target = np.where(data.draw(st.booleans()) & (target == 0), ignored, target)
    weight = data.draw(st.sampled_from([None, np.linspace(0, 2, classes).astype(dtype)]))
    reduction = data.draw(st.sampled_from(list(REDUCTIONS)))
    agree(*both("losses.nll_loss", x, target, weight, reduction, ignored), dtype, 20)
    g = np.asarray(np.random.default_rng(1).standard_normal(places if reduction == "none" else ()), dtype)
    agree(*both("losses.nll_loss_adjoint", g, x, target, weight, reduction, ignored), dtype, 20)


@needs_native
def test_sums_are_as_exact_as_levels_make_them():
    """0.1 three million times over: added one by one in single precision it would be off by a tenth."""
    x, target = np.full((3_000_000, 1), -0.1, np.float32), np.zeros(3_000_000, np.int64)
    found = kernels.registered["losses.nll_loss"].compiled(x, target, None, "sum", -100)
    assert abs(float(found) / 300_000.0 - 1) < 1e-6


@needs_native
def test_what_is_not_taken_is_left_to_numpy():
    nll = kernels.registered["losses.nll_loss"].compiled
    x, target = np.ones((2, 3), np.float32), np.array([0, 2])
    assert nll(x, target) == -1
    for wrong in (x.astype(np.float16), x.T.copy().T, np.ones((2, 2), np.float32)):
        assert nll(wrong, target) is None
    for wrong in (target.astype(np.int32), np.array([0, -1]), np.array([0, 3]), np.array([1 << 40, 0]), target[:0]):
        assert nll(x, wrong) is None
    assert nll(x, np.array([0, 0, 2, 0])[::2]) is None
    assert nll(x, target, None, "mean", 1 << 70) is None


@needs_native
def test_sizes_that_do_not_fit_are_refused():
    x, target, weight, out = (
        np.ones((2, 3, 4), np.float32),
        np.zeros((2, 4), np.int64),
        np.ones(3, np.float32),
        np.zeros(8, np.float32),
    )
    assert native.nll_loss(out, x, target, weight, -100, (2, 3, 4, 0)) and (out == -1).all()
    out[...] = 0
    for sizes in (
        (2, 3, 5, 0),
        (0, 3, 4, 0),
        (2, 3, 4, 1),
        (2, 3, 4, 3),
        (1 << 40, 1 << 40, 4, 0),
        (4, 3, 2, 2),
        (1 << 62, 3, 4, 0),
    ):
        assert not native.nll_loss(out, x, target, weight, -100, sizes)
        assert not native.nll_loss_backward(x.copy(), out[:7], target, weight, -100, sizes)
    assert not native.nll_loss(out, x, target, weight[:2], -100, (2, 3, 4, 0))
    assert not native.nll_loss(out, x, target - 1, weight, -100, (2, 3, 4, 0))
    assert not native.nll_loss(out, x, target.astype(np.float64), weight, -100, (2, 3, 4, 0))
    assert not out.any()


@needs_native
@pytest.mark.parametrize("name", ["nll_loss", "nll_loss_backward"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_random_sizes_stay_within_fences(name, dtype):
    def arguments(source):
        samples, classes, places = (source.choice([1, 2, 3, 5, 8]) for _ in range(3))
        reduction = source.randrange(3)
        whole, losses = samples * classes * places, samples * places if reduction == 0 else 1
        weight = source.choice([None, (classes, dtype)])
        first = [(losses, dtype), (whole, dtype)] if name == "nll_loss" else [(whole, dtype), (losses, dtype)]
        return [*first, (samples * places, "q"), weight], [source.choice([-100, 1]), (samples, classes, places, reduction)]

    stays_within_fences(name, arguments)


def test_a_class_that_there_is_not_is_named():
    with pytest.raises(IndexError, match=r"^Target 3 is out of bounds\.$"):
        F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 3]))


def test_all_ignored_is_nan_and_its_slope_is_zero():
    x = torch.zeros(2, 3, requires_grad=True)
    loss = F.nll_loss(x, torch.tensor([1, 1]), ignore_index=1)
    loss.backward()
    assert math.isnan(loss.item()) and not x.grad.any()
