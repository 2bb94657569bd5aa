"""Copying forms of views, as_strided_scatter, hash_tensor and nonzero_static."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

X = torch.arange(24, dtype=torch.float64).cos().reshape(2, 3, 4)
C = torch.complex(X, X.flip(2))

# name -> (the view, the copy, the copy's node)
PAIRS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = {
    "alias": (lambda x: x[...], torch.alias_copy, "Alias"),
    "view": (lambda x: x.view(4, -1), lambda x: torch.view_copy(x, (4, -1)), "View"),
    "expand": (lambda x: x.expand(5, -1, 3, 4), lambda x: torch.expand_copy(x, (5, -1, 3, 4)), "Expand"),
    "permute": (lambda x: x.permute(2, 0, 1), lambda x: torch.permute_copy(x, (2, 0, -2)), "Permute"),
    "transpose": (lambda x: x.transpose(0, 2), lambda x: torch.transpose_copy(x, 0, -1), "Transpose"),
    "select": (lambda x: x.select(1, -1), lambda x: torch.select_copy(x, 1, -1), "Select"),
    "slice": (lambda x: x[:, :, 1:9:2], lambda x: torch.slice_copy(x, 2, 1, 9, 2), "Slice"),
    "unsqueeze": (lambda x: x.unsqueeze(-1), lambda x: torch.unsqueeze_copy(x, -1), "Unsqueeze"),
    "diagonal": (lambda x: x.diagonal(1, 0, 2), lambda x: torch.diagonal_copy(x, 1, 0, 2), "Diagonal"),
    "unfold": (lambda x: x.unfold(2, 2, 1), lambda x: torch.unfold_copy(x, 2, 2, 1), "Unfold"),
    "as_strided": (
        lambda x: x.as_strided((2, 3), (1, 2), 3), lambda x: torch.as_strided_copy(x, (2, 3), (1, 2), 3), "AsStrided"
    ),
}  # fmt: skip
LISTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = {
    "unbind": (lambda x: x.unbind(1), lambda x: torch.unbind_copy(x, 1), "Unbind"),
    "split": (lambda x: x.split(3, 2), lambda x: torch.split_copy(x, 3, 2), "Split"),
    "split_with_sizes": (
        lambda x: x.split([1, 3], 2), lambda x: torch.split_with_sizes_copy(x, [1, 3], 2), "SplitWithSizes"
    ),
}  # fmt: skip


@pytest.mark.parametrize("point", [X, C], ids=["real", "complex"])
@pytest.mark.parametrize("name", PAIRS)
def test_a_copy_has_the_views_values_and_derivative_and_memory_of_its_own(name: str, point: Any) -> None:
    view, copy, node = PAIRS[name]
    x, y = point.clone().requires_grad_(), point.clone().requires_grad_()
    copied, viewed = copy(x), view(y)
    assert torch.equal(copied, viewed)
    assert copied.is_contiguous() and not copied._is_view()
    assert type(copied.grad_fn).__name__ == f"{node}Backward0_copy"
    assert torch.allclose(*(torch.autograd.grad((z * z * z).sum().abs(), w)[0] for z, w in ((copied, x), (viewed, y))))
    source = point.clone()
    copy(source).zero_()
    assert torch.equal(source, point)


@pytest.mark.parametrize("name", LISTS)
def test_copies_of_parts(name: str) -> None:
    view, copy, node = LISTS[name]
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    copied, viewed = copy(x), view(y)
    assert len(copied) == len(viewed)
    for one, other in zip(copied, viewed, strict=True):
        assert torch.equal(one, other)
        assert type(one.grad_fn).__name__ == f"{node}Backward0_copy"
        one.detach().zero_()
    assert torch.equal(x, X)
    (grad,), (expected,) = (torch.autograd.grad((z[-1] ** 3).sum(), w) for z, w in ((view(y), y), (copy(x), x)))
    assert torch.equal(grad, expected)


def test_squeezing_copies_and_transposed_matrices() -> None:
    x = torch.zeros(1, 2, 1, requires_grad=True)
    assert torch.squeeze_copy(x).shape == (2,)
    assert torch.squeeze_copy(x, 0).shape == (2, 1)
    assert torch.squeeze_copy(x, (0, 1)).shape == (2, 1)
    assert torch.t_copy(x[0]).shape == (1, 2)
    assert type(torch.squeeze_copy(x, (0, 2)).grad_fn).__name__ == "SqueezeBackward2_copy"


def test_a_view_that_memory_forbids_is_a_copy_all_the_same() -> None:
    assert torch.equal(torch.view_copy(X[0].T, (12,)), X[0].T.reshape(12))


def test_copies_of_other_dtypes() -> None:
    pairs = torch.view_as_real_copy(C)
    assert torch.equal(pairs, torch.view_as_real(C))
    assert torch.equal(torch.view_as_complex_copy(pairs), C)
    assert torch.equal(torch.view_copy(X, torch.int64), X.view(torch.int64))
    with pytest.raises(RuntimeError, match="view_as_complex_copy does not support automatic differentiation"):
        torch.view_as_complex_copy(pairs.requires_grad_())


def test_results_go_where_they_are_told() -> None:
    out = torch.empty(0, dtype=torch.float64)
    assert torch.view_copy(X, (6, 4), out=out) is out
    assert torch.equal(out, X.view(6, 4))
    parts = [torch.empty(2, 4, dtype=torch.float64) for _ in range(3)]
    assert torch.unbind_copy(X, 1, out=parts) is None
    assert torch.equal(parts[2], X[:, 2])
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype double, but got float instead"):
        torch.view_copy(X, (6, 4), out=torch.empty(0))


def test_a_target_of_another_size_is_told_at_the_users_line() -> None:
    for name in ("exp", "neg", "sigmoid", "cumsum", "matmul"):
        more = {"cumsum": (0,), "matmul": (torch.ones(2, 2),)}.get(name, ())
        with pytest.warns(UserWarning, match=r"since it had shape \[3\]") as told:
            getattr(torch, name)(torch.ones(2, 2), *more, out=torch.ones(3))
        assert told[0].filename == __file__


def test_writing_through_strides_into_a_copy() -> None:
    x, part = X[0].clone().requires_grad_(), torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    result = torch.as_strided_scatter(x, part, (2, 2), (5, 1), 1)
    expected = X[0].clone()
    expected[0, 1:3] = 1
    expected[1, 2:4] = 1
    assert torch.equal(result, expected)
    assert torch.equal(x.detach(), X[0])
    weights = torch.arange(12, dtype=torch.float64).reshape(3, 4)
    to_x, to_part = torch.autograd.grad((result * weights).sum(), (x, part))
    assert torch.equal(to_part, torch.tensor([[1.0, 2.0], [6.0, 7.0]], dtype=torch.float64))
    assert torch.equal(to_x, weights * (expected != 1))
    turned = X[0].clone().T
    scattered = turned.as_strided_scatter(torch.zeros(2, dtype=torch.float64), (2,), (4,), 1)
    assert scattered.stride() == turned.stride()
    assert scattered[1, :2].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match=r"expected src to have a size equal to the slice of self. src size = \[3\]"):
        torch.as_strided_scatter(X, torch.zeros(3), (2,), (1,))


def test_hash_is_the_exclusive_or_of_bits() -> None:
    assert torch.hash_tensor(torch.tensor([[1, 2], [4, 8]])).item() == 15
    assert torch.hash_tensor(torch.tensor([[1, 2], [4, 8]]), 0).tolist() == [5, 10]
    assert torch.tensor([[1, 2], [4, 8]]).hash_tensor(1, keepdim=True).tolist() == [[3], [12]]
    assert torch.hash_tensor(torch.tensor([-1], dtype=torch.int8)).item() == 2**64 - 1
    assert torch.hash_tensor(torch.tensor([-1.5])).item() == 13832806255468478464
    assert torch.hash_tensor(torch.tensor([1.0, 1.0])).dtype == torch.uint64
    with pytest.raises(NotImplementedError, match="\"xor_sum_cpu\" not implemented for 'ComplexFloat'"):
        torch.hash_tensor(torch.tensor([1j]))
    with pytest.raises(IndexError, match="Expected reduction dim 1 to have non-zero size"):
        torch.hash_tensor(torch.zeros(2, 0), 1)


def test_nonzero_of_a_known_size() -> None:
    matrix = torch.tensor([[1, 0], [0, 2]])
    assert torch.nonzero_static(matrix, size=1).tolist() == [[0, 0]]
    assert matrix.nonzero_static(size=3).tolist() == [[0, 0], [1, 1], [-1, -1]]
    assert torch.nonzero_static(matrix, size=3, fill_value=7).tolist()[2] == [7, 7]
    assert torch.nonzero_static(torch.tensor(3.0), size=2).shape == (2, 0)
    with pytest.raises(RuntimeError, match="'size' must be an non-negative integer"):
        torch.nonzero_static(matrix, size=-1)
    with pytest.raises(TypeError, match="argument 'size' must be int, not float"):
        torch.nonzero_static(matrix, size=2.0)


def test_gradients_of_what_is_copied():
    x = torch.randn(6, 5, 8, requires_grad=True)
    weight = torch.randn(5, 48)
    (x.transpose(0, 1).reshape(5, 48) * weight).sum().backward()
    assert torch.equal(x.grad, weight.reshape(5, 6, 8).transpose(0, 1))
    first, second = torch.randn(6, 5, 8, requires_grad=True), torch.randn(6, 5, 8, requires_grad=True)
    (torch.cat([first, second], 1).transpose(0, 1).contiguous().view(-1) * torch.arange(480.0)).sum().backward()
    both = torch.arange(480.0).view(10, 6, 8).transpose(0, 1)
    assert torch.equal(first.grad, both[:, :5]) and torch.equal(second.grad, both[:, 5:])


def test_images_of_nothing_have_steps_in_a_memory_format() -> None:
    x = torch.ones(2, 2, 2, 0)
    assert not x.is_contiguous(memory_format=torch.channels_last)
    laid = x.contiguous(memory_format=torch.channels_last)
    assert laid.stride() == (0, 1, 0, 2) and laid.is_contiguous(memory_format=torch.channels_last)
