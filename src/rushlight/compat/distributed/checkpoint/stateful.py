"""torch.distributed.checkpoint.stateful: objects that have a state and take one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ._nested_dict import State

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """What ``save`` asks for its state, and ``load`` gives one: modules and optimizers are such objects.

    >>> import rushlight as torch
    >>> from rushlight.distributed.checkpoint.stateful import Stateful
    >>> isinstance(torch.nn.Linear(1, 1), Stateful)
    True
    """

    def state_dict(self) -> State:
        """The state."""

    def load_state_dict(self, state_dict: State) -> None:
        """Takes a state over."""
