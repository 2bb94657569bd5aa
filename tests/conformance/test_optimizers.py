"""Optimizers and schedules against PyTorch's: parameters, state and learning rates after many steps."""

from __future__ import annotations

import copy
import importlib
import io
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing._internal.common_optimizers import optim_db

import rushlight

STEPS = 200
# L-BFGS converges in a few steps; from there on its directions are quotients of rounding.
# Muon rounds to bfloat16, where a last bit of float64 that falls otherwise becomes one of 1/256.
FEWER_STEPS = {"LBFGS": 1, "Muon": 10}
WIDER = {"Muon": 1e-3}
CASES = [
    pytest.param(info.optim_cls.__name__, case.kwargs, id=f"{info.optim_cls.__name__}-{case.desc}")
    for info in optim_db
    for case in info.optim_inputs_func(device="cpu")
    if info.optim_cls.__name__ != "SparseAdam"  # takes sparse gradients only
]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def parameters(library: Any) -> tuple[Any, Any]:
    start = np.linspace(-1.0, 1.5, 12).reshape(3, 4)
    first, second = (library.from_numpy(start * scale).requires_grad_() for scale in (1.0, 0.5))
    return first, second


def loss_of(library: Any, first: Any, second: Any, step: int) -> Any:
    """A loss whose steps do not magnify rounding."""
    target = library.from_numpy(np.cos(np.arange(12.0)).reshape(3, 4))
    tied = ((second + first / 2).tanh() * target * (1 + step % 3)).sum()
    return ((first - target) ** 2).sum() + tied + (second**2).sum() / 4


def optimizer_for(library: Any, name: str, options: dict[str, Any], first: Any, second: Any) -> Any:
    options = {
        key: library.tensor(value.item()) if isinstance(value, torch.Tensor) else value for key, value in options.items()
    }
    if name == "LBFGS":  # one group only
        return library.optim.LBFGS([first, second], **options)
    return getattr(library.optim, name)([{"params": [first]}, {"params": [second], "lr": 0.02}], **options)


def take_steps(library: Any, optimizer: Any, first: Any, second: Any, steps: range) -> None:
    for step in steps:

        def closure(step: int = step) -> Any:
            optimizer.zero_grad()
            loss = loss_of(library, first, second, step)
            loss.backward()
            return loss

        optimizer.step(closure)


def trained(library: Any, name: str, options: dict[str, Any], steps: int) -> Any:
    """Parameters and state after training two groups."""
    first, second = parameters(library)
    optimizer = optimizer_for(library, name, options, first, second)
    take_steps(library, optimizer, first, second, range(steps))
    return [first, second], optimizer.state_dict()


