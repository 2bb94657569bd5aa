"""Sums of products in one sweep: to the last bit what NumPy gives step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rushlight import kernels

CASES = {
    "arithmetic.cube": (1, [()]),
    "choice.addcmul": (3, [(1,), (0.3,), (-2,), (math.inf,)]),
    "choice.addcdiv": (3, [(1,), (0.3,), (-2,)]),
    "choice.lerp": (2, [(0.1,), (0.5,), (0.49999999,), (-3,), (1.0,), (math.nan,)]),
}


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", CASES)
def test_every_bit_is_numpys(instruction_set, name, dtype):
    count, numbers = CASES[name]
    source = np.random.default_rng(0)
    arrays = [source.standard_normal((3, 1701)).astype(dtype) for _ in range(count)]
    for array in arrays:
        array.reshape(-1)[source.integers(0, array.size, 300)] = source.choice(
            [0.0, -0.0, 1e-42, math.inf, -math.inf, math.nan], 300
        )
    for some in numbers:
        with np.errstate(all="ignore"):
            found, expected = kernels.registered[name].compiled(*arrays, *some), kernels.registered[name].numpy(*arrays, *some)
        unknown = np.isnan(expected)
        assert found.dtype == expected.dtype and (np.isnan(found) == unknown).all()
        assert np.where(unknown, 0, found).tobytes() == np.where(unknown, 0, expected).tobytes()


def test_what_is_left_to_numpy(instruction_set):
    x = np.ones((64, 128), np.float32)
    addcmul, lerp = (kernels.registered[f"choice.{name}"].compiled for name in ("addcmul", "lerp"))
    assert addcmul(x, x, x, 2) is not None
    for other in (x.T.copy().T, x[:, :1], x.astype("d")):
        assert addcmul(x, other, x, 2) is None
    whole = x.astype(np.int64)
    assert addcmul(whole, whole, whole, 2) is None and lerp(x, x, x[0]) is None and lerp(x[0], x[0], 0.5) is None
