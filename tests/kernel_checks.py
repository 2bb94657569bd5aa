"""What tests of several files of compiled kernels share."""

from __future__ import annotations

import contextlib
import math
import os
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rushlight import kernels

native = kernels.native
needs_native = pytest.mark.skipif(native is None, reason="the extension is not built, or is switched off")
DTYPES = {"float32": 2e-6, "float64": 1e-13}  # by how much of a result, or of 1, the two may differ
ODD = [0.0, -0.0, 1e-42, -1e-42, 5e-324, 1e-38, 20.0, -20.0, 88.5, -88.5, -103.5, 710.0, -745.0, 1e30, -1e30]
BEYOND = [math.inf, -math.inf, math.nan]
FENCE = 64  # bytes
WITHIN = np.arange(256) % 5  # what arrays between fences hold
NUMBERS = [0, 1, 2, 3, 4, 6, 7, 12, 64, -1, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64]
REFUSED = (TypeError, OverflowError, ValueError, MemoryError)
# Kernels of one array, with the numbers that some have besides: PyTorch's defaults, and others.
VALUES = {
    "activations.gelu_erf": [()], "activations.gelu_tanh": [()], "activations.silu": [()], "activations.mish": [()],
    "pointwise.sigmoid": [()], "pointwise.sign": [()], "pointwise.tanh": [()], "special.erf": [()], "special.erfinv": [()],
    "special.erfc": [()],
    "activations.log_sigmoid": [()], "activations.hardsigmoid": [()], "activations.hardswish": [()],
    "activations.leaky_relu": [(0.01,), (1.5,), (-0.5,)], "activations.hardtanh": [(-1.0, 1.0), (0.0, 6.0), (2.0, -2.0)],
    "activations.elu": [(1.0, 1.0, 1.0), (1.6732632423543772, 1.0507009873554805, 1.0), (0.5, 1.0, 2.0)],
    "activations.softshrink": [(0.5,), (0.0,)], "activations.hardshrink": [(0.5,), (0.0,)],
    "activations.above": [(0.1, 0.2), (0.0, -1.5)],
    "activations.softplus": [(1.0, 20.0), (2.5, 3.0), (-1.0, 20.0)],
}  # fmt: skip
SLOPES = {
    "activation_backward.gelu_erf_backward": [()], "activation_backward.gelu_tanh_backward": [()],
    "activation_backward.silu_backward": [()], "activation_backward.mish_backward": [()], "pointwise.sigmoid_backward": [()],
    "pointwise.tanh_backward": [()], "pointwise.relu_backward": [()], "activation_backward.log_sigmoid_backward": [()],
    "activation_backward.hardsigmoid_backward": [()], "activation_backward.hardswish_backward": [()],
    "activation_backward.leaky_relu_backward": VALUES["activations.leaky_relu"],
    "activation_backward.hardtanh_backward": VALUES["activations.hardtanh"],
    "activation_backward.elu_backward": VALUES["activations.elu"],
    "activation_backward.softplus_backward": VALUES["activations.softplus"],
    "activation_backward.threshold_backward": [(0.0,), (0.7,)], "activation_backward.shrink_backward": [(0.5,), (0.0,)],
}  # fmt: skip
PAIRS = {  # two arrays, and numbers
    "losses.smooth_l1": [(1.0,), (0.3,)], "losses.huber": [(1.0,), (0.3,)],
    "loss_backward.smooth_l1_derivative": [(1.0, 1.0), (0.3, 0.01)], "loss_backward.huber_derivative": [(1.0, 1.0), (0.3, 0.01)],
}  # fmt: skip
FOLDS = ["summation.many_squares", "summation.multiplied", "summation.maxima", "summation.minima", "reduce.nansum"]
LONG = ["pointwise.relu", "choice.clamp"]  # those that leave few numbers to NumPy
ROWS = ["softmax.softmax", "softmax.log_softmax"]
ROW_SLOPES = ["softmax.softmax_grad", "softmax.log_softmax_grad"]
# Under sanitizers, which take ten times as long, a fifth of the tries go the same ways.
TRIED = 5 if os.environ.get("RUSHLIGHT_TESTS") == "few" else 1
# Made once: to make a strategy takes as long as to draw from it.
A_DTYPE, A_SEED, A_SHIFT, FEW = (
    st.sampled_from(list(DTYPES)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1, 4, 8, 20]),
    st.integers(0, 3),
)
few = settings(max_examples=25 // TRIED, deadline=None, suppress_health_check=list(HealthCheck))


def numbers(draw, shape, dtype, odd=(), spread=3.0):
    """Random numbers of which a few are odd ones; unaligned as often as not; read-only sometimes."""
    generator = np.random.default_rng(draw(A_SEED))
    values = np.asarray(generator.standard_normal(shape) * spread, dtype)
    for _ in range(draw(FEW) if odd and values.size else 0):
        with np.errstate(all="ignore"):
            values.reshape(-1)[draw(st.integers(0, values.size - 1))] = np.array(draw(st.sampled_from(odd))).astype(dtype)
    shift = draw(A_SHIFT)
    if shift:
        memory = np.empty(values.nbytes + shift, np.uint8)
        moved = np.ndarray(values.shape, values.dtype, memory, shift)
        moved[...] = values
        values = moved
    if draw(st.booleans()):
        values.flags.writeable = False
    return values


def both(name, *args):
    kernel = kernels.registered[name]
    with np.errstate(all="ignore"):
        return kernel.compiled(*args), kernel.numpy(*args)


def agree(found, expected, dtype, scale=1.0):
    assert found is not None, "the compiled kernel did not take the case"
    assert found.dtype == expected.dtype and found.shape == expected.shape
    bound = DTYPES[dtype] * scale
    np.testing.assert_allclose(found, expected, rtol=bound, atol=bound)


def same_on_any_number_of_threads(results):
    """That what ``results()`` gives has the same bits on one thread and on several."""
    assert native is not None
    before = native.threads()
    native.set_threads(1)
    alone = results()
    for count in (2, 3, 4, 8):
        native.set_threads(count)
        for one, other in zip(alone, results(), strict=True):
            assert one.tobytes() == other.tobytes()
    native.set_threads(before)


class Fenced:
    """An array between two fences."""

    def __init__(self, size, dtype, shift, is_fixed):
        self.memory = np.full(size * np.dtype(dtype).itemsize + 2 * FENCE + shift, 0xA5, np.uint8)
        self.whole = slice(FENCE + shift, len(self.memory) - FENCE)
        self.array = np.ndarray(size, dtype, self.memory, FENCE + shift)
        self.array[...] = WITHIN[:size] if size <= len(WITHIN) else np.arange(size) % 5
        self.array.flags.writeable = not is_fixed
        self.before = self.memory.copy() if is_fixed else None

    def is_whole(self):
        if self.before is not None:
            return self.memory.tobytes() == self.before.tobytes()
        return all(
            each.tobytes() == b"\xa5" * len(each) for each in (self.memory[: self.whole.start], self.memory[self.whole.stop :])
        )


def stays_within_fences(name, arguments, tries=300, least=50, call=None):
    """That a loop given random arguments refuses or stays within its arrays: ``arguments(source)`` gives its arrays, each as its
    size and dtype, or None, or an array that it reads, and what else it takes, of which what is in tuples is changed here at times;
    ``call`` calls a loop that takes them otherwise."""
    source, taken = random.Random(name), 0
    for _ in range(tries // TRIED):
        sizes, rest = arguments(source)
        given = [
            Fenced(*each, 0 if source.random() < 0.97 else 1, False) if isinstance(each, tuple) else each for each in sizes
        ]
        arrays = [each for each in given if isinstance(each, Fenced)]
        if source.random() < 0.4 and any(isinstance(one, tuple) for one in rest):
            changed = source.choice([place for place, one in enumerate(rest) if isinstance(one, tuple)])
            place = source.randrange(len(rest[changed]))
            rest[changed] = (*rest[changed][:place], source.choice(NUMBERS), *rest[changed][place + 1 :])
        with contextlib.suppress(REFUSED):
            done = (call or getattr(native, name))(*(each.array if isinstance(each, Fenced) else each for each in given), *rest)
            assert done in (True, False)
            taken += done
        assert all(each.is_whole() for each in arrays), rest
    assert taken >= least // TRIED**2, "too few calls that the loop takes"
