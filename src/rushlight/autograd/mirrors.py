"""Conjugates and negatives that are written to: in PyTorch they are views, so what they are of changes with them.

Their values are computed at once, in memory of their own. Their version counter knows where they came from: as it counts a write,
it carries the new values back, and :func:`carry_history` does the same for the graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import modes

if TYPE_CHECKING:
    from ..tensor import Tensor


_Turn = Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]


class Mirror(list[Any]):
    """The version counter of a tensor that mirrors another, and of its views."""

    __slots__ = ("array", "of", "tensor", "turn", "turned")

    def __init__(self, tensor: Tensor, of: Tensor, turn: _Turn, turned: Callable[[Tensor], Tensor]) -> None:
        super().__init__((0,))
        self.tensor, self.array = weakref.ref(tensor), tensor._array
        self.of, self.turn, self.turned = of, turn, turned

    def __setitem__(self, index: object, value: object) -> None:  # type: ignore[override]
        list.__setitem__(self, index, value)  # type: ignore[call-overload]
        if index == 0:
            np.copyto(self.of._array, self.turn(self.array))
            self.of._counter[0] += 1


def mirror(tensor: Tensor, of: Tensor, turn: _Turn, turned: Callable[[Tensor], Tensor]) -> None:
    """Makes writes into ``tensor``, which ``turned`` made of another, writes into that too, turned once more.

    ``turn``  what ``turned`` does, of arrays
    """
    if not modes.state.transforms and not of._of_batch and isinstance(of._array, np.ndarray):
        tensor._counter = Mirror(tensor, of, turn, turned)


def check_mirrored(counter: list[object]) -> None:
    """Raises PyTorch's error for a write through a mirror of a leaf."""
    of = counter.of if isinstance(counter, Mirror) else None
    if of is not None and of.requires_grad and of.grad_fn is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def carry_history(counter: list[object]) -> None:
    """Puts a write through a mirror, which has just been recorded, into the history of what it mirrors."""
    if not isinstance(counter, Mirror):
        return
    tensor, of = counter.tensor(), counter.of
    if tensor is not None and modes.state.grad_enabled and (tensor.requires_grad or of.requires_grad):
        counted: list[float] | None = of._counter  # it is one write
        while counted is not None:
            list.__setitem__(counted, 0, counted[0] - 1)
            counted = counted.of._counter if isinstance(counted, Mirror) else None
        of.view_as(of).copy_(counter.turned(tensor))  # type: ignore[attr-defined]
