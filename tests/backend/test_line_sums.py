"""Sums of rows and columns by products with vectors, on one thread and in parts."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import kernels
from rushlight.backend import line_sums

SHAPES = [(400, 256), (256, 400), (2, 50_000), (3, 40_001), (30_001, 3), (90_000, 1), (1, 90_000), (1000, 1024), (9, 5)]


@pytest.fixture(autouse=True, params=[1, 3, 4])
def _threads(request, four_threads):
    torch.set_num_threads(request.param)


def numbers(*shape: int, dtype=np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(dtype)


def close(found, exact, dtype):
    assert found.dtype == dtype and found.shape == exact.shape
    np.testing.assert_allclose(found, exact, 2e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_lines_of_matrices(shape, dtype):
    x = torch.tensor(numbers(*shape, dtype=dtype))
    close(x.sum(1).numpy(), x.numpy().astype(np.float64).sum(1), dtype)
    close(x.sum(0).numpy(), x.numpy().astype(np.float64).sum(0), dtype)


def test_more_rows_than_are_added_one_after_another(monkeypatch):
    monkeypatch.setattr(line_sums, "_ROWS", 7)
    for shape in ((1000, 120), (1001, 120), (1500, 120), (3, 50, 60)):
        x = numbers(*shape)
        close(line_sums._columns(x), x.astype(np.float64).sum(-2), np.float32)


def test_whole_numbers_that_many_rows_are_added_to_exactly():
    rows = np.ones((1 << 14, 32), np.float32)
    assert (line_sums._columns(rows) == 1 << 14).all()
    assert (line_sums.total(rows, (1,)) == 32).all()


@pytest.mark.parametrize("keepdim", [False, True])
def test_sums_along_lines_of_tensors(keepdim):
    x = torch.tensor(numbers(40, 30, 100))
    close(x.sum(-1, keepdim=keepdim).numpy(), x.numpy().astype(np.float64).sum(-1, keepdims=keepdim), np.float32)
    close(x.mean(-1, keepdim=keepdim).numpy(), x.numpy().astype(np.float64).mean(-1, keepdims=keepdim), np.float32)


def test_nan_and_infinity_stay_in_their_lines():
    x = numbers(400, 256)
    x[3, 5], x[7, 9], x[11, 0], x[11, 1] = np.nan, np.inf, np.inf, -np.inf
    sums = torch.tensor(x).sum(1)
    assert np.isnan(sums.numpy()[[3, 11]]).all() and sums[7] == np.inf and torch.isfinite(sums).sum() == 397
    sums = torch.tensor(x).sum(0)
    assert np.isnan(sums.numpy()[5]) and sums[9] == np.inf and torch.isfinite(sums).sum() == 252


AXES = [
    ((400, 256), (0,)),
    ((400, 256), (1,)),
    ((400, 256), (-1,)),
    ((4097, 2), (0,)),
    ((4097, 2), (1,)),
    ((64, 20, 64), (1,)),
    ((64, 20, 64), (0, 2)),
    ((12, 20, 64), (0, 2)),
    ((12, 4, 2100), (0, 2)),
    ((64, 20, 64), (1, 2)),
    ((64, 1, 20, 1, 64), (0, 1, 3)),
    ((64, 1, 20, 1, 64), (2, 3)),
    ((6, 5, 4, 6, 9), (1, 3)),
    ((2, 2100, 3), (1,)),
    ((90_000, 1), (0,)),
    ((90_000, 1), (1,)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axes"), AXES)
def test_sums_along_axes(shape, axes, keepdims, dtype):
    x = numbers(*shape, dtype=dtype)
    exact = x.astype(np.float64).sum(axes, keepdims=keepdims)
    found = line_sums.sums(x, axes, keepdims)
    if found is not None:
        close(found, exact, dtype)
    close(np.asarray(torch.tensor(x).sum(axes, keepdim=keepdims)), exact, dtype)


def test_what_is_left_to_numpy():
    x = numbers(400, 256)
    assert (line_sums.sums(x[:15], (0,), False) is None) is (kernels.native is None)  # few
    assert line_sums.sums(x.T, (0,), False) is None and line_sums.sums(x[:, ::2], (1,), False) is None
    assert line_sums.sums(x.astype(np.int64), (0,), False) is None and line_sums.sums(x * 1j, (0,), False) is None
    if kernels.native is None:
        assert line_sums.sums(numbers(3, 90_000), (1,), False) is None  # long lines NumPy adds up pairwise


OF_ROWS = {
    "softmax": lambda x, w, b: x.softmax(-1),
    "log_softmax": lambda x, w, b: x.log_softmax(-1),
    "layer_norm": lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b),
    "layer_norm without weights": lambda x, w, b: F.layer_norm(x, x.shape[-1:]),
    "less a column, times a row": lambda x, w, b: (x - x[:, :1]) * w + b,
    "linear": lambda x, w, b: F.linear(x, torch.stack([w] * 40), b[:40]) if x.shape[1] >= 40 else x + b,
}


@pytest.mark.parametrize("shape", [(400, 256), (300, 300), (20_000, 33), (70, 2100), (9, 5)])
@pytest.mark.parametrize("function", OF_ROWS.values(), ids=OF_ROWS)
def test_functions_of_rows_and_their_gradients(function, shape):
    results = []
    for dtype in (np.float32, np.float64):
        values = [numbers(*shape, seed=1), numbers(shape[1], seed=2), numbers(shape[1], seed=3)]
        x, w, b = (torch.tensor(value.astype(dtype), requires_grad=True) for value in values)
        out = function(x, w, b)
        out.backward(torch.tensor((numbers(*out.shape, seed=4) - 1).astype(dtype)))
        results.append([out.detach().numpy(), *(each.grad.numpy() for each in (x, w, b) if each.grad is not None)])
    for found, exact in zip(*results, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, 1e-5, 4e-6 * np.abs(exact).max())
