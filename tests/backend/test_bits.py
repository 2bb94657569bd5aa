"""Choices by bits are np.where's."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.backend import bits

COUNT = bits._MANY + 3
ODD = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-45]


def numbers(dtype, seed=0, count=COUNT):
    values = np.random.default_rng(seed).standard_normal(count).astype(dtype)
    values[: len(ODD)] = np.random.default_rng(seed).permutation(np.array(ODD, dtype))
    return values


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_either(dtype):
    a, b = numbers(dtype), numbers(dtype, 1)
    mask = np.random.default_rng(2).random(COUNT) < 0.5
    for one, other in [(a, b), (a, dtype(0)), (dtype(-0.0), b), (np.asarray(dtype(np.nan)), b), (a, a)]:
        assert same_bits(bits.either(mask, one, other), np.where(mask, one, other))
    for constant in (np.zeros(COUNT, bool), np.ones(COUNT, bool)):
        assert same_bits(bits.either(constant, a, b), np.where(constant, a, b))
    table = mask[: COUNT // 11 * 11].reshape(-1, 11)
    one, other = (each[: table.size].reshape(table.shape) for each in (a, b))
    assert same_bits(bits.either(table, one, other), np.where(table, one, other))


@pytest.mark.parametrize(
    ("mask", "a", "b"),
    [
        (np.arange(COUNT) % 2, numbers("f"), numbers("f", 1)),
        (np.arange(2 * COUNT)[::2] % 3 == 0, numbers("f", count=2 * COUNT)[::2], numbers("f", 1)),
        (np.arange(COUNT) % 2 == 0, numbers("f"), numbers("d", 1)),
        (np.arange(COUNT) % 2 == 0, numbers("f").astype(np.float16), numbers("f", 1).astype(np.float16)),
        (np.arange(COUNT) % 2 == 0, np.arange(COUNT), -np.arange(COUNT)),
        (np.arange(3)[:, None] == 1, numbers("f"), numbers("f", 1)),
        (np.arange(6) % 2 == 0, numbers("f", count=6), numbers("f", 1, 6)),
    ],
)
def test_what_is_left_to_numpy(mask, a, b):
    assert same_bits(bits.either(mask, a, b), np.where(mask, a, b))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only(dtype):
    x = numbers(dtype)
    mask = np.random.default_rng(2).random(COUNT) < 0.5
    for some, of in [(x, mask), (x[:10], mask[:10]), (x, np.broadcast_to(mask[:1], COUNT)), (x[::-1], mask)]:
        assert same_bits(bits.only(some, of), np.where(of, some, dtype(0)))


@pytest.mark.parametrize("shape", [(3, 4), (128, 130)])
def test_what_is_kept_lies_as_its_mask(shape):
    x, mask = np.ones(shape, np.float32), np.ones(shape[::-1], bool).T
    assert bits.only(x, mask).strides == x.T.copy().T.strides
    assert bits.only(x, mask[..., :1]).flags.c_contiguous
