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
from rushlight.backend import normalization

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
    found, expected = (
        function(*arrays, 0 if name == "softmax.log_softmax" else 1) for function in kernels.registered[name][::-1]
    )
    assert found is not None and found.dtype == half
    np.testing.assert_allclose(found.astype(SINGLE), expected.astype(SINGLE), rtol=2 * LAST[half], atol=LAST[half])


ARITHMETIC = [
    "pointwise.add_of_many",
    "pointwise.multiply_of_many",
    "pointwise.divide_of_many",
    "arithmetic.difference_of_many",
]

MEETING = [
    ((700,), (700,)), ((3, 257), (257,)), ((257, 3), (257, 1)), ((2, 1, 300), (5, 1)), ((2000,), (1,)), ((1,), (513,)), ((40, 9), (40, 9)),
]  # fmt: skip


def any_bits(draw, shape, half):
    """Numbers of any bits, infinite and denormal ones and nan among them, that lie in memory one way or another."""
    bits = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).integers(0, 1 << 16, (*shape, 2), np.uint16)
    return draw(st.sampled_from([bits[..., 0].copy(), bits[..., 1], bits[..., 0].copy()[::-1]])).view(half)


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", ARITHMETIC)
@given(data=st.data())
@few
def test_arithmetic_has_the_same_bits(instruction_set, half, name, data):
    shapes = [
        ((700,), (700,)),
        ((3, 257), (257,)),
        ((257, 3), (257, 1)),
        ((2, 1, 300), (5, 1)),
        ((2000,), (1,)),
        ((1,), (513,)),
        ((40, 9), (40, 9)),
    ]
    a, b = (any_bits(data.draw, shape, half) for shape in data.draw(st.sampled_from(shapes)))
    with np.errstate(all="ignore"):
        found, expected = kernels.registered[name].compiled(a, b), kernels.registered[name].numpy(a, b)
    assert found is not None and found.dtype == half and found.shape == expected.shape
    nan = np.isnan(expected.astype(SINGLE))
    assert (np.isnan(found.astype(SINGLE)) == nan).all()
    np.testing.assert_array_equal(found.view(np.uint16)[~nan], expected.view(np.uint16)[~nan])


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", ["sqrt", "exp", "log"])
def test_functions_of_numpy(half, name):
    x = np.abs(np.random.default_rng(5).standard_normal(5000)).astype(half)
    with np.errstate(all="ignore"):
        found, expected = (function(x) for function in kernels.registered[f"pointwise.{name}_of_halves"][::-1])
    if half == HALVES[0] and name != "sqrt":
        assert found is None  # NumPy has loops of its own
    else:
        np.testing.assert_allclose(found.astype(SINGLE), expected.astype(SINGLE), rtol=LAST[half], atol=1e-6)


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 100, 2049])
def test_layer_norm(instruction_set, half, length):
    source = np.random.default_rng(length)
    x = (source.standard_normal((300, length)) + 2).astype(half)
    x[3] = 0.7  # all equal
    for weight, bias in (
        (None, None),
        (source.standard_normal(length).astype(half), source.standard_normal(length).astype(SINGLE)),
    ):
        found, expected = (
            function(x, weight, bias, (1,), 1e-5) for function in kernels.registered["normalization.layer_norm"][::-1]
        )
        assert found is not None and found.dtype == half
        np.testing.assert_allclose(found.astype(SINGLE), expected.astype(SINGLE), rtol=2 * LAST[half], atol=4 * LAST[half])


@needs_native
def test_layer_norm_stays_within_fences():
    def arguments(source):
        count, length = source.choice([0, 1, 2, 5, 70]), source.choice([1, 2, 7, 16, 33])
        size = count * length + source.choice([0, 0, 0, 1])
        rows = [(length, "f") if source.random() < 0.8 else None for _ in range(2)]
        return [(size, "H"), (2 * count, "f"), (count * length, "H"), *rows], [length, 1e-5, source.choice([True, False])]

    stays_within_fences("layer_norm_of_halves", arguments)


@needs_native
def test_slopes_are_close_to_those_of_single_precision():
    """Moments are kept in the weight's dtype."""
    source = np.random.default_rng(0)
    for half in HALVES:
        g, x = (source.standard_normal((40, 6, 30)).astype(half) for _ in range(2))
        for slopes, *rest in (
            (normalization.batch_norm_backward,), (normalization.group_norm_backward, 2),
        ):  # fmt: skip
            weight = source.standard_normal(6).astype(half)
            for beside, last in ((weight.astype(SINGLE), 1e-5), (weight, 8 * LAST[half])):
                found = slopes(g, x, beside, *rest, 1e-5, (True, True, True))
                wanted = slopes(*(each.astype(SINGLE) for each in (g, x, weight)), *rest, 1e-5, (True, True, True))
                np.testing.assert_allclose(found[0].astype(SINGLE), wanted[0], 2 * LAST[half], 8 * LAST[half])
                np.testing.assert_allclose(found[1], wanted[1], last, 100 * last)


