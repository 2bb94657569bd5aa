"""Optimizers and schedules against PyTorch's: parameters, state and learning rates after many steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing._internal.common_optimizers import optim_db

import rushlight

STEPS = 200
HERE = "Adadelta Adagrad Adam AdamW Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split()
CASES = [
    pytest.param(info.optim_cls.__name__, case.kwargs, id=f"{info.optim_cls.__name__}-{case.desc}")
    for info in optim_db
    if info.optim_cls.__name__ in HERE
    for case in info.optim_inputs_func(device="cpu")
]


def trained(library: Any, name: str, options: dict[str, Any]) -> Any:
    """Parameters and state after training two groups on a loss whose steps do not magnify rounding."""
    start = np.linspace(-1.0, 1.5, 12).reshape(3, 4)
    target = library.from_numpy(np.cos(np.arange(12.0)).reshape(3, 4))
    first, second = (library.from_numpy(start * scale).requires_grad_() for scale in (1.0, 0.5))
    groups = [{"params": [first]}, {"params": [second], "lr": 0.02}]
    options = {
        key: library.tensor(value.item()) if isinstance(value, torch.Tensor) else value for key, value in options.items()
    }
    optimizer = getattr(library.optim, name)(groups, **options)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = (
            ((first - target) ** 2).sum()
            + ((second + first / 2).tanh() * target * (1 + step % 3)).sum()
            + (second**2).sum() / 4
        )
        loss.backward()
        optimizer.step()
    return [first, second], optimizer.state_dict()


@pytest.mark.parametrize(("name", "options"), CASES)
def test_200_steps_agree(name: str, options: dict[str, Any]) -> None:
    theirs, their_state = trained(torch, name, options)
    ours, our_state = trained(rushlight, name, options)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-6, atol=1e-9)
    assert our_state["state"].keys() == their_state["state"].keys()
    for number, state in their_state["state"].items():
        assert list(our_state["state"][number]) == list(state)
        for key, value in state.items():
            np.testing.assert_allclose(our_state["state"][number][key].numpy(), value.numpy(), rtol=1e-6, atol=1e-9)
    assert [list(group) for group in our_state["param_groups"]] == [list(group) for group in their_state["param_groups"]]


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
}


def rates(library: Any, name: str) -> list[Any]:
    parameter = library.ones(1, requires_grad=True)
    optimizer = library.optim.SGD([parameter], lr=0.5)
    schedule = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
    found = [schedule.get_last_lr()]
    for _ in range(30):
        optimizer.step()
        schedule.step()
        found.append(schedule.get_last_lr())
    return found


@pytest.mark.parametrize("name", SCHEDULES)
def test_learning_rates_agree(name: str) -> None:
    np.testing.assert_allclose(rates(rushlight, name), rates(torch, name), rtol=1e-9, atol=1e-15)


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
