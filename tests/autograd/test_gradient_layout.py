"""How gradients lie in memory, and derivatives that only exist once."""

from __future__ import annotations

import pytest

import rushlight as torch


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_lies_as_its_leaf_does(create_graph):
    base = torch.rand(2, 3, 4, 5)
    leaves = [base.clone(), base.to(memory_format=torch.channels_last), base.permute(3, 1, 0, 2).clone()]
    for leaf in leaves:
        leaf.requires_grad_()
        for function in (lambda x: x.sum(), lambda x: (x * torch.ones(x.shape)).sum(), lambda x: x.transpose(0, 1).exp().sum()):
            leaf.grad = None
            function(leaf).backward(create_graph=create_graph)
            assert leaf.grad.stride() == leaf.stride()


def test_a_leaf_with_gaps_has_a_gradient_without():
    leaf = torch.empty_strided((2, 2), (4, 2)).copy_(torch.rand(2, 2)).requires_grad_()
    for function in (lambda x: x.sum(), lambda x: (x * torch.rand(2, 2)).sum()):
        leaf.grad = None
        function(leaf).backward()
        assert leaf.grad.stride() == (2, 1)


@pytest.mark.parametrize("function", [torch.scatter_reduce, torch.index_reduce])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_products_with_two_zeros_in_one_place_have_one_derivative(function):
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    source = torch.tensor([0.0, 0.0, 5.0], dtype=torch.float64, requires_grad=True)
    out = function(x, 0, torch.tensor([0, 0, 1]), source, "prod")
    gx, gs = torch.autograd.grad(out.sum(), (x, source), create_graph=True)
    assert gx.tolist() == [0.0, 5.0] and gs.tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(RuntimeError, match="Double backward is unsupported for"):
        gs.sum().backward()


def test_complex_powers_of_negative_numbers():
    base = -torch.ones(2, dtype=torch.float64)
    exponent = torch.tensor([0.3 + 0.4j, -1.1 + 0.2j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(lambda e: torch.pow(base, e), (exponent,))
    assert torch.autograd.gradcheck(lambda e: torch.pow(-1, e), (exponent,))


def test_a_gradient_may_lie_as_it_came() -> None:
    weights = torch.ones(3, 2)

    def stride() -> tuple[int, ...]:
        x = torch.zeros(2, 3).t().requires_grad_()
        (x * weights).sum().backward()
        return x.grad.stride()  # type: ignore[no-any-return]

    assert stride() == (1, 3)
    with torch.autograd.enforce_grad_layout_policy(False):
        assert stride() == (2, 1)
    assert stride() == (1, 3)
    assert torch.autograd.enforce_grad_layout_policy(False)(stride)() == (2, 1) and stride() == (1, 3)
    torch.autograd.enforce_grad_layout_policy(False)
    try:
        assert stride() == (2, 1)
    finally:
        torch.autograd.enforce_grad_layout_policy(True)
    assert stride() == (1, 3)


def test_what_hooks_and_grad_are_given_is_a_view_of_the_callers_cotangent() -> None:
    kept: list[torch.Tensor] = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(kept.append)
    row, given = torch.atleast_2d(x), torch.ones(1, 2, requires_grad=True) * 3
    row.backward(given, retain_graph=True)
    (found,) = torch.autograd.grad(row, x, given, retain_graph=True)
    for one in (found, *kept):
        assert one.requires_grad and one._base is given and one.grad_fn is None
    assert torch.autograd.grad(row, row, given)[0] is given
