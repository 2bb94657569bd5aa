"""Public functions that are an op in the plain case: every other call is answered as if that case were not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.overrides import TorchFunctionMode


def _leaf(*shape: int) -> torch.Tensor:
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape).requires_grad_()


# A plain call, the same call with names, and what both record.
CALLS: list[tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = [
    (lambda x: torch.matmul(x, x), lambda x: torch.matmul(input=x, other=x), "MmBackward0"),
    (lambda x: x.mm(x), lambda x: x.mm(mat2=x), "MmBackward0"),
    (lambda x: torch.addmm(x, x, x), lambda x: torch.addmm(x, x, mat2=x), "AddmmBackward0"),
    (lambda x: F.linear(x, x, x[0]), lambda x: F.linear(x, x, bias=x[0]), "AddmmBackward0"),
    (lambda x: F.linear(x, x), lambda x: F.linear(x, weight=x, bias=None), "MmBackward0"),
    (lambda x: F.linear(x, x, None), lambda x: F.linear(input=x, weight=x), "MmBackward0"),
    (lambda x: x.pow(2), lambda x: torch.pow(x, exponent=2), "PowBackward0"),
    (lambda x: x.t(), lambda x: torch.t(input=x), "TBackward0"),
    (lambda x: x.transpose(0, -1), lambda x: x.transpose(dim0=0, dim1=1), "TransposeBackward0"),
    (lambda x: x.permute(1, 0), lambda x: torch.permute(x, [-1, 0]), "PermuteBackward0"),
    (lambda x: x.view(4), lambda x: x.view([4]), "ViewBackward0"),
    (lambda x: x.view(x.shape), lambda x: x.view(2, -1), "ViewBackward0"),
    (lambda x: x.reshape(1, 4), lambda x: torch.reshape(x, [1, 4]), "ViewBackward0"),
    (lambda x: x.t().reshape(4), lambda x: torch.reshape(x.t(), (-1,)), "UnsafeViewBackward0"),
    (lambda x: x.flatten(), lambda x: x.flatten(end_dim=-1), "ViewBackward0"),
    (lambda x: x[None].flatten(1), lambda x: x[None].flatten(start_dim=1), "ViewBackward0"),
    (lambda x: x.unsqueeze(-1), lambda x: x.unsqueeze(dim=2), "UnsqueezeBackward0"),
    (lambda x: x.squeeze(), lambda x: torch.squeeze(input=x), "SqueezeBackward0"),
    (lambda x: x[:1].squeeze(0), lambda x: x[:1].squeeze(dim=-2), "SqueezeBackward1"),
    (lambda x: x.sum(), lambda x: torch.sum(input=x), "SumBackward0"),
    (lambda x: x.sum(-1), lambda x: x.sum(axis=1), "SumBackward1"),
]


@pytest.mark.parametrize("plain, named, node", CALLS)
def test_arguments_with_and_without_names(plain: Callable[[Any], Any], named: Callable[[Any], Any], node: str) -> None:
    x = _leaf(2, 2)
    one, other = plain(x), named(x)
    assert one.grad_fn.name() == other.grad_fn.name() == node
    assert one.tolist() == other.tolist() and one.stride() == other.stride() and one._is_view() == other._is_view()
    weights = torch.arange(1.0, one.numel() + 1).reshape(one.shape)
    (first,) = torch.autograd.grad((one * weights).sum(), x)
    (second,) = torch.autograd.grad((other * weights).sum(), x)
    assert first.tolist() == second.tolist()


class _Calls(TorchFunctionMode):
    """Notes each function with its arguments as given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[Any, int, list[str]]] = []

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        self.seen.append((func, len(args), list(kwargs or ())))
        return func(*args, **(kwargs or {}))


