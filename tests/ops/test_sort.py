"""Ordering, ties, distinct values, binary search and counting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.backend import sort

NAN = float("nan")


def test_sort_both_ways() -> None:
    x = torch.tensor([[3.0, NAN, 1.0], [2.0, 2.0, -1.0]])
    up, down = x.sort(), x.sort(1, descending=True)
    assert up.indices.tolist() == [[2, 0, 1], [2, 0, 1]]
    assert down.indices.tolist() == [[1, 0, 2], [0, 1, 2]]
    assert torch.msort(x[1]).tolist() == [-1.0, 2.0, 2.0]
    assert x.argsort(dim=0, descending=True).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert torch.tensor(5).sort().indices.item() == 0


def test_more_than_sixteen_equal_elements() -> None:
    # PyTorch does not sort these stably unless asked to; the indices are those it prints.
    x = torch.arange(20) % 2
    assert x.sort(stable=True).indices.tolist() == [*range(0, 20, 2), *range(1, 20, 2)]
    assert x.sort().indices.tolist() == [0, 2, 18, 4, 6, 16, 8, 10, 14, 12, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1]
    assert x.topk(3).indices.tolist() == [11, 13, 15]
    assert x.kthvalue(4).indices.item() == 14
    assert x.mode().indices.item() == 12


def test_the_greatest_one_where_there_are_several_or_nan() -> None:
    x = torch.arange(20) % 2
    assert x.topk(1).indices.tolist() == [11] and x.topk(1, largest=False).indices.tolist() == [10]
    rows = torch.tensor([[3.0, NAN, 1.0, NAN], [2.0, 5.0, 5.0, 5.0], [1.0, 0.0, -1.0, 0.0]])
    assert rows.topk(1).indices.tolist() == [[1], [2], [0]]
    assert rows[:, :3].topk(1).indices.tolist() == [[1], [1], [0]]
    assert rows.topk(1, largest=False).indices.tolist() == [[2], [0], [2]]
    assert rows.topk(1, 0).indices.tolist() == [[0, 0, 1, 0]]
    assert rows.topk(1, 0, largest=False).indices.tolist() == [[2, 2, 2, 2]]


def test_gradient_goes_back_to_its_place() -> None:
    x = torch.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]], requires_grad=True)
    weights = torch.tensor([1.0, 10.0, 100.0])
    (x.sort(1).values * weights).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[100.0, 1.0, 10.0], [1.0, 100.0, 10.0]]
    x.grad = None
    (x.topk(2, 0, largest=False).values[1] * weights).sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0], [0.0, 10.0, 100.0]]
    with pytest.raises(RuntimeError, match="the derivative for '_unique2' is not implemented"):
        x.unique().sum().backward()


def test_quantiles() -> None:
    x = torch.tensor([[4.0, 1.0, 3.0], [0.0, 8.0, 2.0]], dtype=torch.float64, requires_grad=True)
    fractions = torch.tensor([0.25, 0.5], dtype=torch.float64)
    found = x.quantile(fractions, dim=1, keepdim=True)
    assert found.shape == (2, 2, 1) and found.squeeze(-1).tolist() == [[2.0, 1.0], [3.0, 2.0]]
    found.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0.0, 0.5, 1.5], [0.5, 0.0, 1.5]]
    for how, value in {"lower": 2.0, "higher": 3.0, "nearest": 2.0, "midpoint": 2.5, "linear": 2.5}.items():
        assert x.quantile(0.5, interpolation=how).item() == value


def test_unique() -> None:
    x = torch.tensor([[2, 1, 2], [1, 1, 3]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3] and counts.tolist() == [3, 2, 1]
    assert (values[inverse] == x).all()
    rows = torch.tensor([[2, 1], [0, 5], [2, 1]])
    assert torch.unique(rows, dim=0).tolist() == [[0, 5], [2, 1]]
    assert torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), return_counts=True)[1].tolist() == [2, 1, 1]
    assert len(torch.tensor([NAN, NAN]).unique()) == 2
    assert torch.unique(torch.empty(0, 2), dim=0).shape == (0, 2)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8])
@pytest.mark.parametrize("spread", [5, 100])
def test_whole_numbers_are_counted_where_they_lie_close_together(dtype: torch.dtype, spread: int) -> None:
    x = (torch.arange(120).reshape(8, 15).T * 7 % spread - (0 if dtype == torch.uint8 else 3)).to(dtype)
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    expected = sorted(set(x.flatten().tolist()))
    assert values.dtype == dtype and values.tolist() == expected
    assert inverse.dtype == counts.dtype == torch.int64 and (values[inverse] == x).all()
    assert counts.tolist() == [x.flatten().tolist().count(value) for value in expected]
    ends = torch.tensor([-(2**63), 2**63 - 1] * 50)
    assert ends.unique().tolist() == [-(2**63), 2**63 - 1] and ends[1::2].unique(return_counts=True)[1].tolist() == [50]


def test_searching() -> None:
    edges = torch.tensor([1.0, 3.0, 3.0, 5.0])
    wanted = torch.tensor([0.0, 3.0, 9.0, NAN])
    assert torch.searchsorted(edges, wanted).tolist() == [0, 1, 4, 4]
    assert torch.searchsorted(edges, wanted, right=True).tolist() == [0, 3, 4, 4]
    assert torch.bucketize(3, torch.tensor([1, 3]), out_int32=True).dtype == torch.int32
    rows = torch.tensor([[1, 2, 3], [10, 20, 30]])
    assert torch.searchsorted(rows, torch.tensor([[2], [25]]), side="right").tolist() == [[2], [2]]
    shuffled, order = torch.tensor([3, 1, 2]), torch.tensor([1, 2, 0])
    assert torch.searchsorted(shuffled, torch.tensor([2]), sorter=order).tolist() == [1]
    assert torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([4, 1]), invert=True).tolist() == [
        [False, True],
        [True, False],
    ]


def test_counting() -> None:
    indices = torch.tensor([0, 2, 2])
    assert torch.bincount(indices, minlength=4).tolist() == [1, 0, 2, 0]
    assert torch.bincount(indices, torch.tensor([0.5, 1.0, 2.0])).tolist() == [0.5, 0.0, 3.0]
    x = torch.tensor([1.0, 2.0, 3.0, 3.0])
    assert torch.histc(x, bins=2).tolist() == [1.0, 3.0]
    counts, edges = torch.histogram(x, 2, density=True)
    assert counts.tolist() == [0.25, 0.75] and edges.tolist() == [1.0, 2.0, 3.0]
    grid = torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [2, 2])
    assert grid.hist.tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_covariance_matches_numpy() -> None:
    x = torch.tensor([[1.0, 4.0, 2.0, 7.0], [0.0, -1.0, 5.0, 2.0]], dtype=torch.float64)
    counts, weights = torch.tensor([1, 2, 1, 3]), torch.tensor([0.5, 1.0, 2.0, 1.0], dtype=torch.float64)
    expected = np.cov(x.numpy(), fweights=counts.numpy(), aweights=weights.numpy())
    np.testing.assert_allclose(torch.cov(x, fweights=counts, aweights=weights).numpy(), expected)
    np.testing.assert_allclose(torch.corrcoef(x).numpy(), np.corrcoef(x.numpy()))


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: torch.tensor([1j]).sort(), RuntimeError, "Sort does not support complex dtypes on CPU"),
    (lambda: torch.rand(3).topk(4), RuntimeError, "selected index k out of range"),
    (lambda: torch.rand(3).quantile(2.0), RuntimeError, r"q must be in the range \[0, 1\] but got 2"),
    (lambda: torch.rand(3).double().quantile(torch.rand(1)), RuntimeError, "q tensor must be same dtype as the input"),
    (lambda: torch.bincount(torch.tensor([-1])), RuntimeError, "only supports 1-d non-negative integral inputs"),
    (lambda: torch.histc(torch.tensor([1.0, NAN])), RuntimeError, "is not finite"),
    (lambda: torch.searchsorted(torch.rand(2, 3), torch.rand(3)), RuntimeError, "we got boundaries tensor"),
    (lambda: torch.unique(torch.rand(0, 2), dim=1), RuntimeError, "There are 0 sized dimensions"),
    (lambda: torch.cov(torch.rand(3), fweights=torch.rand(3)), RuntimeError, "expected fweights to have integral"),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(case: int) -> None:
    call, kind, text = ERRORS[case]
    with pytest.raises(kind, match=text):
        call()


def test_nan_comes_last_in_bfloat16() -> None:
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([nan, inf, 3.0, 0.0, nan, -inf], dtype=torch.bfloat16)
    assert x.sort().indices.tolist() == [5, 3, 2, 1, 0, 4]
    assert x.sort(descending=True).indices.tolist() == [0, 4, 1, 2, 3, 5]
    assert x.topk(2, largest=False).values.tolist() == [-inf, 0]
    assert x.kthvalue(4).values.item() == inf
    assert x.nanmedian().item() == 0 and x.nanmedian().dtype is torch.bfloat16
    assert x.unique()[:4].tolist() == [-inf, 0, 3, inf] and len(x.unique()) == 6


def test_what_distinct_values_cannot_be_found_of() -> None:
    x = torch.ones(3, dtype=torch.complex64)
    for find in (torch.unique, torch.unique_consecutive):
        with pytest.raises(NotImplementedError, match='"unique" not implemented'):
            find(x)
        with pytest.raises(NotImplementedError, match='"unique_dim" not implemented'):
            find(x, dim=0)
        with pytest.raises(RuntimeError, match="Number of zero sized dimensions is more than one"):
            find(torch.zeros(0, 0), dim=0)
    with pytest.raises(TypeError, match="must be int, not bool"):
        x.topk(1, True)


def test_results_in_out_have_a_type_of_their_own() -> None:
    out = torch.empty(0), torch.empty(0, dtype=torch.int64)
    found = torch.sort(torch.tensor([2.0, 1.0]), out=out)
    assert type(found) is torch.return_types.sort_out and found.values is out[0]
    assert repr(found) == "torch.return_types.sort_out(\nvalues=tensor([1., 2.]),\nindices=tensor([1, 0]))"
    vectors = torch.linalg.qr(torch.eye(2), out=(torch.empty(0), torch.empty(0)))
    assert type(vectors).__name__ == "linalg_qr_out" and vectors.R.shape == (2, 2)


@given(st.integers(0, 999), st.integers(1, 4), st.integers(0, 20), st.integers(0, 30), st.booleans(), st.booleans())
def test_values_are_searched_for_in_their_rows(
    seed: int, count: int, length: int, wanted: int, right: bool, integers: bool
) -> None:
    random = np.random.default_rng(seed)
    rows = np.sort(random.integers(-5, 6, (count, length)).astype(np.int64 if integers else np.float32), 1)
    values = random.integers(-7, 8, (count, wanted)).astype(np.float32)
    if wanted and seed % 3 == 0:
        values[0, 0] = np.nan
    side = "right" if right else "left"
    expected = [np.where(np.isnan(one), length, np.searchsorted(row, one, side)) for row, one in zip(rows, values, strict=True)]
    np.testing.assert_array_equal(sort.searchsorted(rows, values, None, right), expected)
    np.testing.assert_array_equal(sort.searchsorted(rows[0], values[0], None, right), expected[0])
