"""What a thread has switched on, and which of it goes along where the thread's work goes on in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import threading

State = TypeVar("State", bound="threading.local")
carried_states: list[threading.local] = []


def carried(state: State) -> State:
    """Says that what a thread has switched on in ``state`` goes along where its work goes on in another thread."""
    carried_states.append(state)
    return state
