"""The compiled kernels, held to the NumPy kernels that they stand beside."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import numpy as np
import pytest
from forking import program_output
from hypothesis import assume, given
from hypothesis import strategies as st
from kernel_checks import (
    A_DTYPE,
    BEYOND,
    DTYPES,
    FOLDS,
    LONG,
    ODD,
    PAIRS,
    ROW_SLOPES,
    ROWS,
    SLOPES,
    VALUES,
    agree,
    both,
    few,
    native,
    needs_native,
    numbers,
    same_on_any_number_of_threads,
)

import rushlight as torch
import rushlight.optim  # whose kernel is else registered when it is first used
from rushlight import kernels

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 1000, 2048, 2049, 4100]

CONVOLUTIONS = ["convolution.conv", "convolution.conv_input_grad", "convolution.conv_weight_grad"]
CHANNELS = ["normalization.channel_moments", "normalization.batch_norm", "normalization.batch_norm_backward"]
RECURRENT = ["recurrent.lstm_layer", "recurrent.lstm_layer_grads"]
NORMS = ["normalization.layer_norm", "normalization.layer_norm_backward"]


def test_the_extension_is_built_where_there_is_a_compiler():
    if os.environ.get("RUSHLIGHT_KERNELS") == "numpy":
        pytest.skip("switched off")
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    headers = Path(sysconfig.get_path("include"))
    if compiler is None or not (headers / "Python.h").exists() or not (ROOT / "setup.py").exists() or sys.platform == "win32":
        pytest.skip("no compiler, no Python.h, or not a checkout")
    assert native is not None, "there is a compiler: pip install --editable . has failed to build the kernels"


SHAPES = [
    (*lead, last) if math.prod(lead) * last < 60_000 else (last,)
    for lead in ((), (1,), (2,), (3, 2), (40,))
    for last in LENGTHS
]
OR_NONE = [*SHAPES, *((*lead, last) for lead in ((0,), (2, 0)) for last in LENGTHS)]
A_SHAPE, A_SHAPE_OR_NONE = st.sampled_from(SHAPES), st.sampled_from(OR_NONE + [()] * len(OR_NONE))


def shapes(draw, least=0):
    """Shapes, of which every other one is a number's unless there is to be a dimension."""
    return draw(A_SHAPE if least else A_SHAPE_OR_NONE)


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
@few
def test_functions(instruction_set, name, data):
    dtype = data.draw(A_DTYPE)
    x = numbers(data.draw, shapes(data.draw), dtype, ODD + BEYOND)
    agree(*both(name, x, *data.draw(st.sampled_from(VALUES[name]))), dtype, 4)


@pytest.mark.parametrize("name", SLOPES)
@given(data=st.data())
@few
def test_slopes(instruction_set, name, data):
    dtype = data.draw(A_DTYPE)
    shape = shapes(data.draw)
    # What these are given are values of sigmoid and tanh, whose squares are finite.
    x = numbers(data.draw, shape, dtype, BEYOND if name.startswith("pointwise") else [each for each in ODD if abs(each) < 1e10])
    if name == "pointwise.relu_backward":  # given values of relu
        x = np.maximum(x, 0)
    h = numbers(data.draw, shape, dtype, ODD, 1.0)
    size = np.maximum(1, np.abs(np.where(np.isfinite(h), h, 1))).astype(dtype)  # rounding errors are multiples of h
    found, expected = both(name, h, x, *data.draw(st.sampled_from(SLOPES[name])))
    assert found is not None, "the compiled kernel did not take the case"
    agree(found / size, expected / size, dtype, 40)


@pytest.mark.parametrize("name", PAIRS)
@given(data=st.data())
@few
def test_pairs(instruction_set, name, data):
    dtype, shape = data.draw(A_DTYPE), shapes(data.draw)
    a, b = (numbers(data.draw, shape, dtype, [each for each in ODD if abs(each) < 1e10] + BEYOND, 1.0) for _ in range(2))
    agree(*both(name, a, b, *data.draw(st.sampled_from(PAIRS[name]))), dtype, 10)


