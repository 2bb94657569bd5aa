"""The programs of bench/idioms, compiled: how many are captured, that they compute what they compute as they are, and that each sees
what a user changes between two calls; `changes.py` makes more changes than these."""

from __future__ import annotations

import pytest
from changes import CHANGES, Twins, differs
from idiom_twins import AS_THEY_ARE, programs

CAPTURED = 105  # of the programs, at least
CHANGES_OF_EACH = 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", programs())
def test_losses_and_gradients_are_those_of_the_program_as_it_is(name: str) -> None:
    twins = Twins(name)
    assert twins.call() is None
    assert twins.is_captured() == (name not in AS_THEY_ARE)
    assert differs(twins, 0, most=CHANGES_OF_EACH) is None


def test_so_many_are_captured() -> None:
    assert len(programs().keys() - AS_THEY_ARE) >= CAPTURED


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", CHANGES)
def test_a_network_sees_each_change(change: str) -> None:
    assert differs(Twins("adam_mlp"), 1, [change]) is None


def test_a_change_that_is_not_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    twins = Twins("adam_mlp")
    assert twins.call(4) is None
    (form,) = twins.fast._compiled.forms
    monkeypatch.setattr(form.guards, "hold", lambda leaves: True)
    assert twins.change("parameter_replaced", 0) is not None
    assert twins.call() is not None
