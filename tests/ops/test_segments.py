"""segment_reduce, norms over all dimensions but one, and functions of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch

PLAIN: dict[str, Any] = {
    "sum": lambda x: x.sum(0),
    "mean": lambda x: x.mean(0),
    "max": lambda x: x.amax(0),
    "min": lambda x: x.amin(0),
    "prod": lambda x: x.prod(0),
}
X = torch.tensor([[1.0, 2.0], [1.0, 0.5], [3.0, 0.0], [2.0, 4.0], [0.0, 0.0], [5.0, 1.5]], dtype=torch.float64)
WEIGHTS = torch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], dtype=torch.float64)


@pytest.mark.parametrize("reduce", PLAIN)
@pytest.mark.parametrize("by", ["lengths", "offsets"])
def test_segments_are_reduced_as_parts(reduce: str, by: str) -> None:
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    given = torch.tensor([2, 1, 3] if by == "lengths" else [0, 2, 3, 6])
    result = torch.segment_reduce(x, reduce, **{by: given})
    expected = torch.stack([PLAIN[reduce](part) for part in y.split([2, 1, 3])])
    assert torch.allclose(result, expected, rtol=1e-14)
    assert type(result.grad_fn).__name__ == "SegmentReduceBackward0"
    (grad,), (plain,) = (torch.autograd.grad((z * WEIGHTS).sum(), v) for z, v in ((result, x), (expected, y)))
    assert torch.allclose(grad, plain, rtol=1e-14)


def test_empty_segments_and_where_reductions_start() -> None:
    lengths, x = torch.tensor([2, 0]), torch.tensor([3.0, 4.0])
    nothing = {"sum": 0.0, "mean": np.nan, "max": -np.inf, "min": np.inf, "prod": 1.0}
    for reduce, value in nothing.items():
        assert torch.segment_reduce(x, reduce, lengths=lengths)[1].item() == pytest.approx(value, nan_ok=True)
        assert torch.segment_reduce(x, reduce, lengths=lengths, initial=2.0)[1].item() == 2
    assert torch.segment_reduce(x, "mean", lengths=lengths, initial=2.0)[0].item() == 4.5
    assert torch.segment_reduce(x, "max", lengths=lengths, initial=9.0)[0].item() == 9


def test_segments_of_a_later_dimension_differ_by_row() -> None:
    x = torch.arange(8.0).reshape(2, 4).requires_grad_()
    result = torch.segment_reduce(x, "sum", lengths=torch.tensor([[1, 3], [2, 2]]), axis=1)
    assert result.tolist() == [[0, 6], [9, 13]]
    (grad,) = torch.autograd.grad((result * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum(), x)
    assert grad.tolist() == [[1, 2, 2, 2], [3, 3, 4, 4]]


def test_what_segments_leave_out_has_no_gradient() -> None:
    x = torch.arange(4.0).requires_grad_()
    torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2]), unsafe=True).sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({}, RuntimeError, "Either lengths or offsets must be defined"),
        ({"lengths": [1, 2]}, RuntimeError, "Expected all rows of lengths along axis to sum to data.size"),
        ({"lengths": [-1, 7]}, RuntimeError, "lengths contains negative value!"),
        ({"lengths": [2.0, 4.0]}, NotImplementedError, "_segment_reduce_lengths_cpu_kernel1\" not implemented for 'Float'"),
        ({"lengths": [6], "axis": 1}, RuntimeError, "Expected axis to be the last dimension of lengths but got 1"),
        ({"indices": [0]}, RuntimeError, "indices based reduction is not supported yet"),
        ({"lengths": [6], "reduce": "median"}, RuntimeError, "reduce argument must be either sum, prod, mean"),
    ],
)
def test_errors_are_pytorchs(arguments: dict[str, Any], kind: type[Exception], text: str) -> None:
    reduce = arguments.get("reduce", "sum")
    options = {key: torch.tensor(value) if isinstance(value, list) else value for key, value in arguments.items()}
    options.pop("reduce", None)
    with pytest.raises(kind, match=text):
        torch.segment_reduce(X, reduce, **options)


def test_norms_over_all_dimensions_but_one() -> None:
    cube = torch.arange(24.0).reshape(2, 3, 4)
    for dim in range(3):
        others = tuple(axis for axis in range(3) if axis != dim)
        assert torch.allclose(torch.norm_except_dim(cube, 2, dim), torch.linalg.vector_norm(cube, 2, others, True))
    assert torch.norm_except_dim(cube, 2, -1).shape == ()


def test_functions_of_sizes() -> None:
    assert torch.sym_max(1, 2.5) == 2.5 and isinstance(torch.sym_min(1, 2.5), float)
    assert (torch.sym_int(-2.5), torch.sym_not(1), torch.sym_sum([1, 2, 3]), torch.sym_ite(False, 1, 2)) == (-2, False, 6, 2)
    with pytest.raises(RuntimeError, match=r"Invalid value range for 3 between \[4, 5\]"):
        torch.sym_constrain_range(3, min=4, max=5)


def test_parts_of_unsafe_splits_are_no_views() -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    first, second = torch.unsafe_split_with_sizes(x, (1, 2), 1)
    assert not first._is_view() and type(second.grad_fn).__name__ == "UnsafeSplitWithSizesBackward0"
    first.mul_(3)
    (first.sum() + second.sum()).backward()
    assert x.grad.tolist() == [[3, 1, 1], [3, 1, 1]]