def same(ours: Any, theirs: Any, slack: float, place: str = "") -> None:
    """Equal structure, and numbers to 1e-6, or to ``slack`` in all."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), place
        for key, value in theirs.items():
            same(ours[key], value, slack, f"{place}.{key}")
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), place
        for index, value in enumerate(theirs):
            same(ours[index], value, slack, f"{place}.{index}")
    elif isinstance(theirs, torch.Tensor):
        assert str(ours.dtype) == str(theirs.dtype), place
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-6, atol=slack, err_msg=place)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-6), place
    else:
        assert ours == theirs, place


@pytest.mark.parametrize(("name", "options"), CASES)
def test_200_steps_agree(name: str, options: dict[str, Any]) -> None:
    steps = FEWER_STEPS.get(name, STEPS)
    theirs, their_state = trained(torch, name, options, steps)
    ours, our_state = trained(rushlight, name, options, steps)
    same(ours, theirs, WIDER.get(name, 1e-9))
    same(our_state, their_state, WIDER.get(name, 1e-9))


@pytest.mark.parametrize("name", [info.optim_cls.__name__ for info in optim_db if info.optim_cls.__name__ != "SparseAdam"])
def test_states_go_to_pytorch_and_back(name: str) -> None:
    """Some steps here, as many in PyTorch, and here again, give what all of them in PyTorch give."""
    leg_steps = FEWER_STEPS.get(name, 10)
    options = {"max_iter": 3} if name == "LBFGS" else {}
    first, second = parameters(torch)
    whole = optimizer_for(torch, name, options, first, second)
    take_steps(torch, whole, first, second, range(3 * leg_steps))

    sides = [rushlight, torch, rushlight]
    state: Any = None
    values: Any = None
    for leg, library in enumerate(sides):
        mine = parameters(library)
        if values is not None:
            with library.no_grad():
                for one, value in zip(mine, values, strict=True):
                    one.copy_(library.from_numpy(value))
        optimizer = optimizer_for(library, name, options, *mine)
        if state is not None:
            state.seek(0)
            optimizer.load_state_dict(library.load(state))
        take_steps(library, optimizer, *mine, range(leg * leg_steps, (leg + 1) * leg_steps))
        state = io.BytesIO()
        library.save(optimizer.state_dict(), state)
        values = [one.detach().numpy().copy() for one in mine]
    for ours, theirs in zip(values, (first, second), strict=True):
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-6, atol=WIDER.get(name, 1e-9))


SCHEDULES: dict[str, Callable[[Any, Any], Any]] = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 1 / (1 + epoch)),
    "StepLR": lambda s, o: s.StepLR(o, 7),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9, 9, 20]),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.25, 6),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.9, 11),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.93),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 17, 2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 13, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.01),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.1, 0.9, 4, mode="triangular2"),
    "CyclicLR, exp_range": lambda s, o: s.CyclicLR(o, 0.1, 0.9, 4, 6, mode="exp_range", gamma=0.95),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.9, total_steps=40),
    "OneCycleLR, linear, three phases": lambda s, o: s.OneCycleLR(
        o, 0.9, total_steps=40, anneal_strategy="linear", three_phase=True
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 5), s.ExponentialLR(o, 0.9)], [6]),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 5), s.ExponentialLR(o, 0.9)], optimizer=o),
    "SWALR": lambda s, o: s.StepLR(o, 3),
}


def schedule_for(library: Any, name: str, optimizer: Any) -> Any:
    if name == "SWALR":
        return library.optim.swa_utils.SWALR(optimizer, 0.05, 8, "linear")
    return SCHEDULES[name](library.optim.lr_scheduler, optimizer)


def rates(library: Any, name: str) -> tuple[list[Any], dict[str, Any]]:
    """Learning rates and momenta of 30 epochs, interrupted by a round trip of the state in the middle."""
    parameter = library.ones(1, requires_grad=True)
    optimizer = library.optim.SGD([parameter], lr=0.5, momentum=0.9)
    schedule = schedule_for(library, name, optimizer)
    found = []
    for epoch in range(30):
        group = optimizer.param_groups[0]
        found.append((*schedule.get_last_lr(), group["lr"], group["momentum"]))
        optimizer.step()
        schedule.step()
        if epoch == 15:
            kept = copy.deepcopy(optimizer.state_dict()), copy.deepcopy(schedule.state_dict())
            optimizer = library.optim.SGD([parameter], lr=0.5, momentum=0.9)
            schedule = schedule_for(library, name, optimizer)
            optimizer.load_state_dict(kept[0])
            schedule.load_state_dict(kept[1])
    state = {key: value for key, value in schedule.state_dict().items() if isinstance(value, (int, float, list))}
    return found, state


@pytest.mark.parametrize("name", SCHEDULES)
def test_learning_rates_agree(name: str) -> None:
    ours, our_state = rates(rushlight, name)
    theirs, their_state = rates(torch, name)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-15)
    assert list(our_state) == list(their_state)


def test_plateau_agrees() -> None:
    def run(library: Any) -> list[float]:
        optimizer = library.optim.SGD([library.ones(1, requires_grad=True)], lr=1.0)
        schedule = library.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2, cooldown=1)
        found = []
        for loss in [3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]:
            schedule.step(loss)
            found.append(optimizer.param_groups[0]["lr"])
        return found

    assert run(rushlight) == run(torch)


@pytest.mark.parametrize("average", ["mean", "ema", "multi ema"])
def test_averaged_models_agree(average: str) -> None:
    def run(library: Any) -> list[Any]:
        library.manual_seed(0)
        model = library.nn.Sequential(library.nn.Linear(3, 4), library.nn.BatchNorm1d(4), library.nn.Linear(4, 2))
        swa = library.optim.swa_utils
        options = {
            "mean": {},
            "ema": {"avg_fn": swa.get_ema_avg_fn(0.9)},
            "multi ema": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9), "use_buffers": True},
        }[average]
        averaged = swa.AveragedModel(model, **options)
        optimizer = library.optim.SGD(model.parameters(), lr=0.1)
        batches = [library.randn(5, 3) for _ in range(4)]
        for batch in batches * 3:
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
            averaged.update_parameters(model)
        swa.update_bn(batches, averaged)
        return [value.double().numpy() for value in averaged.state_dict().values()]

    for ours, theirs in zip(run(rushlight), run(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


def test_step_hooks_run_in_order() -> None:
    def run(library: Any) -> list[str]:
        seen: list[str] = []
        optimizer = library.optim.SGD([library.ones(1, requires_grad=True)], lr=0.1)
        shared = importlib.import_module(f"{library.__name__}.optim.optimizer")
        handles = [
            optimizer.register_step_pre_hook(lambda *_: seen.append("pre")),
            optimizer.register_step_post_hook(lambda *_: seen.append("post")),
            shared.register_optimizer_step_pre_hook(lambda *_: seen.append("global pre")),
            shared.register_optimizer_step_post_hook(lambda *_: seen.append("global post")),
            optimizer.register_state_dict_pre_hook(lambda _: seen.append("state")),
            optimizer.register_state_dict_post_hook(lambda *_: seen.append("stated")),
            optimizer.register_load_state_dict_pre_hook(lambda *_: seen.append("load")),
            optimizer.register_load_state_dict_post_hook(lambda _: seen.append("loaded")),
        ]
        optimizer.step(lambda: seen.append("closure"))
        optimizer.load_state_dict(optimizer.state_dict())
        for handle in handles:
            handle.remove()
        optimizer.step()
        return seen

    assert run(rushlight) == run(torch)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "options"),
    [(info.optim_cls.__name__, {"lr": -1.0}) for info in optim_db]
    + [(info.optim_cls.__name__, {"nonsense": 1}) for info in optim_db]
    + [("Adam", {"betas": (1.0, 0.9)}), ("SGD", {"nesterov": True}), ("Rprop", {"etas": (2.0, 1.0)}), ("SparseAdam", {})],
)
def test_errors_agree(name: str, options: dict[str, Any]) -> None:
    def run(library: Any) -> tuple[str, str]:
        parameter = library.ones(2, 2, requires_grad=True)
        optimizer = None
        with pytest.raises(Exception) as error:
            optimizer = getattr(library.optim, name)([parameter], **options)
            parameter.sum().backward()
            optimizer.step()
        return type(error.value).__name__, str(error.value)

    assert run(rushlight) == run(torch)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [info.optim_cls.__name__ for info in optim_db])
@pytest.mark.parametrize("kind", ["complex", "sparse", "twice", "none", "tensor"])
def test_parameters_that_do_not_fit(name: str, kind: str) -> None:
    """Complex parameters, sparse gradients, a parameter in two groups, none at all, a tensor in place of a list."""

    def run(library: Any) -> object:
        parameter = library.ones(2, 2, dtype=library.complex64 if kind == "complex" else None, requires_grad=True)
        parameter.grad = library.ones_like(parameter).detach()
        if kind == "sparse":
            parameter.grad = library.eye(2).to_sparse()
        given = {"twice": [{"params": [parameter]}, {"params": [parameter]}], "none": [], "tensor": parameter}
        try:
            optimizer = getattr(library.optim, name)(given.get(kind, [parameter]))
            optimizer.step(*([lambda: parameter.abs().sum()] if name == "LBFGS" else []))
        except Exception as error:
            return type(error).__name__, str(error)
        return np.array(parameter.tolist())

    found, expected = run(rushlight), run(torch)
    if isinstance(expected, tuple):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax"])
def test_every_bit_of_half_precision(name: str, dtype: str) -> None:
    """Each product and sum, or quotient and sum, is rounded once."""
    options = {"SGD": {"momentum": 0.9, "nesterov": True}, "RMSprop": {"centered": True, "momentum": 0.9}}.get(name, {})

    def run(library: ModuleType) -> list[object]:
        w = library.linspace(-1, 2, 27).to(getattr(library, dtype)).requires_grad_()
        optimizer = getattr(library.optim, name)([w], weight_decay=0.1, **options)
        for step in range(4):
            w.grad = (library.arange(27.0) * (step + 1) % 7 / 7 - 0.4).to(w.dtype)
            optimizer.step()
        return [w.tolist(), *(state.tolist() for state in optimizer.state[w].values() if state is not None)]

    assert run(rushlight) == run(torch)


@pytest.mark.parametrize("library", [rushlight, torch], ids=["rushlight", "PyTorch"])
def test_swalr_keeps_a_rate_of_its_own(library):
    rate, goal = library.tensor(0.1), library.tensor(0.05)
    optimizer = library.optim.SGD([library.nn.Parameter(library.ones(1))], lr=rate)
    scheduler = library.optim.swa_utils.SWALR(optimizer, swa_lr=goal)
    rate.mul_(0.5), goal.mul_(0.5)
    assert (optimizer.param_groups[0]["swa_lr"].item(), scheduler.base_lrs[0].item()) == pytest.approx((0.05, 0.1))
