"""What complex32 asks of everything else while there is any, and the graph that it leaves."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch
from rushlight.autograd import modes

pytest.importorskip("ml_dtypes")


def watched() -> bool:
    gc.collect()  # what errors of other tests hold
    torch.ones(1).exp()  # a function that is looked at sees that there is nothing to look at any more
    return bool(modes.special.hidden)


def names(node: object) -> str:
    edges = ", ".join(names(edge) for edge, _ in node.next_functions if edge)  # type: ignore[attr-defined]
    return f"{type(node).__name__}({edges})"  # type: ignore[attr-defined]


def test_functions_are_looked_at_only_while_there_are_such_tensors() -> None:
    before = watched()
    x = torch.tensor([1j, 2.0]).to(torch.complex32)
    assert watched()
    view, x = x[:1], None
    assert watched()
    graph = [(view.requires_grad_() * 2).real.float().sum()]
    view = None
    assert watched()  # its node keeps the leaf
    graph.clear()
    assert watched() is before


def test_random_numbers_are_complex_from_the_first_on() -> None:
    torch.manual_seed(0)
    assert torch.rand(2, dtype=torch.complex32).dtype is torch.complex32
    assert torch.randn_like(torch.ones(2), dtype=torch.complex32).imag.count_nonzero() == 2


def test_a_type_without_sums_is_refused_from_the_first_on() -> None:
    with pytest.raises(NotImplementedError, match="\"sum_cpu\" not implemented for 'ComplexHalf'"):
        torch.ones(2).sum(dtype=torch.complex32)
    with pytest.raises(NotImplementedError, match="\"pow\" not implemented for 'ComplexHalf'"):
        1j ** torch.ones(2, dtype=torch.float16)


def test_the_graph_shows_no_casts() -> None:
    x = torch.tensor([1 + 2j, 3.0]).to(torch.complex32).requires_grad_()
    y = torch.stack([x * x, x.tile(1)])
    y.retain_grad()
    product, tiled = "MulBackward0(AccumulateGrad(), AccumulateGrad())", "RepeatBackward0(AccumulateGrad())"
    assert names(y.grad_fn) == f"StackBackward0({product}, {tiled})"
    y.backward(torch.full((2, 2), 1j, dtype=torch.complex32))
    assert x.grad is not None and y.grad is not None and y.grad.dtype is torch.complex32
    assert x.grad.tolist() == [4 + 3j, 7j]


def test_a_number_takes_part_as_halves_and_the_op_in_place_has_its_own_node() -> None:
    x = torch.tensor([1.5 + 2j, -3 + 0.25j]).to(torch.complex32)
    assert x.mul(torch.tensor(1.1 + 1j)).tolist() == [-0.3505859375 + 3.69921875j, -3.548828125 - 2.724609375j]
    y = x.requires_grad_() + 1
    y.mul_(2)
    assert names(y.grad_fn) == "MulBackward0(AddBackward0(AccumulateGrad()))"


def test_what_was_broadcast_is_refused() -> None:
    x = torch.ones(1, dtype=torch.complex32).requires_grad_()
    with pytest.raises(NotImplementedError, match="\"sum_cpu\" not implemented for 'ComplexHalf'"):
        x.expand(2).backward(torch.ones(2, dtype=torch.complex32))