@pytest.mark.parametrize("name", FOLDS)
@given(data=st.data())
@few
def test_folds_of_rows(instruction_set, name, data):
    dtype = data.draw(A_DTYPE)
    shape = data.draw(st.sampled_from([(1100,), (2, 1025), (40, 31), (7, 3, 64), (1300, 1), (129, 8), (33, 100)]))
    x = numbers(data.draw, shape, dtype, [math.nan, -math.inf, math.inf, 1e-42, 0.0], 0.3)
    if name == "summation.multiplied":
        x = np.abs(x) + np.dtype(dtype).type(0.8)  # products that are neither 0 nor infinite
    keepdims = data.draw(st.booleans())
    agree(*both(name, x, (x.ndim - 1,), keepdims), dtype, 2 * math.sqrt(x.shape[-1]))
    few_of_it = x.reshape(-1)[:1000]
    assert kernels.registered[name].compiled(few_of_it, (0,), keepdims) is None
    assert kernels.registered[name].compiled(x, (0,) if x.ndim > 1 else (), keepdims) is None


@needs_native
@given(data=st.data())
@few
def test_clamp(instruction_set, data):
    x = numbers(
        data.draw,
        data.draw(st.sampled_from([(4096,), (3, 1400), (70, 1, 64)])),
        data.draw(A_DTYPE),
        ODD + BEYOND,
    )
    compiled, bounds = (
        kernels.registered["choice.clamp"].compiled,
        [None, -1.0, 0, 0.0, -0.0, 2.5, 3, math.inf, -math.inf, 6e4],
    )
    low, high = (data.draw(st.sampled_from(bounds)) for _ in range(2))
    found, expected = both("choice.clamp", x, low, high)
    np.testing.assert_array_equal(found, expected)
    zeros = expected == 0
    assert (np.signbit(found[zeros]) == np.signbit(expected[zeros])).all()
    assert compiled(x, math.nan, high) is None and compiled(x, low, True) is None and compiled(x[:1], low, high) is None


@needs_native
@pytest.mark.parametrize("dtype", list(DTYPES))
def test_the_inverse_of_erf_everywhere(instruction_set, dtype):
    close = np.finfo(dtype).eps * np.arange(1, 200)
    x = np.concatenate([np.linspace(-1, 1, 20001), 1 - close, close - 1, 10.0 ** -np.arange(1, 300)]).astype(dtype)
    found, expected = both("special.erfinv", x)
    np.testing.assert_allclose(found, expected, rtol=4 * DTYPES[dtype], atol=1e-44)
    assert (np.signbit(found) == np.signbit(x)).all()
    assert np.isnan(kernels.registered["special.erfinv"].compiled(np.array([1.1, -2.0, math.nan, math.inf], dtype))).all()


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_of_few_numbers_one_step_is_left_to_numpy(instruction_set, dtype):
    x = np.linspace(-1, 1, 5000).astype(dtype)
    x[:4] = [-0.0, 0.0, math.nan, -math.inf]
    found, expected = both("pointwise.relu", x)
    np.testing.assert_array_equal(found, expected)
    assert (np.signbit(found) == np.signbit(expected)).all()
    assert kernels.registered["pointwise.relu"].compiled(x[:4]) is None


@pytest.mark.parametrize("name", ["activations.elu", "activations.hardtanh", "activations.leaky_relu", "activations.relu"])
def test_zero_keeps_its_sign(name):
    functional = getattr(torch.nn.functional, name.partition(".")[2])
    for size in (1, 32, 5000):
        assert torch.signbit(functional(torch.full((size,), -0.0))).all()
    assert torch.signbit(torch.nn.functional.relu6(torch.tensor([-0.0]))).all()


@pytest.mark.parametrize("name", ROWS)
@given(data=st.data())
@few
def test_rows(instruction_set, name, data):
    dtype = data.draw(A_DTYPE)
    x = numbers(data.draw, shapes(data.draw, 1), dtype, [-math.inf, math.nan, 1e-42, 88.5, -300.0])
    agree(*both(name, x, data.draw(st.integers(0, x.ndim - 1))), dtype, 10)


@pytest.mark.parametrize("name", ROW_SLOPES)
@given(data=st.data())
@few
def test_slopes_of_rows(instruction_set, name, data):
    dtype = data.draw(A_DTYPE)
    x = numbers(data.draw, shapes(data.draw, 1), dtype, [-300.0, 1e-42])
    axis = data.draw(st.integers(0, x.ndim - 1))
    y = kernels.registered["softmax.log_softmax" if "log" in name else "softmax.softmax"].numpy(x, axis)
    g = numbers(data.draw, x.shape, dtype, [math.nan, 1e-42], 1.0)
    agree(*both(name, g, y, axis), dtype, 200)


