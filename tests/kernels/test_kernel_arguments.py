"""The compiled loops given arguments that mostly do not fit: they refuse, and touch nothing outside of their arrays.

Under ``make sanitize`` a read outside is found too; here what is written round the arrays is.
"""

from __future__ import annotations

import contextlib
import math
import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_checks import NUMBERS, REFUSED, TRIED, Fenced, native

if native is None:
    pytest.skip("the extension is not built, or is switched off", allow_module_level=True)

SETTERS = {"set_threads", "threads", "instruction_set", "instruction_sets", "use"}
CHAINS = {"chain", "chain_steps"}  # any number of arrays: test_kernel_chains.py tries them with any arguments
LOOPS = sorted(name for name in dir(native) if not name.startswith("_") and name not in SETTERS | CHAINS)
# They take sizes in a tuple, or whole numbers, and have tests of their own, below or beside those of what they compute.
BY_SIZES = tuple(
    "conv twister lstm attention adam sgd rmsprop batch_norm group_norm channel_ nll_loss add_at grid_sample ctc_loss box_ "
    "pool_scatter order select add_along pick_along put_along within swapped last_ single_of_ half_of_ brain_of_ "
    "turned layer_norm_of_halves layer_norm_backward_of_halves backwards weighted bag_ distance search glu".split()
)


def number_of_arguments(name):
    with pytest.raises(TypeError) as said:
        getattr(native, name)(*[None] * 40)
    return int(re.search(r"expected (\d+) arguments, got 40", str(said.value))[1])


def call(source, count):
    """Random arguments, and the arrays among them: in most calls of one size and dtype, so that some are taken."""
    usual, other = (source.choice([0, 1, 2, 3, 4, 6, 8, 12, 17, 64, 65]) for _ in range(2))
    dtype, arrays = source.choice("fd"), []

    def array():
        kind = source.choice("fdeilB?F") if source.random() < 0.04 else dtype
        size = other if source.random() < 0.08 else usual
        arrays.append(Fenced(size, kind, source.choice([0, 0, 0, 4, 1]), source.random() < 0.04))
        return arrays[-1].array

    def size():
        return source.choice([1, 2, usual, usual, other, source.choice(NUMBERS)])

    def rest():
        if source.random() < 0.9:
            return size() if source.random() < 0.7 else 1e-5
        return source.choice([None, True, "x", math.nan, -math.inf, (), tuple(size() for _ in range(22))])

    lead = source.randint(1, count)  # as they all have it: arrays, or None for one of them, before the rest
    arguments = [array() if source.random() < 0.9 else None for _ in range(lead)]
    return arguments + [rest() for _ in range(count - lead)], arrays


@pytest.mark.parametrize("name", LOOPS)
def test_any_arguments(name):
    source, count, taken = random.Random(name), number_of_arguments(name), 0
    for _ in range(1000 // TRIED):
        arguments, arrays = call(source, count)
        with contextlib.suppress(REFUSED):
            done = getattr(native, name)(*arguments)
            assert done in (True, False) or (name == "within" and done is None)
            taken += done is True
        assert all(each.is_whole() for each in arrays), arguments
    assert taken or name.startswith(BY_SIZES), "no call that the loop takes: nothing has been tried"


@st.composite
def sizes_of_convolutions(draw):
    """The arrays and 22 sizes of a small convolution, one or two of the sizes changed."""
    lead = [draw(st.integers(1, 3)) for _ in range(4)]
    kernel, stride, dilation = ([draw(st.integers(1, 3)) for _ in range(3)] for _ in range(3))
    padding, out = [draw(st.integers(0, 3)) for _ in range(3)], [draw(st.integers(1, 4)) for _ in range(3)]
    span = [spread * (taps - 1) + 1 for spread, taps in zip(dilation, kernel, strict=True)]
    axes = zip(out, stride, padding, span, strict=True)
    within = [max(1, (count - 1) * step + reach - 2 * pad) for count, step, pad, reach in axes]
    sizes = [*lead, *within, *kernel, *out, *stride, *padding, *dilation]
    samples, groups, depth, channels = lead
    counts = (
        samples * groups * channels * np.prod(out), samples * groups * depth * np.prod(within),
        groups * channels * depth * np.prod(kernel),
    )  # fmt: skip
    for _ in range(draw(st.integers(0, 2))):
        sizes[draw(st.integers(0, 21))] = draw(st.sampled_from(NUMBERS[:-1]))
    return [int(count) for count in counts], tuple(sizes)


@pytest.mark.parametrize("name", ["conv", "conv_input_grad", "conv_weight_grad"])
@given(given_=sizes_of_convolutions(), dtype=st.sampled_from(["f", "d"]))
@settings(max_examples=150 // TRIED, deadline=None, suppress_health_check=list(HealthCheck))
def test_sizes_of_convolutions(name, given_, dtype):
    (y, x, w), sizes = given_
    order = {"conv": (y, x, w), "conv_input_grad": (x, y, w), "conv_weight_grad": (w, y, x)}[name]
    arrays = [Fenced(count, dtype, 0, False) for count in order]
    with contextlib.suppress(REFUSED):
        assert getattr(native, name)(*(each.array for each in arrays), None, sizes) in (True, False)
    assert all(each.is_whole() for each in arrays)


def of_layers(name, steps, count, width):
    """How many numbers each array of a recurrent layer has."""
    whole, state, square = steps * count * width, count * width, 4 * width * width
    if name == "lstm":
        return [whole, whole, 4 * whole, square, 4 * width, 4 * width, state, state]
    return [4 * whole, state, state, 4 * whole, whole, state, square, whole]


def of_channels(name, samples, channels, length):
    """How many numbers each array of a norm of channels has."""
    whole = samples * channels * length
    if name == "batch_norm":
        return [whole, whole, channels, channels]
    if name == "channel_moments":
        return [2 * channels, whole]
    return [whole, channels, channels, whole, whole, channels]


@pytest.mark.parametrize("name", ["lstm", "lstm_backward", "batch_norm", "batch_norm_backward", "channel_moments"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_sizes_of_layers_and_channels(name, dtype):
    source, taken = random.Random(name), 0
    for _ in range(300):
        sizes = [source.choice([1, 2, 3, 5, 8, 17]) for _ in range(3)]
        counts = (of_layers if name.startswith("lstm") else of_channels)(name, *sizes)
        arrays = [Fenced(each, dtype, 0 if source.random() < 0.97 else 1, False) for each in counts]
        if name == "channel_moments":
            arrays[0] = Fenced(counts[0], "d", 0, False)
        if source.random() < 0.4:
            sizes[source.randrange(3)] = source.choice(NUMBERS)
        behind = [*sizes, source.choice([0, 1])] if name.startswith("lstm") else sizes
        numbers = [1e-5] if name.startswith("batch_norm") else []
        with contextlib.suppress(REFUSED):
            done = getattr(native, name)(*(each.array for each in arrays), *numbers, tuple(behind))
            assert done in (True, False)
            taken += done
        assert all(each.is_whole() for each in arrays), behind
    assert taken > 50
