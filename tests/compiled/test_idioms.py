"""The programs of bench/idioms, compiled: how many are captured, and that they compute what they compute as they are."""

from __future__ import annotations

from typing import Any

import idiom_twins as twins
import pytest

import rushlight as torch

CALLS = 5
CAPTURED = 105  # of them at least


def both(name: str) -> tuple[Any, Any, Any]:
    """A program's step, another on the same numbers, and that compiled, which replays even where it is not faster."""
    torch.set_default_dtype(torch.float64 if name in twins.IN_DOUBLE else torch.float32)
    made = []
    for _ in range(2):
        torch.manual_seed(0)
        made.append(twins.programs()[name]())
    fast: Any = torch.compile(made[1])
    fast._compiled.always = True
    return *made, fast


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", twins.programs())
def test_losses_and_gradients_are_those_of_the_program_as_it_is(name: str) -> None:
    step, other, fast = both(name)
    generator = torch.get_rng_state()
    for call in range(CALLS):
        its, after = twins.called(step, generator)
        mine, drawn = twins.called(fast, generator)
        assert its, "a step tells something"
        assert twins.difference(mine, its) is None, call
        assert twins.state_difference(other, step) is None, call
        assert torch.equal(drawn, after), call
        generator = after
    form = fast._compiled.forms[-1]
    assert (form.program is None) == (name in twins.AS_THEY_ARE), form.reason


def test_so_many_are_captured() -> None:
    assert len(twins.programs()) - len(twins.AS_THEY_ARE) >= CAPTURED