@given(data=st.data())
@few
def test_layer_norm(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    shape = shapes(data.draw, 1)
    axes = tuple(range(data.draw(st.integers(0, len(shape) - 1)), len(shape)))
    x = numbers(data.draw, shape, dtype, [math.nan, 1e-42, 20.0])
    inner = shape[axes[0] :]
    weight, bias = (data.draw(st.sampled_from([None, numbers(data.draw, inner, dtype, (), 1.0)])) for _ in range(2))
    agree(*both("normalization.layer_norm", x, weight, bias, axes, 1e-5), dtype, 100)


@given(data=st.data())
@few
def test_slopes_of_layer_norm(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    shape = shapes(data.draw, 1)
    axes = (len(shape) - 1,)
    x, g = (numbers(data.draw, shape, dtype) for _ in range(2))
    weight = data.draw(st.sampled_from([None, numbers(data.draw, shape[-1:], dtype, (), 1.0)]))
    needs = data.draw(st.tuples(st.booleans(), st.just(True) if weight is not None else st.just(False), st.booleans()))
    found = kernels.registered["normalization.layer_norm_backward"].compiled(g, x, weight, axes, 1e-5, needs)
    assert found is not None and [each is not None for each in found] == list(needs)
    wide = [None if each is None else each.astype(np.float64) for each in (g, x, weight)]
    mean, var = wide[1].mean(-1, keepdims=True), wide[1].var(-1, keepdims=True)
    hat, rows = (wide[1] - mean) / np.sqrt(var + 1e-5), tuple(range(len(shape) - 1))
    scaled = wide[0] if weight is None else wide[0] * wide[2]
    slope = scaled - scaled.mean(-1, keepdims=True) - hat * (scaled * hat).mean(-1, keepdims=True)
    expected = (slope / np.sqrt(var + 1e-5), (wide[0] * hat).sum(rows), wide[0].sum(rows))
    for one, other in zip(found, expected, strict=True):
        if one is not None:
            np.testing.assert_allclose(
                one, other, rtol=DTYPES[dtype] * 100, atol=DTYPES[dtype] * 100 * max(1, np.abs(other).max())
            )


@given(data=st.data())
@few
def test_batch_norm(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    inner = data.draw(st.sampled_from([(), (8,), (9,), (17,), (3, 5), (28, 28), (2, 3, 11), (2049,)]))
    samples, channels = (
        st.sampled_from(each) for each in (([1, 3, 5], [1, 2, 9]) if inner else ([2, 17, 300], [1, 9, 70, 300]))
    )
    shape = (data.draw(samples), data.draw(channels), *inner)
    x, g = (numbers(data.draw, shape, dtype, [math.nan, 1e-42, 20.0]) for _ in range(2))
    weight, bias = (data.draw(st.sampled_from([None, numbers(data.draw, shape[1:2], dtype, (), 1.0)])) for _ in range(2))
    found, expected = both("normalization.channel_moments", x)
    for one, other in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(one, other, rtol=DTYPES[dtype] * 20, atol=DTYPES[dtype] * 20)
    agree(*both("normalization.batch_norm", x, weight, bias, 1e-5), dtype, 100)
    needs = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    found = kernels.registered["normalization.batch_norm_backward"].compiled(g, x, weight, 1e-5, needs)
    assert found is not None and [each is not None for each in found] == list(needs)
    axes, column = (0, *range(2, len(shape))), (-1, *(1,) * len(inner))
    wide, given = x.astype(np.float64), g.astype(np.float64)
    rstd = 1 / np.sqrt(wide.var(axes, keepdims=True) + 1e-5)
    hat = (wide - wide.mean(axes, keepdims=True)) * rstd
    slope = (given - given.mean(axes, keepdims=True) - hat * (given * hat).mean(axes, keepdims=True)) * rstd
    slope = slope if weight is None else slope * weight.astype(np.float64).reshape(column)
    for one, other in zip(found, (slope, (given * hat).sum(axes), given.sum(axes)), strict=True):
        if one is not None:
            scale = DTYPES[dtype] * 100 * max(1.0, float(np.abs(other[np.isfinite(other)]).max(initial=0)))
            np.testing.assert_allclose(one, other, rtol=DTYPES[dtype] * 100, atol=scale)


@needs_native
def test_batch_norm_refuses_sizes_that_do_not_fit():
    x, y, weight, moments = (
        np.ones((2, 3, 8), np.float32),
        np.zeros((2, 3, 8), np.float32),
        np.ones(3, np.float32),
        np.zeros((2, 3)),
    )
    for sizes in ((2, 3, 9), (0, 3, 8), (2, 1 << 40, 8), (1 << 63, 2, 24), (3, 2, 8)):
        assert not native.batch_norm(y, x, weight, None, 1e-5, sizes)
        assert not native.batch_norm_backward(y, None, None, x, x, weight, 1e-5, sizes)
        assert not native.channel_moments(moments, x, sizes)
    assert not native.channel_moments(moments[:1], x, (2, 3, 8))
    assert not native.channel_moments(moments.astype(np.float32), x, (2, 3, 8))
    assert not native.batch_norm(y, x, np.ones(4, np.float32), None, 1e-5, (2, 3, 8))
    assert not y.any() and not moments.any()


@st.composite
def convolutions(draw):
    """Input and weight of a convolution, a cotangent, and the options."""
    rank, groups = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2, 3]))
    dtype = draw(A_DTYPE)
    ranges = {"size": (1, 9), "taps": (1, 4), "stride": (1, 3), "padding": (0, 3), "dilation": (1, 2)}
    size, taps, stride, padding, dilation = (
        tuple(draw(st.integers(*bounds)) for _ in range(rank)) for bounds in ranges.values()
    )
    if draw(st.booleans()):
        size = (*size[:-1], draw(st.sampled_from([60, 300, 9000] if rank == 1 else [60])))
    axes = zip(size, taps, stride, padding, dilation, strict=True)
    out = tuple((length + 2 * pad - spread * (count - 1) - 1) // step + 1 for length, count, step, pad, spread in axes)
    assume(min(out) > 0 and (math.prod(taps) > 1 or max(stride) > 1 or any(padding)))
    samples, depth, channels = draw(st.sampled_from([1, 2, 9, 20])), draw(st.integers(1, 5)), draw(st.integers(1, 7))
    if draw(st.booleans()):  # enough of both for two vectors of channels, and some over
        depth, channels = draw(st.integers(12, 50)), draw(st.sampled_from([12, 16, 24, 31, 32, 33, 45, 70]))
    assume(samples * depth * channels * groups * math.prod(out) * math.prod(taps) < 2_000_000)
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = ((samples, groups * depth, *size), (groups * channels, depth, *taps), (samples, groups * channels, *out))
    x, w, g = (generator.standard_normal(shape).astype(dtype) for shape in shapes)
    bias = draw(st.sampled_from([None, generator.standard_normal(groups * channels).astype(dtype)]))
    return x, w, g, bias, (stride, padding, dilation, groups)


@given(given_=convolutions())
@few
def test_convolutions(instruction_set, given_):
    x, w, g, bias, options = given_
    tries = [
        both("convolution.conv", x, w, *options, bias),
        both("convolution.conv_input_grad", g, w, x.shape, *options),
        both("convolution.conv_weight_grad", g, x, w.shape, *options),
    ]
    for found, expected in tries:
        agree(found, expected, x.dtype.name, 20 * max(1.0, float(np.abs(expected).max())))


def sequence(generator, steps, count, size, width, dtype):
    """Inputs, weights, biases and states of a layer, and the cotangents of its results."""
    spread = 1 / math.sqrt(width)
    shapes = (
        (steps, count, size),
        (4 * width, size),
        (4 * width, width),
        (4 * width,),
        (4 * width,),
        (count, width),
        (count, width),
    )
    given = [(generator.standard_normal(shape) * spread).astype(dtype) for shape in shapes]
    return given, [generator.standard_normal(shape).astype(dtype) for shape in ((steps, count, width), *shapes[-2:])]


@given(data=st.data())
@few
def test_lstm(instruction_set, data):
    dtype = data.draw(A_DTYPE)
    sizes = [st.integers(1, 6), st.integers(1, 10), st.integers(1, 5), st.sampled_from([1, 2, 7, 8, 9, 16, 24, 25, 33, 100])]
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    given, slopes = sequence(generator, *map(data.draw, sizes), dtype)
    odd = data.draw(st.sampled_from([None, 1e-42, 200.0, -200.0, *BEYOND]))
    if odd is not None:
        given[data.draw(st.integers(0, 6))].reshape(-1)[0] = odd
    if data.draw(st.booleans()):
        given[3] = given[4] = None
    backwards = data.draw(st.booleans())
    found, expected = both("recurrent.lstm_layer", *given, backwards)
    for one, other in zip(found, expected, strict=True):
        agree(one, other, dtype, 20)
    slopes = [data.draw(st.sampled_from([None, each])) for each in slopes]
    if slopes[0] is not None and data.draw(st.booleans()):
        slopes[0] = np.broadcast_to(slopes[0][:1], slopes[0].shape)
    x, w, u, _, _, h, c = given
    needs = (*(data.draw(st.booleans()) for _ in range(3)), given[3] is not None, given[3] is not None, True, True)
    kept = (x, w, u, h, c, expected[0], expected[3], expected[4], backwards, needs)
    found, expected = both("recurrent.lstm_layer_grads", slopes, *kept)
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            high = np.abs(other[np.isfinite(other)])
            agree(one, other, dtype, 40 * max(1.0, float(high.max(initial=0))))


@needs_native
def test_wide_states_go_back_through_blas():
    given, slopes = sequence(np.random.default_rng(0), 2, 1, 3, 512, np.float32)
    layer = kernels.registered["recurrent.lstm_layer"].compiled(*given)
    kept = (*given[:3], *given[5:], layer[0], *layer[3:], False, (True,) * 7)
    assert kernels.registered["recurrent.lstm_layer_grads"].compiled(slopes, *kept) is None
    assert all(each is not None for each in torch.backend.recurrent.lstm_layer_grads(slopes, *kept))


@needs_native
def test_lstm_refuses_sizes_that_do_not_fit():
    (_, _, u, b, d, h, c), _ = sequence(np.random.default_rng(0), 3, 2, 4, 5, np.float32)
    out, cells, gates = (np.zeros((3, 2, size), np.float32) for size in (5, 5, 20))
    sizes = [3, 2, 5, 0]
    assert native.lstm(out, cells, gates, u, b, d, h, c, tuple(sizes)) and out.all()
    slopes, for_hidden, for_cell = np.zeros_like(gates), np.ones_like(h), np.ones_like(c)
    assert native.lstm_backward(slopes, for_hidden, for_cell, gates, cells, c, u, None, tuple(sizes)) and slopes.all()
    before, after = out.copy(), slopes.copy()
    for place in range(3):
        for wrong in (0, 1, 4, 1 << 32, 1 << 40, (1 << 64) - 1):
            tried = (*sizes[:place], wrong, *sizes[place + 1 :])
            assert not native.lstm(out, cells, gates, u, b, d, h, c, tried)
            assert not native.lstm_backward(slopes, for_hidden, for_cell, gates, cells, c, u, None, tried)
    for wrong in (u[:-1], u.astype(np.float64), u[:, ::2], None):
        assert not native.lstm(out, cells, gates, wrong, b, d, h, c, tuple(sizes))
    assert not native.lstm(out, cells, gates, u, b, None, h, c, tuple(sizes))
    assert (out == before).all() and (slopes == after).all()
    with pytest.raises(TypeError, match="expected a tuple of 4 sizes"):
        native.lstm(out, cells, gates, u, b, d, h, c, (3, 2, 5))


@needs_native
@pytest.mark.parametrize("odd", BEYOND)
def test_numbers_that_are_not_finite_spread_in_convolutions_as_in_numpy(odd):
    x = np.random.default_rng(0).standard_normal((2, 3, 7, 7)).astype(np.float32)
    w = np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype(np.float32)
    options = ((2, 1), (1, 0), (1, 1), 1)
    x[1, 2, 6, 3] = odd
    g = np.ones((2, 4, 4, 5), np.float32)
    found, expected = both("convolution.conv", x, w, *options)
    agree(found, expected, "float32", 20)
    slopes = torch.backend.convolution.conv_weight_grad(g, x, w.shape, *options)
    agree(slopes, kernels.registered["convolution.conv_weight_grad"].numpy(g, x, w.shape, *options), "float32", 20)
    g[0, 0, 3, 4] = odd
    agree(*both("convolution.conv_input_grad", g, w, x.shape, *options), "float32", 20)


@needs_native
def test_kernels_of_many_taps_are_convolved_too():
    x, w = (np.random.default_rng(seed).standard_normal((1, 2, size)) for seed, size in ((0, 900), (1, 401)))
    options = ((1,), (7,), (1,), 1)
    g, expected = both("convolution.conv", x, w, *options)
    agree(g, expected, "float64", 400)
    agree(*both("convolution.conv_input_grad", g, w, x.shape, *options), "float64", 400)
    agree(*both("convolution.conv_weight_grad", g, x, w.shape, *options), "float64", 400)


@needs_native
def test_convolutions_refuse_sizes_that_do_not_fit():
    x, w, y = (np.ones(shape, np.float32) for shape in ((1, 1, 4), (1, 1, 2), (1, 1, 3)))
    sizes = [1, 1, 1, 1, 1, 1, 4, 1, 1, 2, 1, 1, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1]
    assert native.conv(y, x, w, None, tuple(sizes)) and (y == 2).all()
    for place in range(len(sizes)):
        for wrong in (0, 5, 1 << 40, (1 << 64) - 1):
            tried = [*sizes[:place], wrong, *sizes[place + 1 :]]
            before = y.copy()
            assert native.conv(y, x, w, None, tuple(tried)) in (True, False)
            if place < 13:
                assert (y == before).all(), (place, wrong)
            y[...] = before
    with pytest.raises(OverflowError):
        native.conv(y, x, w, None, (1 << 64, *sizes[1:]))
    with pytest.raises(TypeError, match="expected a tuple of 22 sizes"):
        native.conv(y, x, w, None, (1,))
    moved = np.ndarray(4, np.float32, np.empty(17, np.uint8), 1).reshape(1, 1, 4)
    assert not native.conv(y, moved, w, None, tuple(sizes))


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials_are_as_exact_as_their_dtype(instruction_set, dtype):
    """Within two and a half units of the last place, in the range where results are normal numbers."""
    x = np.linspace(-80, 80, 100_001).astype(dtype)
    found = kernels.registered["pointwise.sigmoid"].compiled(x)
    exact = 1 / (1 + np.exp(-x.astype(np.longdouble)))
    assert np.abs((found - exact) / np.spacing(exact.astype(dtype))).max() < 2.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_gelu_is_exact_in_the_tail_too(instruction_set, dtype):
    x = np.linspace(-6, 6, 4001).astype(dtype)
    found = kernels.registered["activations.gelu_erf"].compiled(x)
    exact = np.array([float(each) * 0.5 * math.erfc(-float(each) / math.sqrt(2)) for each in x])
    nonzero = exact != 0
    assert np.abs(found[nonzero] / exact[nonzero] - 1).max() < {"float32": 3e-6, "float64": 1e-14}[dtype]


@needs_native
@pytest.mark.parametrize("name", ["pointwise.tanh", "activations.silu"])
@pytest.mark.parametrize("height", [5, 50])
def test_numbers_come_to_lie_as_numpy_has_them_and_stay_as_they_were(name, height):
    x = np.linspace(-2, 2, 8 * height, dtype=np.float32).reshape(height, 8)
    for some in (x, x[:, ::2], x.T, x[::-1], x[0], x[:0], np.broadcast_to(x[0], (height, 8))):
        before = some.copy()
        found, expected = kernels.registered[name].compiled(some), kernels.registered[name].numpy(some)
        assert (some == before).all()
        if found is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-6)
            assert found.shape == expected.shape and found.strides == expected.strides


