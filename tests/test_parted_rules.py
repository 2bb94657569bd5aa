"""Rules and kernels over large arrays, which work in parts, come to what they come to over small ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.backend import blockwise
from rushlight.backend.parted_array import PartedArray, parted, whole
from rushlight.ops import table
from rushlight.ops.reading import conj
from rushlight.ops.rules_text import _is_of_operators

pytestmark = pytest.mark.usefixtures("four_threads")
SIZE = blockwise.SPREAD + 149
UNARY = "neg abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal square tan atan tanh sigmoid deg2rad".split()
ACTIVATIONS = {
    "relu": F.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "softmax": lambda x: F.softmax(x.view(-1, 7), 1),
    "log_softmax": lambda x: F.log_softmax(x.view(-1, 7), 1),
    "layer_norm": lambda x: F.layer_norm(x.view(-1, 7), (7,)),
}
ODD = [float("nan"), -float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, -1e-40]
LENGTH = SIZE // 49 * 49  # seven pieces of rows of seven


def leaf(size, dtype, low=-2.0, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).uniform(low, 2, size).astype(dtype)).requires_grad_()


def of_parts(f, *inputs):
    """Result and gradients of large inputs, and of the same inputs cut into pieces too small to be parted."""
    results = []
    for pieces in (1, 7):
        outs, grads = [], []
        cuts = [x.detach().chunk(pieces) for x in inputs]
        for group in zip(*cuts, strict=True):
            leaves = [each.clone().requires_grad_() for each in group]
            out = f(*leaves)
            out.backward(torch.linspace(-1, 1, LENGTH, dtype=out.dtype).chunk(pieces)[len(outs)].view_as(out))
            outs.append(out.detach().reshape(-1).numpy())
            grads.append([each.grad.numpy() for each in leaves])
        results.append([np.concatenate(outs), *[np.concatenate(each) for each in zip(*grads, strict=True)]])
    return results


def agree(large, small, dtype):
    tolerance = 3e-6 if dtype is np.float32 else 1e-13
    for one, other in zip(large, small, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_functions(name, dtype):
    agree(*of_parts(getattr(torch, name), leaf(LENGTH, dtype, 0.1)), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name, dtype):
    agree(*of_parts(ACTIVATIONS[name], leaf(LENGTH, dtype)), dtype)


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "silu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_activations_of_odd_numbers(name, dtype):
    x = leaf(LENGTH, dtype)
    with torch.no_grad():
        x[:8] = torch.tensor(ODD, dtype=x.dtype)
    agree(*of_parts(ACTIVATIONS[name], x), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [torch.add, torch.sub, torch.mul, torch.div, torch.hypot, lambda a, b: torch.lerp(a, b, 0.3)])
def test_operators(f, dtype):
    agree(*of_parts(f, leaf(LENGTH, dtype, 0.1), leaf(LENGTH, dtype, 0.1, 1)), dtype)


def test_the_operators_of_a_parted_array():
    x, y = (np.random.default_rng(seed).random(SIZE) + 1 for seed in range(2))
    p, q = parted(x), parted(y)
    for found, expected in [
        (p + q, x + y), (p - q, x - y), (p * q, x * y), (p / q, x / y), (-p, -x),
        (2 + p, 2 + x), (2 - p, 2 - x), (2 * p, 2 * x), (2 / p, 2 / x), (p - 1.5, x - 1.5), (y * p, x * y), (y - p, y - x),
        (np.float64(3) / p, 3 / x), (np.asarray(3.0) * p, 3 * x), (p * y[:1], x * y[:1]),
    ]:  # fmt: skip
        assert found.__class__ is PartedArray and np.array_equal(whole(found), expected)
    assert whole(p) is x and parted(None) is None and whole(2) == 2 and parted(x.astype(int)).__class__ is np.ndarray


def rules_of_operators():
    for name, entry in table.table.items():
        for of, rule in entry.rules.items():
            if _is_of_operators(rule):
                yield pytest.param(rule, id=f"{name}-{of}")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rule", list(rules_of_operators()))
def test_rules_are_the_same_over_parts(rule):
    generator = np.random.default_rng(0)
    floats, complexes = (np.float32, np.float64), (np.complex64, np.complex128)
    count = rule.__code__.co_argcount
    for seen in itertools.product((*floats, *complexes, 1, 2, 0.5, 2j), repeat=count - 1):
        for kind in floats:
            arrays = [
                each if not isinstance(each, type) else generator.random((2, 3)).astype(each) + (1j if each in complexes else 0)
                for each in (kind, *seen)
            ]
            expected, found = rule(*arrays), whole(rule(*map(parted, arrays)))
            assert found.dtype == expected.dtype and np.array_equal(found, expected, equal_nan=True), seen


def test_which_rules_are_of_operators():
    third = 1 / 3
    for rule in (
        lambda g: -g,
        lambda g, x: 2 * g * x,
        lambda g, out: g * (1 - out * out) / 1.5,
        lambda g, x: g * conj(x),
    ):
        assert _is_of_operators(rule)
    for rule in (
        abs,
        lambda g, x: g**x,
        lambda g, x: g * abs(x),
        lambda g: g * third,
        lambda g: g * 1j,
        lambda g: g.real,
        lambda g, x: g @ x,
    ):
        assert not _is_of_operators(rule)
