"""What samples of every op, held against PyTorch in nestings of transforms, have found, each in a few lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    "written",
    [lambda t: t.clone().mul_(2), lambda t: (t * t)[:1].zero_(), lambda t: torch.nn.functional.relu(t * 1, inplace=True)],
)
def test_what_linearize_has_computed_is_a_leaf(written: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.ones(2, requires_grad=True)
    push = torch.func.linearize(written, x)[1]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        push(torch.ones(2))
    assert torch.func.linearize(written, x.detach())[1](torch.ones(2)).shape == written(x.detach()).shape
    pushed = torch.func.linearize(lambda t: torch.zeros(2).copy_(t).mul_(2), x)[1](torch.ones(2))
    assert pushed.tolist() == [2, 2]


def test_numbers_of_no_example_are_joined_as_a_vector_of_none() -> None:
    nothing = torch.ones(0)
    for dim in (0, -1):
        assert torch.vmap(lambda t, dim=dim: torch.cat([t, t], dim))(nothing).shape == (0,)
    assert torch.vmap(torch.vmap(lambda t: torch.cat([t, t.double()])))(torch.ones(3, 0)).shape == (3, 0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.vmap(lambda t: torch.cat([t, t], 1))(nothing)


@pytest.mark.parametrize("function", [torch.fmod, torch.remainder])
def test_the_tangent_of_a_rest_hangs_on_its_quotient(function: Callable[..., torch.Tensor]) -> None:
    x = torch.tensor([1.25], requires_grad=True)
    assert torch.func.jacfwd(lambda t: function(t, x.detach()))(x).grad_fn is not None
    assert torch.func.jacfwd(lambda t: function(t, 2.0))(x).grad_fn is None


def test_vmap_of_a_strided_copy_is_of_each_example() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.vmap(lambda t: torch.as_strided_copy(t, (2,), (1,), 1))(x).tolist() == [[1, 2], [4, 5]]
    assert (
        torch.vmap(torch.vmap(lambda t: torch.as_strided_copy(t, (1,), (1,))))(x[..., None]).tolist() == x[..., None].tolist()
    )
