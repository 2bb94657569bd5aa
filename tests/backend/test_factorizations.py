"""Triangular systems, a half at a time."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import factorizations

ROWS = 150  # more than are solved in one


def systems(dtype, batch=(), others=(), count=3):
    """Matrices that are well conditioned, and right sides."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((*batch, ROWS, ROWS)), rng.standard_normal((*others, ROWS, count))
    if np.dtype(dtype).kind == "c":
        a, b = a + 1j * rng.standard_normal(a.shape), b - 1j * rng.standard_normal(b.shape)
    return (a / ROWS + 2 * np.eye(ROWS)).astype(dtype), b.astype(dtype)


LAYOUTS = {
    "in order": np.ascontiguousarray,
    "by columns": lambda a: np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2),
    "rows of longer ones": lambda a: np.concatenate([a, a], -1)[..., :ROWS],
    "columns of longer ones": lambda a: np.concatenate([a, a], -1).swapaxes(-1, -2)[..., :ROWS, :].swapaxes(-1, -2),
    "back to front": lambda a: np.ascontiguousarray(a[..., ::-1, ::-1])[..., ::-1, ::-1],
    "every other": lambda a: np.repeat(a, 2, -1)[..., ::2],
}


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_solves_by_one_triangle_alone(dtype, layout, upper, unit):
    a, b = systems(dtype)
    triangle = np.triu(a, 1) if upper else np.tril(a, -1)
    triangle += np.eye(ROWS) if unit else np.diag(np.diagonal(a))
    a[np.tril_indices(ROWS, -1) if upper else np.triu_indices(ROWS, 1)] = np.nan
    if unit:
        a[range(ROWS), range(ROWS)] = 0
    x = factorizations.solve_triangular(LAYOUTS[layout](a), b, upper, unit)
    np.testing.assert_allclose(triangle @ x, b, atol=1e-5 if np.dtype(dtype).itemsize < 8 or dtype == "complex64" else 1e-13)


@pytest.mark.parametrize(("batch", "others"), [((2,), ()), ((), (3,)), ((2, 1), (3,)), ((0,), ()), ((2,), (2,))])
def test_batches(batch, others):
    a, b = systems("float64", batch, others)
    x = factorizations.solve_triangular(a, b, True, False)
    assert x.shape == (*np.broadcast_shapes(batch, others), ROWS, 3)
    np.testing.assert_allclose(np.triu(a) @ x, np.broadcast_to(b, x.shape), atol=1e-13)


@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_what_is_not_finite_goes_where_it_is_used(number):
    a, b = systems("float64")
    a[0, 3] = number
    x = factorizations.solve_triangular(a, b, True)
    assert np.isfinite(x[1:]).all() and not np.isfinite(x[0]).any()
    np.testing.assert_allclose(np.triu(a)[1:, 1:] @ x[1:], b[1:], atol=1e-13)


def test_zeros_of_a_diagonal():
    a, b = systems("float64")
    a[5, 5] = 0
    assert not np.isfinite(factorizations.solve_triangular(a, b, True)[5]).any()
    b[5:] = 0
    x = factorizations.solve_triangular(a, b, True)
    assert np.isnan(x[5]).all() and not np.isnan(x[6:]).any()  # 0 / 0, as in PyTorch
    assert factorizations.solve_triangular(a, b[:, :0], True).shape == (ROWS, 0)


@pytest.mark.parametrize("left", [True, False])
def test_its_gradient_is_that_of_finite_differences(left):
    a, b = (torch.from_numpy(each[:, :24]) for each in systems("float64", count=24))
    a, b = a[:24].clone().requires_grad_(), b[:24, :24].clone().requires_grad_()
    torch.autograd.gradcheck(lambda a, b: torch.linalg.solve_triangular(a, b, upper=True, left=left)[:2, :2], (a, b))
