"""torch.masked: against plain functions of what the mask lets through, derivatives, nothing left, dtypes, errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

M = torch.masked
X = torch.tensor([[0.3, -1.2, 2.1, 0.7], [1.7, 0.4, -0.6, 1.1], [0.2, 0.9, 1.3, -0.8]], dtype=torch.float64)
MASK = torch.tensor([[True, False, True, True], [False, True, False, False], [False, False, False, False]])
NAN, INF = math.nan, math.inf

REDUCTIONS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "sum": (lambda row: row.sum(), 0.0),
    "prod": (lambda row: row.prod(), 1.0),
    "mean": (lambda row: row.mean(), NAN),
    "amax": (lambda row: row.amax(), -INF),
    "amin": (lambda row: row.amin(), INF),
    "median": (lambda row: row.median(), NAN),
    "norm": (lambda row: row.norm(), 0.0),
    "logsumexp": (lambda row: row.logsumexp(0), -INF),
}
NORMALIZATIONS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "softmax": (lambda row: row.softmax(0), 0.0),
    "softmin": (lambda row: (-row).softmax(0), 0.0),
    "log_softmax": (lambda row: row.log_softmax(0), -INF),
}


def same(value: Any, expected: Any) -> bool:
    return bool(torch.allclose(value, expected, rtol=1e-13, atol=1e-13, equal_nan=True))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_sees_only_what_the_mask_lets_through(name: str) -> None:
    plain, nothing = REDUCTIONS[name]
    f = getattr(M, name)
    expected = torch.stack([plain(X[0][MASK[0]]), plain(X[1][MASK[1]]), torch.tensor(nothing, dtype=torch.float64)])
    assert same(f(X, dim=1, mask=MASK), expected)
    assert same(f(X, dim=-1, keepdim=True, mask=MASK), expected[:, None])
    assert same(f(X.T, dim=0, mask=MASK.T), expected)
    assert same(f(X, dim=1), torch.stack([plain(row) for row in X]))
    if name != "median":
        assert same(f(X, mask=MASK), plain(X[MASK]))
        assert same(f(X, dim=(0, 1), mask=MASK), plain(X[MASK]))
        assert same(f(X, dim=(), mask=MASK), plain(X[MASK]))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_has_the_gradient_of_the_plain_one(name: str) -> None:
    plain, _ = REDUCTIONS[name]
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    (grad,) = torch.autograd.grad(getattr(M, name)(x, dim=1, mask=MASK)[:2] @ torch.tensor([1.0, 3.0]).double(), x)
    (expected,) = torch.autograd.grad(plain(y[0][MASK[0]]) + 3 * plain(y[1][MASK[1]]), y)
    assert same(grad[:2], expected[:2])
    assert not grad[~MASK].nan_to_num().any()


@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_a_normalization_sees_only_what_the_mask_lets_through(name: str) -> None:
    plain, left_out = NORMALIZATIONS[name]
    x = X.clone().requires_grad_()
    result = getattr(M, name)(x, 1, mask=MASK)
    assert same(result[0][MASK[0]], plain(X[0][MASK[0]]))
    assert result[0, 1].item() == left_out
    assert result[2].isnan().all()
    y = X.clone().requires_grad_()
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    (grad,) = torch.autograd.grad(result[0][MASK[0]] @ weights, x)
    (expected,) = torch.autograd.grad(plain(y[0][MASK[0]]) @ weights, y)
    assert same(grad[0], expected[0])


@pytest.mark.parametrize("options", [{}, {"unbiased": False}, {"correction": 0}, {"correction": 0.5}])
def test_variance(options: dict[str, Any]) -> None:
    kept = X[0][MASK[0]]
    assert same(M.var(X, 1, mask=MASK, **options)[0], kept.var(**options))
    assert same(M.std(X, 1, mask=MASK, **options)[0], kept.std(**options))
    assert same(M.var(X, 1, **options), X.var(1, **options))
    assert M.var(X, 1, mask=MASK, **options)[2].isnan()
    assert same(M.var(X, (0, 1), keepdim=True, mask=MASK, **options), X[MASK].var(**options).reshape(1, 1))


def test_variance_of_complex_numbers_is_that_of_their_parts() -> None:
    z = torch.complex(X, X.flip(1))
    assert same(M.var(z, 1, mask=MASK)[0].real, z[0][MASK[0]].var())
    assert M.var(z, 1, mask=MASK).dtype == torch.complex128


def test_running_sums_and_products_pass_over_what_is_left_out() -> None:
    assert same(M.cumsum(X, 1, mask=MASK)[0], torch.tensor([0.3, 0.3, 2.4, 3.1], dtype=torch.float64))
    assert same(M.cumprod(X, 1, mask=MASK)[0], torch.tensor([0.3, 0.3, 0.63, 0.441], dtype=torch.float64))
    assert same(M.cumsum(X, 0), X.cumsum(0))


def test_positions_count_what_is_left_out() -> None:
    assert M.argmax(X, 1, mask=MASK).tolist() == [2, 1, 0]
    assert M.argmin(X, 1, mask=MASK).tolist() == [0, 1, 0]
    assert M.argmax(X, mask=MASK).item() == 2
    assert M.argmin(torch.tensor([3, 1, 2]), mask=torch.tensor([True, False, True])).item() == 2


@pytest.mark.parametrize("ord", [0, 1, 2, 3.5, INF, -INF])
def test_norms_of_all_orders(ord: float) -> None:
    kept = torch.linalg.vector_norm(X[0][MASK[0]], ord)
    assert same(M.norm(X, ord, 1, mask=MASK)[0], kept)
    assert same(M.normalize(X, ord, 1, mask=MASK)[0], X[0] * MASK[0] / kept)


def test_normalize_by_no_less_than_eps() -> None:
    assert same(M.normalize(X, 2, 1, eps=10.0, mask=MASK)[0], X[0] * MASK[0] / 10)
    assert not M.normalize(X, 2, 1, mask=MASK)[2].any()


def test_logaddexp_leaves_out_either_side() -> None:
    other = X.flip(0)
    result = M.logaddexp(X, other, input_mask=MASK, other_mask=~MASK)
    assert same(result, torch.where(MASK, X, other))
    assert same(M.logaddexp(X, other), torch.logaddexp(X, other))
    assert M.logaddexp(X, other, dtype=torch.float32, input_mask=MASK).dtype == torch.float32


def test_a_mask_broadcasts_and_may_hold_numbers() -> None:
    row = torch.tensor([True, False, True, False])
    assert same(M.sum(X, 1, mask=row), X[:, [0, 2]].sum(1))
    assert same(M.sum(X, 1, mask=torch.tensor([2, 0, -1, 0])), X[:, [0, 2]].sum(1))
    assert same(M.mean(X, 0, mask=torch.tensor([[True], [False], [True]])), X[[0, 2]].mean(0))


@pytest.mark.parametrize(
    ("name", "numbers", "dtype", "expected"),
    [
        ("sum", torch.tensor([1, 2, 3], dtype=torch.int8), torch.int64, 4),
        ("prod", torch.tensor([True, False, True]), torch.int64, 1),
        ("amax", torch.tensor([1, 9, 3], dtype=torch.uint8), torch.uint8, 3),
        ("amin", torch.tensor([4, 1, 3]), torch.int64, 3),
        ("median", torch.tensor([4, 1, 3]), torch.int64, 3),
        ("cumsum", torch.tensor([4, 1, 3], dtype=torch.int32), torch.int32, None),
        ("argmax", torch.tensor([1.0, 9.0, 3.0]), torch.float32, 2),
    ],
)
def test_dtypes(name: str, numbers: Any, dtype: Any, expected: Any) -> None:
    result = getattr(M, name)(numbers, 0, mask=torch.tensor([True, False, True]))
    assert result.dtype == dtype
    assert expected is None or result.item() == expected


def test_of_nothing() -> None:
    empty = torch.zeros(0, 3)
    assert M.sum(empty, 0).tolist() == [0, 0, 0]
    assert M.prod(empty, 0, mask=torch.tensor(True)).tolist() == [1, 1, 1]
    assert M.mean(empty, 0).isnan().all()
    assert M.softmax(empty, 1).shape == (0, 3)
    assert M.amax(torch.tensor([1, 2]), 0, mask=torch.tensor([False, False])).item() == -(2**63)


WIDE, WRONG = torch.ones(2, 3, 4, dtype=torch.bool), torch.ones(2, dtype=torch.bool)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: M.sum(X, 2), IndexError, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"),
    (lambda: M.sum(X, (0, 0)), RuntimeError, "dim=0 appears multiple times in the list of dims"),
    (lambda: M.sum(X, 1, mask=WIDE), IndexError, r"_input_mask expected broadcastable mask \(got mask dim"),
    (lambda: M.sum(X, 1, mask=WRONG), RuntimeError, r"The expanded size of the tensor \(4\) must match"),
    (lambda: M.mean(torch.arange(3)), ValueError, r"mean\(\): Could not infer output dtype. Input dtype must be either"),
    (lambda: M.amax(MASK, 1, mask=MASK), NotImplementedError, "identity of amax on torch.bool input"),
    (lambda: M.argmax(X.to(torch.complex128), 1, mask=MASK), TypeError, "requires an integer input type"),
    (lambda: M.median(torch.arange(12).reshape(3, 4), 1, mask=MASK), ValueError, "expects no fully masked out rows"),
    (lambda: M.var(X, 1, True, correction=1), AssertionError, "Only one of unbiased and correction may be given"),
    (lambda: M.norm(X.to(torch.complex128), -INF, mask=MASK), AssertionError, "input must be floating point"),
    (lambda: M.cumsum(MASK, 1), NotImplementedError, "\"cumsum_out_cpu\" not implemented for 'Bool'"),
    (lambda: M.softmax(X), TypeError, r"softmax\(\) missing 1 required positional argument: 'dim'"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text[:40] for _, _, text in ERRORS])
def test_errors_are_pytorchs(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
