"""Sums add in the order in which PyTorch does on one thread: they agree to the last bit, whatever is summed along which axes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import rushlight
from rushlight import kernels

SHAPES = [
    *[(size,) for size in (1, 4, 5, 8, 9, 31, 33, 65, 127, 500, 513, 4096, 33_333, 1_234_567)],
    (3, 5), (9, 4), (17, 33), (40, 7), (1000, 7), (512, 512), (4096, 8), (64, 784), (10_000, 3), (1, 50), (50, 1), (400, 257),
    (4, 300, 64), (32, 100, 10), (7, 3, 5000), (2, 1000, 3), (5, 1, 7), (8, 16, 14, 14),
]  # fmt: skip


@pytest.fixture
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.skipif(kernels.native is None, reason="NumPy adds many numbers in an order of its own")
@pytest.mark.usefixtures("_one_thread")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_and_means(shape, dtype):
    x = np.random.default_rng(shape).standard_normal(shape).astype(dtype)
    theirs, ours = torch.from_numpy(x), rushlight.from_numpy(x)
    axes = range(len(shape))
    for some in itertools.chain.from_iterable(itertools.combinations(axes, count) for count in range(len(shape) + 1)):
        for name in ("sum", "mean"):
            expected, found = (getattr(each, name)(some or None).numpy() for each in (theirs, ours))
            assert found.tobytes() == expected.tobytes(), (name, some)
