"""Compiled conversions of float16 and bfloat16, held to NumPy's, and kernels that take them by way of single precision."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import few, needs_native, same_on_any_number_of_threads, stays_within_fences

import rushlight as torch
from rushlight import kernels

HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
SINGLE = np.dtype(np.float32)
LAST = {HALVES[0]: 2.0**-10, HALVES[1]: 2.0**-7}  # a last place of 1
BY_SINGLE = [
    "activations.gelu_erf", "activations.gelu_tanh", "activations.silu", "activations.mish", "activations.hardswish",
    "pointwise.sigmoid", "pointwise.tanh", "pointwise.relu", "activations.log_sigmoid", "special.erf",
]  # fmt: skip


def converted(x, dtype):
    kernel = kernels.registered["numpy.converted"]
    with np.errstate(all="ignore"):
        found, expected = kernel.compiled(x, dtype), kernel.numpy(x, dtype)
    assert found is not None and found.dtype == expected.dtype == dtype
    nan = np.isnan(expected.astype(SINGLE))
    assert (np.isnan(found.astype(SINGLE)) == nan).all()
    bits = np.uint16 if dtype.itemsize == 2 else np.uint32
    np.testing.assert_array_equal(found.view(bits)[~nan], expected.view(bits)[~nan])


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
def test_every_number_of_two_bytes(instruction_set, half):
    every = np.arange(1 << 16, dtype=np.uint16).view(half)
    converted(every, SINGLE)
    wide = every.astype(SINGLE)
    converted(wide, half)
    with np.errstate(all="ignore"):  # and what is between them: half a last place, and a little to both sides
        up = np.where(np.isfinite(wide), np.nextafter(every, half.type(math.inf)).astype(SINGLE), wide)
        middle = wide + (up - wide) / 2
        for each in (middle, np.nextafter(middle, SINGLE.type(-math.inf)), np.nextafter(middle, SINGLE.type(math.inf))):
            converted(each.astype(SINGLE), half)


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@given(data=st.data())
@few
def test_numbers_of_any_bits(half, data):
    shape = data.draw(st.sampled_from([(256,), (257,), (3, 1000), (5, 1, 4099)]))
    bits = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 1 << 32, shape, np.uint32)
    converted(bits.view(SINGLE), half)


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", BY_SINGLE)
def test_functions(name, half):
    x = np.random.default_rng(5).standard_normal(5000).astype(half)
    x[:4] = [0.0, -0.0, math.inf, math.nan]
    with np.errstate(all="ignore"):
        found, expected = kernels.registered[name].compiled(x), kernels.registered[name].numpy(x)
    assert found is not None and found.dtype == half
    np.testing.assert_allclose(
        found.astype(SINGLE), np.asarray(expected).astype(SINGLE), rtol=2 * LAST[half], atol=LAST[half] / 8
    )


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", ["softmax.softmax", "softmax.log_softmax", "softmax.softmax_grad", "softmax.log_softmax_grad"])
def test_rows(name, half):
    source = np.random.default_rng(5)
    arrays = [source.standard_normal((20, 70)).astype(half) for _ in range(1 + name.endswith("grad"))]
    found, expected = (function(*arrays, 1) for function in kernels.registered[name][::-1])
    assert found is not None and found.dtype == half
    np.testing.assert_allclose(found.astype(SINGLE), expected.astype(SINGLE), rtol=2 * LAST[half], atol=LAST[half])


@needs_native
def test_what_is_not_taken():
    compiled = kernels.registered["numpy.converted"].compiled
    half, many = HALVES[0], np.ones(600, np.float32)
    for x, dtype in (
        (many[:9], half), (many[::2], half), (many.astype(half), HALVES[1]), (many.astype(np.int16), SINGLE), (many.astype("d"), half),
        (many.view(np.int32), half), (many, np.dtype(np.int16)), (many, SINGLE),
    ):  # fmt: skip
        assert compiled(x, dtype) is None
    assert kernels.registered["pointwise.sigmoid"].compiled(many.astype(np.int16)) is None


@needs_native
def test_any_number_of_threads_gives_the_same():
    x = np.random.default_rng(0).standard_normal(3_000_000).astype(np.float32)
    compiled = kernels.registered["numpy.converted"].compiled
    same_on_any_number_of_threads(lambda: [compiled(x, half) for half in HALVES] + [compiled(x.astype(HALVES[0]), SINGLE)])


@needs_native
@pytest.mark.parametrize("name", ["single_of_half", "half_of_single", "single_of_brain", "brain_of_single"])
def test_random_sizes_stay_within_fences(name):
    def arguments(source):
        size = source.choice([0, 1, 7, 16, 33, 300])
        out, x = ("f", "H") if name.startswith("single") else ("H", "f")
        return [(size + source.choice([0, 0, 0, 1]), out), (size, x)], []

    stays_within_fences(name, arguments)


def test_tensors():
    x = torch.linspace(-3, 3, 1000)
    for dtype in (torch.float16, torch.bfloat16):
        assert (x.to(dtype).float() - x).abs().max() < 0.02
        assert (torch.sigmoid(x.to(dtype)).float() - torch.sigmoid(x)).abs().max() < 0.02