@needs_native
@pytest.mark.parametrize("change", ["strided", "transposed", "half", "swapped", "whole"])
def test_what_is_of_another_kind_is_left_to_numpy(change):
    x = {
        "strided": np.ones((16, 12), np.float32)[:, ::2],
        "transposed": np.ones((4, 6), np.float32).T,
        "half": np.ones((4, 6), np.float16),
        "swapped": np.ones((4, 6), np.dtype(np.float32).newbyteorder()),
        "whole": np.ones((4, 6), np.int64),
    }[change]
    assert (kernels.registered["activations.silu"].compiled(x) is None) is (change not in ("strided", "transposed"))
    assert kernels.registered["activation_backward.silu_backward"].compiled(x, x) is None
    assert kernels.registered["softmax.softmax"].compiled(x, 1) is None
    assert kernels.registered["softmax.softmax_grad"].compiled(x, x, 1) is None
    assert kernels.registered["normalization.layer_norm"].compiled(x, None, None, (1,), 1e-5) is None
    assert (
        kernels.registered["normalization.layer_norm_backward"].compiled(x, x, None, (1,), 1e-5, (True, False, False)) is None
    )


@needs_native
def test_arrays_that_do_not_fit_are_refused():
    """The loops themselves write nothing where an array is too short, of another dtype, or read-only."""
    x, short, double = np.ones(64, np.float32), np.ones(63, np.float32), np.ones(64)
    fixed = np.ones(64, np.float32)
    fixed.flags.writeable = False
    for out in (short, double, fixed):
        assert not native.silu(out, x)
        assert not native.softmax(out, x, 8, 1)
        assert not native.layer_norm(out, x, None, None, 8, 1e-5)
        assert (out == 1).all()
    assert not native.silu_backward(x.copy(), x, short)
    for length, inner in ((0, 1), (7, 1), (65, 1), (8, 0), (8, 3), (8, 1 << 61), (1 << 61, 8)):
        assert not native.softmax(x.copy(), x, length, inner)
    assert not native.layer_norm(x.copy(), x, np.ones(9, np.float32), None, 8, 1e-5)
    assert not native.layer_norm_backward(None, np.ones(9, np.float32), None, x, x, None, 8, 1e-5)
    with pytest.raises(OverflowError):
        native.softmax(x.copy(), x, 1 << 80, 1)
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        native.silu(x)


