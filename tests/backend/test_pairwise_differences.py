"""Differences of all pairs come to NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import pairwise_differences

X, Y = np.random.default_rng(0).standard_normal((2, 240, 3)).astype(np.float32)
X[5], Y[7] = Y[7], 0  # two points that are the same, and one of zeros


def assert_same_bits(got, want):
    assert got.dtype is want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X[:, None], Y[None]),
        (X[None], Y[:, None]),
        (X[:, None], Y),
        (X, Y[:, None]),
        (X.reshape(20, 12, 1, 3), Y),
        (X.reshape(20, 12, 3), Y[:, None, None]),
        (X[:1], np.tile(Y, (40, 1))[:, None]),
        (X[:, None, ::-1], Y[None, ::2]),
        (X[:, None] * 1e-42, Y[None] * 1e-42),
        (X[:, None, :2], Y[None, :, :2]),
    ],
)
def test_all_pairs(a, b, dtype):
    a, b = a.astype(dtype), b.astype(dtype)
    found = pairwise_differences.differences(a, b)
    assert found is not None
    assert_same_bits(found, np.asarray(a - b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X[:9, None], Y[None, :9]),  # few
        (X.reshape(20, 12, 1, 1, 3), np.full((), 2, np.float32)),
        (X[0], np.tile(Y, (40, 1)).reshape(40, 20, 12, 1, 3)),
        (X[:, None, :1], Y[None, :, :1]),
        (X[:, None], Y[None, :, :1]),
        (X.reshape(20, 1, 12, 3), Y.reshape(20, 12, 1, 3)),  # a batch
        (X[:, None].astype(np.float64), Y[None]),
        (np.ones((240, 1, 3), np.int64), np.ones((1, 240, 3), np.int64)),
        (np.ones((200, 1, 20)), np.ones((1, 200, 20))),
    ],
)
def test_what_is_left_to_numpy(a, b):
    assert pairwise_differences.differences(a, b) is None
    assert torch.equal(torch.from_numpy(a.copy()) - torch.from_numpy(b.copy()), torch.from_numpy(a - b))


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, -0.0])
def test_numbers_that_products_would_spoil(number):
    for place in range(2):
        points = [X.copy(), Y.copy()]
        points[place][3, 1] = number
        a, b = points[0][:, None], points[1][None]
        assert pairwise_differences.differences(a, b) is None
        with np.errstate(invalid="ignore"):
            assert_same_bits((torch.from_numpy(a) - torch.from_numpy(b)).numpy(), a - b)


def test_gradients():
    x, y = torch.from_numpy(X).double().requires_grad_(), torch.from_numpy(Y).double().requires_grad_()
    g = torch.randn(240, 240, 3, dtype=torch.float64)
    ((x[:, None] - y) * g).sum().backward()
    torch.testing.assert_close(x.grad, g.sum(1))
    torch.testing.assert_close(y.grad, -g.sum(0))