def test_modes_are_told_the_public_function_and_the_arguments_as_given() -> None:
    x = _leaf(2, 2)
    with _Calls() as calls:
        torch.matmul(x, x)
        torch.matmul(x, other=x)
        x.transpose(0, dim1=1)
        x.sum()
        x.view(2, 2)
        F.linear(x, x, bias=x[0])
        F.linear(x, x, None)
    assert [call for call in calls.seen if call[0].__name__ != "__getitem__"] == [
        (torch.matmul, 2, []),
        (torch.matmul, 1, ["other"]),
        (torch.Tensor.transpose, 2, ["dim1"]),
        (torch.Tensor.sum, 1, []),
        (torch.Tensor.view, 3, []),
        (F.linear, 2, ["bias"]),
        (F.linear, 3, []),
    ]


def test_a_subclass_stays_one() -> None:
    class Kind(torch.Tensor):
        pass

    x = torch.ones(2, 2).as_subclass(Kind)
    assert [type(value) for value in (x.t(), x.view(4), torch.matmul(x, x), F.linear(torch.ones(2, 2), x), x.sum(0))] == [
        Kind
    ] * 5


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: torch.matmul(x), TypeError, 'missing 1 required positional arguments: "other"'),
        (lambda x: torch.matmul(), TypeError, "missing 2 required positional argument"),
        (lambda x: torch.matmul(x, 2), TypeError, r"argument 'other' \(position 2\) must be Tensor, not int"),
        (lambda x: torch.matmul(x, torch.ones(3, 2)), RuntimeError, r"cannot be multiplied \(2x2 and 3x2\)"),
        (lambda x: torch.matmul(x, torch.ones(1, 2)), RuntimeError, r"cannot be multiplied \(2x2 and 1x2\)"),
        (lambda x: torch.addmm(torch.ones(3), x, x), RuntimeError, r"must match the existing size \(3\)"),
        (lambda x: F.linear(x, x, torch.ones(3)), RuntimeError, r"must match the existing size \(3\)"),
        (lambda x: F.linear(x, torch.ones(2, 3)), RuntimeError, r"cannot be multiplied \(2x2 and 3x2\)"),
        (lambda x: F.linear(x, x, 3), TypeError, "argument 'bias'"),
        (lambda x: x.transpose(0), TypeError, 'missing 1 required positional arguments: "dim1"'),
        (lambda x: x.transpose(0, 2), IndexError, r"range of \[-2, 1\], but got 2"),
        (lambda x: x.transpose(0, 1, 1), TypeError, "invalid combination|takes 2 positional arguments but 3 were given"),
        (lambda x: x.unsqueeze(3), IndexError, r"range of \[-3, 2\], but got 3"),
        (lambda x: x.view(3), RuntimeError, r"shape '\[3\]' is invalid for input of size 4"),
        (lambda x: x.view(), TypeError, "view"),
        (lambda x: x.t().view(4), RuntimeError, "view size is not compatible"),
        (lambda x: x[None].t(), RuntimeError, "expects a tensor with <= 2 dimensions, but self is 3D"),
        (lambda x: x.permute(0), RuntimeError, "number of dimensions"),
        (lambda x: x.sum(2), IndexError, r"range of \[-2, 1\], but got 2"),
    ],
)
def test_errors_are_those_of_the_function_behind(call: Callable[[Any], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(_leaf(2, 2))


def test_out_is_written() -> None:
    x, target = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.empty(2, 2)
    assert torch.matmul(x, x, out=target) is target and target.tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert torch.sum(x, 0, out=torch.empty(2)).tolist() == [4.0, 6.0]


def test_nothing_and_single_numbers() -> None:
    assert torch.ones(0, 3).flatten().shape == (0,) and torch.ones(2, 0, 3).flatten(1).shape == (2, 0)
    number = torch.tensor(2.0)
    assert number.flatten().tolist() == [2.0] and number.squeeze(0).shape == () and number.unsqueeze(0).tolist() == [2.0]
    assert number.sum(0).item() == number.t().item() == number.transpose(0, -1).item() == 2.0
    assert number.view(()).shape == () and number.reshape(1, 1).tolist() == [[2.0]]
    assert torch.ones(2, 1).matmul(torch.full((1, 2), float("inf"))).tolist() == [[float("inf")] * 2] * 2
