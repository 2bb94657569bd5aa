"""How near a replay that rounds otherwise must come to the program, where an optimizer has divided by small numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.compiled.snapshots import State


def stepped(kind: Callable[..., Any], clears: bool) -> tuple[torch.Tensor, State, State]:
    """A parameter that an optimizer has moved, and the states before and after: of its gradients two are as good as nothing."""
    w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    optimizer = kind([w])

    def backward() -> None:
        (w * torch.tensor([1.0, 0.1, 1e-6, -1e-7])).sum().backward()

    backward()
    optimizer.step()
    optimizer.zero_grad()
    before = State([w], [optimizer], [])
    backward()
    optimizer.step()
    if clears:
        optimizer.zero_grad()
    return w, before, State([w], [optimizer], [])


def difference(w: torch.Tensor, before: State, after: State, changes: list[float]) -> str | None:
    """What a replay is told that moved the parameter by as much more, in units of the largest step."""
    largest = abs(after.arrays[0] - before.arrays[0]).max()
    with torch.no_grad():
        w += torch.tensor(changes) * float(largest)
        w._counter[0] -= 1
    try:
        return State(after.given, after.live, after.generators).same_as(after, before, exact=False)
    finally:
        after.put_back()


@pytest.mark.parametrize("clears", [False, True])
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop])
def test_a_step_of_nothing_may_go_either_way_and_no_other(kind: Callable[..., Any], clears: bool) -> None:
    w, before, after = stepped(kind, clears)
    assert difference(w, before, after, [0.0, 0.0, 0.0, 0.0]) is None
    assert difference(w, before, after, [0.0, 0.0, -1.9, 1.9]) is None
    for wrong in ([0.1, 0, 0, 0], [0, -0.5, 0, 0], [-2.0, 0, 0, 0], [0, 0, 2.5, 0]):
        assert difference(w, before, after, wrong) == "a tensor of shape [4]"


def test_a_tensor_that_no_optimizer_moves_is_held_to_rounding() -> None:
    w, before, after = stepped(lambda parameters: torch.optim.SGD(parameters, lr=1.0), True)
    assert difference(w, before, after, [0.0, 0.0, 1e-3, 0.0]) == "a tensor of shape [4]"
