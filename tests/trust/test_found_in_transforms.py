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


@pytest.mark.parametrize(
    "fresh",
    [
        lambda t: torch.zeros(3),
        lambda t: torch.empty(3).fill_(0),
        lambda t: t.new_zeros(3),
        lambda t: torch.full_like(t, 0.0),
    ],
)
def test_what_all_examples_share_is_written_into_what_was_just_made(fresh: Callable[[torch.Tensor], torch.Tensor]) -> None:
    def cubes(t: torch.Tensor) -> torch.Tensor:
        made = fresh(t)
        made[:1].copy_(t[:1])
        made[1:].add_(t[1:] * t[:1])
        return (made**3).sum()

    x = torch.tensor([1.0, 2.0, 3.0])
    assert torch.func.hessian(cubes)(x).tolist() == [[216.0, 36.0, 81.0], [36.0, 12.0, 0.0], [81.0, 0.0, 18.0]]
    by_all = torch.vmap(lambda b: torch.func.grad(lambda t: cubes(t) * b)(x))(torch.tensor([0.0, 1.0]))
    assert by_all.tolist() == [[0, 0, 0], [108, 12, 27]]
    with pytest.raises(RuntimeError, match="`other` being vmapped over but `self` not being vmapped over"):
        torch.vmap(torch.func.grad(lambda t: torch.zeros(3).copy_(t).sum()))(torch.ones(2, 3))
    assert torch.func.hessian(lambda t: (torch.nn.functional.pad(t[None], (1, 2), mode="circular") ** 2).sum())(x)[0, 0] == 4


def test_what_was_just_made_leaves_vmap_as_it_is() -> None:
    def f(t: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        counts = torch.zeros(2, dtype=torch.long)
        assert counts.tolist() == [0, 0] and int(counts.sum()) == 0 and not counts.any()
        return t[counts].sum() * torch.ones(()), (counts, torch.ones(2) * t)

    slope, (counts, scaled) = torch.vmap(torch.func.grad(f, has_aux=True))(torch.ones(2, 2))
    assert slope.tolist() == [[2, 0], [2, 0]] and counts.tolist() == [[0, 0], [0, 0]] and scaled.tolist() == [[1, 1], [1, 1]]


def test_jacobians_of_nothing_beside_something() -> None:
    x = torch.ones(2)
    whole, nothing = torch.autograd.functional.jacobian(lambda t: (t * 2, t[:0] * 2), x, vectorize=True)
    assert whole.tolist() == [[2, 0], [0, 2]] and nothing.shape == (0, 2)
    with pytest.raises(IndexError, match="index 0 is out of bounds for dimension 0 with size 0"):
        torch.autograd.functional.jacobian(lambda t: (t[:0] * 2, t[2:]), x, vectorize=True)


def test_all_of_a_tangent_of_a_symmetric_matrix_counts() -> None:
    matrix, tangent = torch.tensor([[4.0, 2.0], [2.0, 5.0]]), torch.tensor([[4.0, 8.0], [0.0, 4.0]])
    for upper in (False, True):
        for function in (torch.linalg.cholesky, lambda a, upper: torch.linalg.cholesky_ex(a, upper=upper)[0]):
            pushed = torch.func.jvp(lambda a: function(a, upper=upper), (matrix,), (tangent,))[1]  # noqa: B023
            assert (pushed.mT if upper else pushed).tolist() == [[1, 0], [-0.5, 0.25]]
    diagonal = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    values, vectors = torch.func.jvp(lambda a: tuple(torch.linalg.eigh(a)), (diagonal,), (tangent,))[1]
    assert values.tolist() == [4, 4] and vectors.abs().tolist() == [[0, 4], [0, 0]]


def test_a_number_asked_for_within_another_transform_has_errors_of_its_own() -> None:
    numbers = torch.tensor([1.75, -1.75])
    for asks in (lambda t: t[t > 0].sum(), lambda t: t * t.item(), lambda t: t if t > 0 else 2 * t):
        with pytest.raises(RuntimeError, match=r"vmap: It looks like you're either \(1\) calling .item\(\)"):
            torch.vmap(torch.func.grad(asks))(numbers)
    for one in (numbers[:, None], numbers):
        with pytest.raises(RuntimeError, match="Attempting to batch over indexing with a boolean mask"):
            torch.vmap(lambda t: t[t > 0].sum())(one)


def test_the_tangent_between_two_hangs_on_the_way_between_them() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert torch.func.jacfwd(lambda t: t.quantile(0.5))(x).grad_fn is not None
    assert torch.func.jacfwd(lambda t: torch.lerp(t[0], t[1], 0.5))(x).grad_fn is None


def test_an_example_as_it_was_given_leaves_as_the_batch_itself() -> None:
    x = torch.ones(2, 1, requires_grad=True)
    assert torch.vmap(lambda t: t.contiguous(), in_dims=-1, out_dims=-1)(x) is x
    assert torch.vmap(lambda t: t, in_dims=1, out_dims=-1)(x) is x


@pytest.mark.parametrize("shape", [(), (1, 3)])
def test_linearize_keeps_the_very_tangent_of_one_number(shape: tuple[int, ...]) -> None:
    number = torch.ones((), requires_grad=True) * 2
    primal = number.expand(shape)
    pushed = torch.func.linearize(torch.exp, primal)[1](primal.detach())
    number.mul_(2)
    with pytest.raises(
        RuntimeError, match=rf"modified by an inplace operation: \[torch.FloatTensor \[{', '.join(map(str, shape))}\]\]"
    ):
        pushed.sum().backward()


def test_numbers_of_no_example_are_written_to_whatever_their_dtype() -> None:
    for written in (lambda t: t.clone().mul_(2), lambda t: t.clone().div_(torch.tensor(2.0)), lambda t: t.clone().add_(2)):
        assert torch.vmap(written)(torch.ones(0)).shape == (0,)
    with pytest.raises(IndexError, match="index 0 out of range"):
        torch.vmap(lambda t: t.clone().mul_(2) * 2)(torch.ones(0))