def results():
    """Of each kernel, of arrays that threads share."""
    generator = np.random.default_rng(0)
    x, g = (generator.standard_normal((517, 1031)).astype(np.float32) for _ in range(2))
    weight = generator.standard_normal(1031).astype(np.float32)
    compiled = {name: kernel.compiled for name, kernel in kernels.registered.items()}
    found = [compiled[name](x, *some[0]) for name, some in VALUES.items()] + [compiled[LONG[0]](x)]
    found += [compiled[name](g, x, *some[0]) for name, some in SLOPES.items()]
    found += [compiled[name](g, x, *some[0]) for name, some in PAIRS.items()]
    found += [compiled[name](x, (1,), False) for name in FOLDS]
    for axis in (0, 1):
        found += [compiled[name](x, axis) for name in ROWS] + [compiled[name](g, x, axis) for name in ROW_SLOPES]
    found.append(compiled[NORMS[0]](x, weight, weight, (1,), 1e-5))
    images, taps, slopes = (generator.standard_normal(shape) for shape in ((70, 6, 20, 31), (35, 6, 3, 3), (70, 35, 20, 31)))
    options = ((1, 1), (1, 1), (1, 1), 1)
    found.append(compiled[CONVOLUTIONS[0]](images, taps, *options))
    found.append(compiled[CONVOLUTIONS[1]](slopes, taps, images.shape, *options))
    found.append(compiled[CONVOLUTIONS[2]](slopes, images, taps.shape, *options))
    found += compiled[CHANNELS[0]](images)[:2]
    found.append(compiled[CHANNELS[1]](images, None, None, 1e-5))
    found += compiled[CHANNELS[2]](images[::-1], images, None, 1e-5, (True, True, True))
    found += compiled[CHANNELS[2]](g, x, None, 1e-5, (True, True, True))
    found += [*compiled[CHANNELS[0]](x)[:2], compiled[CHANNELS[1]](x, None, None, 1e-5)]
    given, slopes = sequence(generator, 40, 19, 8, 70, np.float32)
    layer = compiled[RECURRENT[0]](*given)
    found += [*layer, *compiled[RECURRENT[1]](slopes, *given[:3], *given[5:], layer[0], *layer[3:], False, (True,) * 7)]
    return [*found, *compiled[NORMS[1]](g, x, weight, (1,), 1e-5, (True, True, True))]


