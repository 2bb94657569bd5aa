"""Tensors that are the same for all examples of a ``vmap``, in the graph that a ``grad`` inside of it records (example_graph.py)."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .batched_tensors import BatchedTensor, Level


class SharedTensor(BatchedTensor, own=True):
    """What is the same for all examples of a batch, in the graph of these: each has a derivative of its own by it."""

    shared = True

    def _rewrapped(self, whole: Tensor) -> Tensor:
        return whole

    def _again(self) -> BatchedTensor:
        return shared_by_all(self.whole, self.level)

    def item(self) -> Any:
        return self.whole.item()

    def __float__(self) -> float:  # type: ignore[override]
        return float(self.whole)

    def __int__(self) -> int:  # type: ignore[override]
        return int(self.whole)

    def __complex__(self) -> complex:  # type: ignore[override]
        return complex(self.whole)

    def __index__(self) -> int:  # type: ignore[override]
        return self.whole.__index__()

    def __bool__(self) -> Any:
        return bool(self.whole)

    def tolist(self) -> Any:
        return self.whole.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        return self.detach().numpy(force=force)

    def is_contiguous(self, **kwargs: object) -> bool:
        return self.whole.is_contiguous(**kwargs)  # type: ignore[no-any-return]

    def contiguous(self, **kwargs: object) -> Tensor:
        return Tensor.contiguous(self, **kwargs)  # type: ignore[no-any-return]

    def as_strided(self, *args: object, **kwargs: object) -> Tensor:
        return Tensor.as_strided(self, *args, **kwargs)  # type: ignore[no-any-return]

    def clone(self, **kwargs: object) -> Tensor:
        return Tensor.clone(self, **kwargs)  # type: ignore[no-any-return]


def shared_by_all(whole: Tensor, level: Level) -> SharedTensor:
    """A tensor that has no dimension for the examples of a level as one of their graph."""
    made: SharedTensor = object.__new__(SharedTensor)
    made.whole, made.level, made._array, made._counter = whole, level, whole._array, whole._counter
    return made
