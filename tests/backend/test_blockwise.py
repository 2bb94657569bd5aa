"""What large arrays come to on threads is what NumPy makes of them, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import blockwise

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ODD = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45)


@pytest.fixture(autouse=True, params=[1, 4])
def _threads(request, four_threads):
    torch.set_num_threads(request.param)


def numbers(*shape: int, dtype=np.float32, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    flat = values.reshape(-1)
    count = min(len(ODD), flat.size)
    flat[:count] = ODD[:count]
    flat[-count:] = ODD[:count]
    return values


def same_bits(a, b):
    """But for the signs of nan, which no arithmetic promises."""
    kind = f"u{a.itemsize}"
    a, b = (np.where(np.isnan(each), np.nan, each).astype(each.dtype) for each in (a, b))
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a.view(kind), b.view(kind))


@pytest.mark.parametrize("function", [np.add, np.subtract, np.multiply])
@pytest.mark.parametrize(
    "stretched", [(400,), (1, 400), (20, 400), (1, 20, 400), (13, 1, 1), (13, 20, 1), (1, 20, 1), (1, 1, 1), (1,)]
)
def test_what_broadcasting_stretches(function, stretched):
    whole, part = numbers(13, 20, 400), numbers(*stretched, seed=1)
    assert same_bits(blockwise.spread(function, whole, part), function(whole, part))
    assert same_bits(blockwise.spread(function, part, whole), function(part, whole))


def test_what_is_stretched_both_ways_or_is_in_steps():
    one, other = numbers(400, 1), numbers(1, 400)
    assert same_bits(blockwise.spread(np.add, numbers(1, 90_000), numbers(3, 1)), numbers(1, 90_000) + numbers(3, 1))
    assert same_bits(blockwise.spread(np.add, one, other), one + other)
    whole, wide = numbers(400, 256), numbers(400, 512, seed=3)
    assert same_bits(blockwise.spread(np.add, whole, wide[:, :1]), whole + wide[:, :1])
    assert same_bits(blockwise.spread(np.subtract, whole, wide[0, ::2]), whole - wide[0, ::2])
    assert same_bits(blockwise.spread(np.add, whole.T, wide[:, 0]), whole.T + wide[:, 0])


def test_numbers_of_other_kinds_are_numpys():
    whole = np.arange(blockwise.SPREAD, dtype=np.int64).reshape(-1, 256)
    assert np.array_equal(blockwise.spread(np.add, whole, whole[0]), whole + whole[0])
    single = whole.astype(np.float32)
    assert blockwise.spread(np.add, single, whole[0].astype(np.float64)).dtype == np.float64
