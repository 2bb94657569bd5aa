"""What random programs of training and transforms have found (seeds from 230000000 on), each in a few lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

F = torch.nn.functional
OVERLAP = "more than one element of the written-to tensor refers to a single memory location"


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: F.unfold(x, 2), (1, 4, 2, 2)),
        (lambda x: F.unfold(x, 1), (1, 1, 2, 3)),
        (lambda x: F.unfold(x, 2), (4, 2, 2)),
        (lambda x: F.pixel_shuffle(x, 1), (1, 4, 2, 2)),
        (lambda x: F.pixel_shuffle(x, 2), (1, 4, 1, 1)),
        (lambda x: F.pixel_unshuffle(x, 1), (1, 4, 2, 2)),
        (lambda x: F.pixel_unshuffle(x, 2), (1, 1, 2, 2)),
        (lambda x: F.channel_shuffle(x, 1), (1, 4, 2, 2)),
        (lambda x: F.channel_shuffle(x, 2), (2, 2, 1, 1)),
        (lambda x: torch.chain_matmul(x), (2, 2)),
        (lambda x: torch.histogram(torch.ones(3), x).bin_edges, (4,)),
    ],
)
def test_a_result_that_is_no_view_has_memory_of_its_own(call: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    x = torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).clone()
    before = x.clone()
    call(x).fill_(-1)
    assert torch.equal(x, before)


def _sums(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        x.sum(),
        (x + 1).sum(),
        (x - x.detach()).sum(),
        x.clone().sum(),
        x.view(6).sum(),
        x.t().sum(),
        x.unsqueeze(0).sum(),
        x.expand(2, 3).sum(),
        x.sum(0).sum(),
    ]


@pytest.mark.parametrize("created", [False, True])
def test_the_gradient_of_a_sum_is_expanded(created: bool) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for out in _sums(x)[: 4 if created else None]:  # recorded views of it stay views
        (g,) = torch.autograd.grad(out, x, create_graph=created)
        assert g.stride() == (0, 0) and g.untyped_storage().nbytes() == 4 and g.tolist() == [[1.0] * 3] * 2
        with pytest.raises(RuntimeError, match=OVERLAP), torch.no_grad():
            g.mul_(2)


def test_what_was_computed_of_a_sums_gradient_is_not() -> None:
    x, row = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    for out in (
        (x * 2).sum(),
        (x + x).sum(),
        x.mean(),
        (1 - x).sum(),
        (x + torch.ones(2, 2, 3)).sum(),
        x.sum(dtype=torch.float64),
    ):
        (g,) = torch.autograd.grad(out, x)
        assert g.stride() == (3, 1)
        g.mul_(2)
    (g,) = torch.autograd.grad((row + x).sum(), row)
    assert g.tolist() == [2.0, 2.0, 2.0]
    h = x * 1
    h.register_hook(lambda g: g * torch.arange(3.0))
    assert torch.autograd.grad((h + 0).sum(), x)[0].tolist() == [[0.0, 1.0, 2.0]] * 2
    many = torch.ones(5000, requires_grad=True)
    assert torch.autograd.grad(many.mean(), many)[0].stride() == (1,)


def test_a_gradient_that_was_given_is_not_shared() -> None:
    x, given = torch.ones(3, requires_grad=True), torch.tensor(2.0)
    (g,) = torch.autograd.grad(x.sum(), x, given)
    given.zero_()
    assert g.tolist() == [2.0, 2.0, 2.0]
    x.sum().backward()
    x.grad.mul_(2)
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_gradients_are_clipped_where_there_are_any() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="nested_tensorlist"):
        torch.nn.utils.clip_grad_value_([x], 0.5)
    x.grad = torch.tensor([-2.0, 0.25])
    torch.nn.utils.clip_grad_value_([x, torch.ones(1)], 0.5)
    assert x.grad.tolist() == [-0.5, 0.25]


def test_what_linearize_pushes_depends_on_its_primals_as_far_as_is_said() -> None:
    a = torch.tensor([2.0, 1.0], requires_grad=True)
    pushed = torch.func.linearize(lambda t: t.exp() * 2, a)[1](a.detach())
    assert pushed.requires_grad
    pushed.sum().backward()
    assert a.grad is None
    assert not torch.func.linearize(lambda t: t * 2, a)[1](a.detach()).requires_grad
    assert not torch.func.linearize(torch.exp, a.detach())[1](a.detach()).requires_grad
    with pytest.raises(RuntimeError, match=OVERLAP):
        torch.func.linearize(torch.sin, torch.ones(2).expand(2, 2))
    assert torch.func.linearize(torch.sin, torch.ones(1).expand(2, 1))[0].shape == (2, 1)


def test_jacobians_of_nothing() -> None:
    nothing = torch.ones(0)
    for function in (torch.autograd.functional.jacobian, torch.autograd.functional.hessian):
        cube: Callable[[Any], Any] = (
            (lambda t: t**3) if function is torch.autograd.functional.jacobian else lambda t: (t**3).sum()
        )
        with pytest.raises(RuntimeError, match="stack expects a non-empty TensorList"):
            function(cube, nothing)
        with pytest.raises(IndexError, match="index 0 is out of bounds for dimension 0 with size 0"):
            function(cube, nothing, vectorize=True)
    assert torch.autograd.functional.jacobian(torch.sum, nothing).shape == (0,)


def test_logsumexp_along_no_dimensions_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"output with shape \[\] doesn't match the broadcast shape \[1, 1\]"):
        torch.ones(2, 2).logsumexp(())
    assert torch.ones(2, 2).logsumexp((), keepdim=True).shape == (1, 1) and torch.ones(()).logsumexp(()) == 1


@pytest.mark.parametrize(
    ("name", "options", "writes"),
    [
        ("Adam", {}, 1),
        ("AdamW", {}, 2),
        ("AdamW", {"weight_decay": 0}, 1),
        ("NAdam", {}, 2),
        ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, 3),
        ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, 2),
        ("ASGD", {}, 2),
        ("SGD", {"momentum": 0.9, "weight_decay": 0.1}, 1),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64])
def test_versions_count_what_an_optimizer_writes(name: str, options: dict[str, Any], writes: int, dtype: torch.dtype) -> None:
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    x.grad = torch.ones(2, dtype=dtype)
    optimizer = getattr(torch.optim, name)([x], lr=0.1, **options)
    optimizer.step()
    assert x._version == writes
    optimizer.step()
    assert x._version == 2 * writes


def test_a_hook_of_several_tensors_does_not_wait_for_the_one_root() -> None:
    kept: list[list[Any]] = []
    leaf = torch.tensor(1.0, requires_grad=True)
    doubled = leaf * 2
    handle = torch.autograd.graph.register_multi_grad_hook(
        [doubled, leaf], lambda gs: kept.append([g and g.item() for g in gs])
    )
    doubled.backward(retain_graph=True)
    assert kept == [[1.0, None], [None, 2.0]]
    kept.clear()
    torch.autograd.backward([doubled, leaf * 3], [torch.tensor(1.0), torch.tensor(1.0)])
    assert kept == [[1.0, 5.0]]
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad(leaf * 2, leaf)
    handle.remove()
    torch.autograd.graph.register_multi_grad_hook([leaf, leaf], kept.append)
    kept.clear()
    leaf.backward()
    assert not kept


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: F.avg_pool1d(x, 2), (1, 2, 4)),
        (lambda x: F.avg_pool2d(x, 2), (1, 2, 4, 4)),
        (lambda x: F.avg_pool3d(x, 2), (1, 2, 4, 4, 4)),
        (lambda x: F.max_pool2d(x, 2), (1, 2, 4, 4)),
        (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 4, 4)),
        (lambda x: F.adaptive_max_pool2d(x, 2), (1, 2, 4, 4)),
        (lambda x: F.pad(x, (1, 1), mode="reflect"), (1, 2, 4)),
        (lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), (1, 2, 4, 4)),
    ],
)
def test_what_pooling_and_mirrored_padding_read_is_kept(call: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, requires_grad=True)
    out = call(x).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        out.backward()
    computed = x * 1
    out = call(computed).sum()
    computed.mul_(2)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        out.backward()


def test_asking_a_part_of_a_conjugate_for_gradients_is_no_write() -> None:
    x = torch.tensor([0.5j, 1 + 1j])
    part = x.conj().imag
    part.detach().requires_grad_()
    assert (x._version, part._version) == (0, 0)
    part.add_(1)
    assert (x._version, part._version) == (1, 1) and x.tolist() == [-0.5j, 1 + 0j]


def test_a_hook_at_the_root_gets_the_gradient_that_was_given() -> None:
    given, kept = torch.tensor([1.0, 2.0], requires_grad=True), list[torch.Tensor]()
    out = given**2
    out.register_hook(kept.append)
    out.backward(given)
    assert kept[0] is given and given.grad.tolist() == [2.0, 8.0]


def test_an_input_that_has_gone_on_has_an_expanded_gradient_too() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x * x
    of_x, of_y = torch.autograd.grad(y.sum(), [x, y])
    assert of_x.stride() == (3, 1) and of_y.stride() == (0, 0)


def test_conjugates_are_not_detached_in_place() -> None:
    for x in (torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64, requires_grad=True)):
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            x.conj().detach_()
    assert not x.conj().resolve_conj().detach_().requires_grad


def test_greatest_of_lines_are_a_view_only_where_they_are_recorded() -> None:
    x = torch.arange(6.0).view(1, 2, 3)
    assert not F.max_pool1d(x, 2)._is_view() and F.max_pool1d(x, 2).tolist() == [[[1.0], [4.0]]]
    assert F.max_pool1d(x.clone().requires_grad_(), 2)._is_view()
    assert F.max_pool1d(x, 2, return_indices=True)[0]._is_view()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.cdist(torch.ones(2, 2).half(), torch.ones(2, 2)), "\"cdist\" not implemented for 'Half'"),
        (lambda: torch.ones(2, 3, 3).bool() @ torch.ones(2, 3, 3), "\"bmm\" not implemented for 'Bool'"),
    ],
)
def test_a_kernel_that_there_is_not_is_told_before_dtypes_that_differ(call: Callable[[], Any], error: str) -> None:
    with pytest.raises(NotImplementedError, match=error):
        call()
