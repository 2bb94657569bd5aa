"""Optimizers: their bookkeeping, and that they find a minimum."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight import optim

KINDS: list[tuple[Any, dict[str, Any]]] = [
    (optim.SGD, {"lr": 0.1, "momentum": 0.5, "nesterov": True}),
    (optim.Adam, {"lr": 0.1, "amsgrad": True}),
    (optim.AdamW, {"lr": 0.1}),
    (optim.RMSprop, {"lr": 0.02, "centered": True, "momentum": 0.2}),
    (optim.Adagrad, {"lr": 0.5}),
    (optim.Adadelta, {"lr": 20.0}),
    (optim.Adamax, {"lr": 0.1}),
    (optim.NAdam, {"lr": 0.1}),
    (optim.RAdam, {"lr": 0.1}),
    (optim.Rprop, {}),
    (optim.ASGD, {"lr": 0.1}),
]
IDS = [kind.__name__ for kind, _ in KINDS]


def trained(optimizer: Any, w: Any, steps: int) -> Any:
    for _ in range(steps):
        optimizer.zero_grad()
        ((w - 3) ** 2).sum().backward()
        optimizer.step()
    return w.tolist()


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=IDS)
def test_the_minimum_is_found(kind: Any, options: dict[str, Any]) -> None:
    w = torch.tensor([0.0, 5.0], requires_grad=True)
    assert trained(kind([w], **options), w, 500) == pytest.approx([3.0, 3.0], abs=0.05)


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=IDS)
def test_training_goes_on_from_a_state_dict(kind: Any, options: dict[str, Any]) -> None:
    w = torch.tensor([0.0, 5.0], requires_grad=True)
    optimizer = kind([w], **options)
    trained(optimizer, w, 7)
    again = w.detach().clone().requires_grad_()
    other = kind([again])
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert trained(other, again, 7) == trained(optimizer, w, 7)


@pytest.mark.parametrize(
    ("kind", "options", "gradients", "name", "expected"),
    [
        (optim.RMSprop, {"centered": True}, [1e30], "square_avg", [0.125, float("inf")]),
        (optim.Adam, {}, [1e20], "exp_avg_sq", [0.124, 1e37]),
        (optim.SGD, {"momentum": 0.5}, [float("inf"), 1.0], "momentum_buffer", [-float("inf"), float("inf")]),
        (optim.ASGD, {}, [float("inf")], "ax", [-float("inf"), -float("inf")]),
        (optim.Rprop, {"lr": 0.1}, [1.0, -float("inf")], "prev", [0.025, 0.0]),
    ],
)
def test_gradients_too_large_make_nan_no_sooner_than_in_pytorch(
    kind: type[optim.SGD], options: dict[str, float], gradients: list[float], name: str, expected: list[float]
) -> None:
    w = torch.tensor([0.125], requires_grad=True)
    optimizer = kind([w], **options)
    for gradient in gradients:
        w.grad = torch.tensor([gradient])
        optimizer.step()
    assert [w.item(), optimizer.state[w][name].item()] == pytest.approx(expected, rel=1e-6)


def test_complex_parameters_are_pairs() -> None:
    w = torch.tensor([1 + 2j], requires_grad=True)
    pair = torch.tensor([[1.0, 2.0]], requires_grad=True)
    w.grad, pair.grad = torch.tensor([0.5 - 1j]), torch.tensor([[0.5, -1.0]])
    for each in (w, pair):
        optim.Adagrad([each], lr=0.1).step()
    assert torch.allclose(torch.view_as_real(w.detach()), pair.detach())


def test_a_step_is_a_write_that_a_graph_notices() -> None:
    w = torch.ones(2, requires_grad=True)
    out = (w * w).sum()
    w.grad = torch.ones(2)
    optim.Adam([w]).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_a_step_can_be_differentiated() -> None:
    w = torch.tensor([1.0], requires_grad=True)
    rate = torch.tensor([2.0], requires_grad=True)
    moved = w.clone()
    moved.grad = rate * 3
    optim.SGD([moved], lr=0.5, differentiable=True).step()
    moved.sum().backward()
    assert rate.grad.tolist() == [-1.5] and w.grad.tolist() == [1.0]


def test_wrong_arguments_are_refused() -> None:
    w = torch.ones(1, requires_grad=True)
    for make, text in (
        (lambda: optim.SGD([]), "optimizer got an empty parameter list"),
        (lambda: optim.SGD([w * 2]), "can't optimize a non-leaf Tensor"),
        (lambda: optim.SGD([w], lr=-1), "Invalid learning rate: -1"),
        (lambda: optim.SGD([{"params": [w]}, {"params": [w]}]), "some parameters appear in more than one parameter group"),
        (lambda: optim.SGD([w], nesterov=True), "Nesterov momentum requires a momentum"),
        (lambda: optim.Adam([w], betas=(1.0, 0.9)), "Invalid beta parameter at index 0: 1.0"),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_hooks_and_groups() -> None:
    w, v = (torch.ones(1, requires_grad=True) for _ in range(2))
    optimizer = optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.5}], lr=0.1)
    calls: list[str] = []
    optimizer.register_step_pre_hook(lambda *_: calls.append("before"))
    optimizer.register_step_post_hook(lambda *_: calls.append("after"))
    (w + v).sum().backward()
    optimizer.step()
    assert calls == ["before", "after"]
    assert (w.item(), v.item()) == pytest.approx((0.9, 0.5))
    schedule = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    optimizer.step()
    schedule.step()
    assert schedule.get_last_lr() == pytest.approx([0.05, 0.25])


def test_adagrad_cannot_start_from_lazy_parameters() -> None:
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        torch.optim.Adagrad(torch.nn.LazyLinear(2).parameters())


@pytest.mark.parametrize("kind", [optim.SGD, optim.Adam, optim.RMSprop, optim.Adagrad, optim.NAdam, optim.RAdam, optim.ASGD])
def test_several_differentiable_steps_have_the_derivatives_of_what_they_do(kind: Any) -> None:
    def stepped(start: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
        param = start.clone()
        optimizer = kind([param], lr=0.1, weight_decay=0.2, differentiable=True)
        for _ in range(3):
            param.grad = slope * param.clone()
            optimizer.step()
        return param

    start = torch.tensor([1.0, -0.5], dtype=torch.float64, requires_grad=True)
    slope = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(stepped, (start, slope))


@pytest.mark.parametrize("kind", [optim.LBFGS, optim.SparseAdam, optim.Adafactor, optim.SGD])
def test_loading_a_state_adds_no_option_that_the_optimizer_lacks(kind: type[optim.SGD]) -> None:
    optimizer = kind([torch.ones(2, requires_grad=True)], lr=0.1)
    before = set(optimizer.param_groups[0])
    for _ in range(2):
        optimizer.load_state_dict(optimizer.state_dict())
        assert set(optimizer.param_groups[0]) == before


def test_states_of_older_versions_load() -> None:
    param = torch.ones(2, requires_grad=True)
    optimizer = optim.NAdam([param])
    param.grad = torch.ones(2)
    optimizer.step()
    state = optimizer.state_dict()
    for name in ("maximize", "foreach", "decoupled_weight_decay"):
        del state["param_groups"][0][name]
    state["state"][0].update(step=1, mu_product=0.5)
    optimizer.load_state_dict(state)
    group, own = optimizer.param_groups[0], optimizer.state[param]
    assert (group["maximize"], group["foreach"], group["decoupled_weight_decay"]) == (False, None, False)
    assert all(torch.is_tensor(own[name]) for name in ("step", "mu_product"))
    optimizer.step()
    assert own["step"].item() == 2


def test_hooks_of_steps_see_the_call_as_it_was_made() -> None:
    optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    seen: list[Any] = []
    optimizer.register_step_pre_hook(lambda *given: seen.append(given))
    optimizer.register_step_post_hook(lambda *given: seen.append(given))
    optimizer.step()
    assert seen == [(optimizer, (optimizer,), {})] * 2


def test_groups_are_printed_apart() -> None:
    one, two = (torch.ones(1, requires_grad=True) for _ in range(2))
    assert repr(optim.Optimizer([{"params": [one]}, {"params": [two]}], {"lr": 1})) == (
        "Optimizer (\nParameter Group 0\n    lr: 1\n\nParameter Group 1\n    lr: 1\n)"
    )


def test_a_mix_of_numbers_and_tensors_is_no_pair_of_betas() -> None:
    with pytest.raises(ValueError, match="betas must be either both floats or both Tensors"):
        optim.Adam([torch.ones(1, requires_grad=True)], betas=(torch.tensor(0.9), 0.99))


def test_a_schedule_and_its_optimizer_go_without_the_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        scheduler = optim.lr_scheduler.StepLR(optimizer, 2)
        optimizer.step()
        scheduler.step()
        alive = [weakref.ref(optimizer), weakref.ref(scheduler)]
        del optimizer, scheduler
        assert [one() for one in alive] == [None, None]
    finally:
        gc.enable()


def test_counts_among_averaged_buffers_are_averaged_too() -> None:
    model = torch.nn.BatchNorm1d(2)
    average = optim.swa_utils.AveragedModel(model, use_buffers=True)
    for number in range(3):
        model.num_batches_tracked.fill_(3 * number)
        model.running_mean.fill_(number)
        average.update_parameters(model)
    assert average.module.num_batches_tracked.item() == 2  # each average without its fraction: 0, 1, 1 + 5 / 3
    assert average.module.running_mean.tolist() == [1.0, 1.0]


def test_fused_steps_count_no_write() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.sum().backward()
    optim.AdamW([weight], lr=0.1, fused=True).step()
    assert weight._version == 0 and weight.tolist() != [1, 1]


def test_lbfgs_wants_gradients_that_are_vectors_as_they_lie() -> None:
    weight = torch.ones(2, 3).t().requires_grad_()
    weight.square().sum().backward()
    with pytest.raises(RuntimeError, match=r"^view size is not compatible with input tensor's size and stride"):
        optim.LBFGS([weight]).step(lambda: weight.square().sum())