def test_results_do_not_depend_on_the_number_of_threads(instruction_set):
    same_on_any_number_of_threads(results)


def test_results_do_not_depend_on_where_numbers_lie(instruction_set):
    x = np.random.default_rng(1).standard_normal(100).astype(np.float32)
    for name, some in VALUES.items():
        compiled = kernels.registered[name].compiled
        whole = compiled(x, *some[0])
        assert all(compiled(x[start:], *some[0]).tobytes() == whole[start:].tobytes() for start in range(40))


def test_many_python_threads_at_once(instruction_set):
    native.set_threads(2)
    x = np.random.default_rng(2).standard_normal((700, 512)).astype(np.float32)
    softmax = kernels.registered["softmax.softmax"].compiled
    expected, wrong = softmax(x, 1).tobytes(), []

    def work():
        wrong.extend(1 for _ in range(20) if softmax(x, 1).tobytes() != expected)

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@needs_native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_after_a_fork_has_threads_of_its_own():
    script = """
import os, numpy as np
from rushlight import kernels
kernels.native.set_threads(3)
x = np.ones((600, 1000), np.float32)
softmax = kernels.registered["softmax.softmax"].compiled
import rushlight
softmax(x, 1)
child = os.fork()
if not child:
    found = softmax(x, 1)
    os._exit(0 if abs(found - 0.001).max() < 1e-6 else 1)
assert os.waitpid(child, 0)[1] == 0
softmax(x, 1)
print("both")
"""
    command = [sys.executable, "-W", "ignore", "-c", "import rushlight\n" + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "both\n", done.stderr


def test_the_environment_switches_them_off():
    environment = {**os.environ, "RUSHLIGHT_KERNELS": "numpy"}
    script = "import rushlight as torch; print(torch.kernels.report(), torch.nn.functional.silu(torch.ones(2)))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert done.stdout == "kernels: NumPy's tensor([0.7311, 0.7311])\n"


@needs_native
def test_convolutions_lay_out_what_is_not_in_order():
    generator = np.random.default_rng(0)
    x, w = generator.standard_normal((2, 6, 5, 3)).transpose(0, 3, 1, 2), generator.standard_normal((3, 3, 3, 4)).T
    g, options = np.broadcast_to(0.5, (2, 4, 6, 5)), ((1, 1), (1, 1), (1, 1), 1)
    for name, arrays in zip(CONVOLUTIONS, ((x, w), (g, w, x.shape), (g, x, w.shape)), strict=True):
        agree(*both(name, *arrays, *options), "float64", 10)


@needs_native
def test_the_report_names_every_kernel_that_is_registered():
    written = []
    for path in sorted((ROOT / "src" / "rushlight").glob("*/*.py")):
        text = path.read_text()
        decorated = re.findall(r"^@register\(.+\)\n(?:@.+\n)*def (\w+)\(", text, re.MULTILINE)
        for name in decorated + re.findall(r'^\w+ = _(?:reduction|of_one|of_two)\("(\w+)"', text, re.MULTILINE):
            written.append(f"{path.stem}.{name.lstrip('_')}")
    script = "import rushlight as torch; torch.optim; torch.set_num_threads(1); print(torch.kernels.report())"
    best = native.instruction_sets()[-1]
    names = ", ".join(sorted(written))
    assert program_output(script) == f"kernels: compiled for {best}, 1 threads at most: {names}; NumPy's for all else\n"


@needs_native
@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="not Linux")
def test_the_instruction_set_is_the_best_that_the_processor_says_it_has(instruction_set):
    words = set(Path("/proc/cpuinfo").read_text().split())
    wanted = {"x86-64": set(), "x86-64-v3": {"avx2", "fma"}, "x86-64-v4": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}}
    if "lm" in words:  # a processor of 64 bits by Intel or AMD
        assert native.instruction_sets() == [name for name, flags in wanted.items() if flags <= words]
    assert kernels.report().startswith(f"kernels: compiled for {instruction_set}, {native.threads()} threads")


