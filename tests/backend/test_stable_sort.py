"""Places that sort are those of NumPy's stable argsort, however many elements there are."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import stable_sort

DTYPES = [
    np.float16,
    np.float32,
    np.float64,
    np.bool_,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
]


def many(shape, dtype, seed=0):
    """Numbers of which many are equal, with all that a dtype has beside numbers."""
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind != "f":
        info = None if dtype == np.bool_ else np.iinfo(dtype)
        low, high = (0, 2) if info is None else (max(info.min, -1000), min(info.max, 1000))
        return generator.integers(low, high, shape).astype(dtype)
    x = generator.integers(-50, 50, shape).astype(dtype) / dtype(8)
    odd = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).tiny, -np.finfo(dtype).tiny, np.finfo(dtype).max]
    flat = x.reshape(-1)
    flat[generator.integers(0, flat.size, flat.size // 4)] = generator.choice(np.array(odd, dtype), flat.size // 4)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "axis"), [((3000,), 0), ((60, 70), 1), ((60, 70), 0), ((5, 600, 3), 1), ((5, 600, 3), -1), ((7,), 0)]
)
def test_as_a_stable_argsort(shape, axis, dtype):
    for x in (many(shape, dtype), many(shape[::-1], dtype).T):
        found = stable_sort.order(x, axis)
        assert found.dtype == np.int64 and np.array_equal(found, x.argsort(axis, kind="stable"))
        back = np.flip(np.flip(x, axis).argsort(axis, kind="stable"), axis)
        assert np.array_equal(stable_sort.order(x, axis, True), x.shape[axis] - 1 - back)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint32])
def test_whole_numbers_far_apart(dtype):
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max, 0, 5, info.max - 1], dtype)
    x = np.random.default_rng(0).choice(ends, 4000)
    assert np.array_equal(stable_sort.order(x, 0), x.argsort(kind="stable"))
    close = x % dtype(7) + dtype(info.max - 10)
    assert np.array_equal(stable_sort.order(close, 0), close.argsort(kind="stable"))
    edge = np.where(x > 5, dtype(2**31 - 1), dtype(0))
    assert np.array_equal(stable_sort.order(edge, 0, True), len(edge) - 1 - edge[::-1].argsort(kind="stable")[::-1])


def test_what_is_sorted_stays_as_it_is():
    x = many((4000,), np.float32)
    before = x.copy()
    torch.tensor(x).sort(descending=True)
    stable_sort.order(x, 0)
    assert np.array_equal(x.view(np.int32), before.view(np.int32))
