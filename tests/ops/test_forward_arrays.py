"""Tangents that go through ops by rules over arrays are those that the rules over tensors give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.autograd import forward_ad
from rushlight.ops import forward_rules

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x / y,
    "by a number": lambda x, y: 2.5 * x - x / 4 + 1,
    "one over": lambda x, y: 1 / (y.abs() + 1),
    "powers": lambda x, y: x**3 + y.abs() ** x.abs(),
    "matrices": lambda x, y: x @ y.t(),
    "with what has no tangent": lambda x, y: x @ torch.ones(3, 2, dtype=x.dtype) + torch.ones(2, dtype=x.dtype),
    "broadcast": lambda x, y: x[0] * y + y[:, :1],
    "sums": lambda x, y: x.sum(0) + y.mean(),
    "softmax": lambda x, y: torch.softmax(x, -1) * F.log_softmax(y, 0),
    "pieces": lambda x, y: torch.where(x > 0, x, y).clamp(-0.5, 0.5),
    "gelu": lambda x, y: F.gelu(x) + torch.sigmoid(y),
    "views": lambda x, y: x.view(-1)[2:].tanh().sum() * y.t().exp(),
    "transposed": lambda x, y: x.t() * y.t(),
    "other dtype": lambda x, y: x * torch.arange(3) + y * torch.ones(3, dtype=torch.float64),
    "complex": lambda x, y: (x + 1j * y).exp(),
    "norms": lambda x, y: x.norm(dim=1) + y.var(1),
}


def tangent(call: Callable[[Any, Any], Any], dtype: Any, both: bool) -> Any:
    torch.manual_seed(0)
    x, y, s, t = torch.randn(4, 2, 3, dtype=dtype)
    with forward_ad.dual_level():
        second = forward_ad.make_dual(y.clone(), t.clone()) if both else y
        return forward_ad.unpack_dual(call(forward_ad.make_dual(x.clone(), s.clone()), second))


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", CALLS)
def test_as_by_the_rules_over_tensors(name: str, dtype: Any, both: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tangent(CALLS[name], dtype, both)
    monkeypatch.setattr(forward_rules, "run_with_tangents", lambda *args: NotImplemented)
    wanted = tangent(CALLS[name], dtype, both)
    for ours, theirs in zip(found, wanted, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype and ours.stride() == theirs.stride()
            torch.testing.assert_close(ours, theirs, rtol=1e-6 if dtype == torch.float32 else 1e-14, atol=1e-7)


def test_ordinary_ops_go_by_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    general = forward_rules._tangents
    monkeypatch.setattr(forward_rules, "_tangents", lambda op, *rest: taken.append(op.name) or general(op, *rest))
    tangent(lambda x, y: (torch.tanh(x @ y.t()) * 2).softmax(-1), torch.float32, True)
    assert taken == ["t"]  # a view, whose tangent is one too


def test_a_view_sees_what_its_base_got() -> None:
    with forward_ad.dual_level():
        base = torch.zeros(3)
        part = base[1:]
        base.copy_(forward_ad.make_dual(torch.ones(3), torch.arange(3.0)))
        assert forward_ad.unpack_dual(part * 2).tangent.tolist() == [2.0, 4.0]


def test_what_a_graph_records_has_a_graph() -> None:
    weight = torch.tensor([2.0], requires_grad=True)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.tensor([3.0]), torch.tensor([1.0]))
        slope = forward_ad.unpack_dual((x * weight) ** 2).tangent
        (found,) = torch.autograd.grad(slope, weight)
    assert slope.item() == 24.0 and found.item() == 24.0  # 2 w^2 x, 4 w x


def test_results_of_integers_have_no_tangent() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.tensor([3.0, -1.0]), torch.ones(2))
        assert forward_ad.unpack_dual(x > 0).tangent is None
        assert forward_ad.unpack_dual(x.round()).tangent.tolist() == [0.0, 0.0]


def test_state_is_whole_after_an_error() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2, 3), torch.ones(2, 3))
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            x @ x
        assert forward_ad.unpack_dual(x * x).tangent.tolist() == [[2.0] * 3] * 2