# What people call, and the loop that it is to come to where the report names its kernel.
CALLS = {
    "elu": lambda x: torch.nn.functional.elu(x),
    "gelu_backward": lambda x: torch.nn.functional.gelu(x).sum().backward(),
    "relu_backward": lambda x: torch.relu(x).sum().backward(),
    "softmax": lambda x: torch.softmax(x, 1),
    "log_softmax_backward": lambda x: torch.log_softmax(x, 1).square().sum().backward(),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (8,)),
    "conv": lambda x: torch.conv1d(x[None], torch.ones(2, 4, 3)),
    "batch_norm": lambda x: torch.nn.functional.batch_norm(x[None], None, None, training=True),
    "lstm": lambda x: torch.nn.LSTM(8, 3)(x[:, None]),
}


@needs_native
@pytest.mark.parametrize("loop", CALLS)
def test_what_is_reported_is_used(loop):
    seen = set()

    def look(frame, event, argument):
        if event == "c_call" and argument.__module__ == native.__name__:
            seen.add(argument.__name__)

    x = torch.randn(4, 8, requires_grad=True)
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        CALLS[loop](x)
    finally:
        sys.setprofile(before)
    assert loop in seen


@needs_native
def test_set_num_threads_and_the_control_group_limit_them(tmp_path):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert native.threads() == 1
    finally:
        torch.set_num_threads(before)
    for text, count in (("150000 100000\n", 2), ("50000 100000\n", 1), ("max 100000\n", 1 << 16)):
        file = tmp_path / "cpu.max"
        file.write_text(text)
        kernels._processors_of_group.cache_clear()
        assert kernels._processors_of_group(file) == count
    kernels._processors_of_group.cache_clear()


@needs_native
def test_an_unknown_instruction_set_is_an_error():
    with pytest.raises(ValueError, match="no such instruction set here: 'mmx'"):
        native.use("mmx")