@needs_native
@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("shape", [(1, 300), (300, 1), (20, 17), (5, 2049), (40, 6, 30)])
def test_slopes_of_layer_norm(instruction_set, half, shape):
    source = np.random.default_rng(shape[0])
    g, x = (source.standard_normal(shape).astype(half) for _ in range(2))
    axes = (len(shape) - 1,)
    for weight in (None, source.standard_normal(shape[-1:]).astype(half), source.standard_normal(shape[-1:]).astype(SINGLE)):
        kernel = kernels.registered["normalization.layer_norm_backward"]
        for needs in ((True, True, True), (False, True, False), (True, False, False)):
            found, expected = (function(g, x, weight, axes, 1e-5, needs) for function in kernel[::-1])
            for one, other in zip(found, expected, strict=True):
                assert (one is None) == (other is None)
                if one is not None:  # one rounding of a sum may be another's neighbour
                    assert one.dtype == other.dtype
                    one, other = one.astype(SINGLE), other.astype(SINGLE)
                    # Rows of one number give 0, or what rounding the mean leaves of it times 1 / sqrt(eps).
                    size = max(1.0, float(np.abs(other).max()))
                    np.testing.assert_allclose(one, other, rtol=4 * LAST[half], atol=4 * LAST[half] * size)


@needs_native
def test_slopes_of_layer_norm_do_not_depend_on_threads():
    source = np.random.default_rng(0)
    g, x = (source.standard_normal((500, 1031)).astype(HALVES[0]) for _ in range(2))
    slopes = kernels.registered["normalization.layer_norm_backward"].compiled
    same_on_any_number_of_threads(lambda: slopes(g, x, x[0], (1,), 1e-5, (True, True, True)))


@needs_native
def test_slopes_of_layer_norm_stay_within_fences():
    def arguments(source):
        count, length = source.choice([1, 2, 5, 70]), source.choice([1, 2, 7, 16, 33, 300])
        size = count * length
        rows = [(length, "f") if source.random() < 0.8 else None for _ in range(3)]
        for_x = (size + source.choice([0, 0, 0, 1]), "H") if source.random() < 0.8 else None
        given = [(2 * count, "f"), (size, "H"), (size, "H")]
        return [for_x, *rows[:2], *given, rows[2]], [length, 1e-5, source.choice([True, False]), source.choice([True, False])]

    stays_within_fences("layer_norm_backward_of_halves", arguments)


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("size", [3, 700])
def test_rules_compute_as_numpy_does(half, size):
    """Gradients of many numbers have the bits that NumPy's operators give."""
    dtype = torch.float16 if half == HALVES[0] else torch.bfloat16
    source = np.random.default_rng(size)
    a, b, g = ((source.random(size) + 0.5).astype(half) for _ in range(3))
    x, y, slope = (torch.tensor(each.astype(SINGLE)).to(dtype) for each in (a, b, g))
    x.requires_grad_(), y.requires_grad_()
    for function, expected in (
        (lambda: x * y, (g * b, g * a)),
        (lambda: x / y, (g / b, -g * (a / b / b))),
        (lambda: x - y, (g, -g)),
    ):
        for _ in range(2):  # the second time it is added
            function().backward(slope)
        for leaf, wanted in zip((x, y), expected, strict=True):
            found = np.asarray(leaf.grad.float())
            assert leaf.grad.dtype == dtype
            np.testing.assert_array_equal(found, (wanted + wanted).astype(SINGLE))
            leaf.grad = None


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
    add = kernels.registered["pointwise.add_of_many"].compiled
    for a, b in (
        (many, many),
        (many.astype(half), many),
        (many.astype(np.int16), many.astype(np.int16)),
        (many[:9].astype(half),) * 2,
    ):
        assert add(a, b) is None


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


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_signs_and_comparisons_of_every_number(half):
    every = np.arange(1 << 16, dtype=np.uint16).view(half)
    x, wide = torch.tensor(every.astype(SINGLE)), every.astype(SINGLE)
    x = x.to(torch.float16 if half == HALVES[0] else torch.bfloat16)
    known = ~np.isnan(wide)
    for found, expected in ((-x, -wide), (x.abs(), np.abs(wide)), (torch.maximum(x, x.flip(0)), np.maximum(wide, wide[::-1]))):
        np.testing.assert_array_equal(np.asarray(found.float()), expected)
        assert (np.signbit(np.asarray(found.float())) == np.signbit(expected))[known & (expected != 0)].all()
    np.testing.assert_array_equal(np.asarray(x < x.flip(0)), wide < wide[::-1])
    np.testing.assert_array_equal(np.asarray(x >= 1.5), wide >= 1.5)
