"""What a program holds, on the side under test: only lines that write may change its bytes."""

from __future__ import annotations

import functools
import re
from collections.abc import Set
from typing import Any

import numpy as np
from sides import Side, same_bits


@functools.lru_cache(4096)
def assigned(line: str) -> tuple[str, ...]:
    """The names that a line stands new values for."""
    left = re.match(r"(?:with [^\n]*\n\s+)?(\w+(?:, \w+)*) = ", line)
    return tuple(left[1].split(", ")) if left else ()


def node_name(tensor: Any) -> str | Exception | None:
    """The name of its node in the graph; the error, for a view whose base was changed in a way that forbids it."""
    try:
        node = tensor.grad_fn
        return None if node is None else node.name()
    except RuntimeError as error:
        return error


def keeps_gradient(tensor: Any) -> bool:
    """Whether it may hold a gradient, of passes before it was told to require none too."""
    return not isinstance(node_name(tensor), Exception) and (tensor.is_leaf or tensor.retains_grad)


def accumulates(tensor: Any) -> bool:
    """Whether a backward pass leaves a gradient in it."""
    return tensor.requires_grad and keeps_gradient(tensor)


EXPORTS = (np.ndarray, memoryview)
# A line that writes, or is about to change what a name stands for: what it changes is compared with PyTorch instead.
_WRITES = re.compile(
    r"\w_\(|\]\s*[-+*/%]?= |\b[a-z]\d?(?:\.data)? (?:[-+*/%|&]|//|\*\*|<<)= |\.fill\(|\.(?:grad|data|real|imag) = |\binplace=True"
    r"|_norm=|out=|\.step\(|clip_grad|zero_grad|vector_to_parameters"
)
_ROOT = re.compile(r"\w+")


def writes(line: str) -> bool:
    """Whether a line may write to what the program holds, other than to gradients."""
    return _WRITES.search(line) is not None


class Held:
    """The arrays of all that a program holds, as they were after its last line: so they are before the next."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.arrays: dict[str, np.ndarray] | None = {}
        self.passing: Set[str] = frozenset()

    def before(self, space: dict[str, Any], line: str) -> None:
        """A backward pass adds to gradients that are there: those, and what shares their memory, are its own to change."""
        if writes(line):
            return
        if self.arrays is None:
            self.arrays = {name: self._array(thing).copy() for name, thing in self._things(space).items()}
        passes = "backward(" in line or "autograd.grad(" in line
        self.passing = self._gradients(self._things(space)) if passes else frozenset()

    def changed(self, space: dict[str, Any], line: str) -> str | None:
        """The name of something that the line has changed and must not."""
        if writes(line):
            self.arrays = None
            return None
        assert self.arrays is not None
        things = self._things(space)
        now: dict[str, np.ndarray] = {}
        for name, thing in things.items():
            array, before = self._array(thing), self.arrays.get(name)
            if before is not None and same_bits(array, before):
                now[name] = before
            elif before is None or name in self.passing or self._new(name, line):
                now[name] = array.copy()
            else:
                return name
        gone = (name for name in self.arrays.keys() - things.keys() if not (name in self.passing or self._new(name, line)))
        self.arrays = now
        return next(gone, None)

    def _new(self, name: str, line: str) -> bool:
        root = _ROOT.match(name)
        return root is not None and root[0] in assigned(line)

    def _things(self, space: dict[str, Any]) -> dict[str, Any]:
        things: dict[str, Any] = {}
        for name, value in space.items():
            if self.side.is_tensor(value):
                things[name] = value
                if keeps_gradient(value) and (gradient := value.grad) is not None:
                    things[f"{name}.grad"] = gradient
            elif isinstance(value, list):
                # A list that hooks write to grows; what is in it already stays.
                things |= {f"{name}[{i}]": item for i, item in enumerate(value)}
            elif isinstance(value, EXPORTS):
                things[name] = value
        return things

    def _gradients(self, things: dict[str, Any]) -> Set[str]:
        """The names of gradients, and of what shares memory with one; an array does where it begins with one."""
        own = {thing.untyped_storage().data_ptr() for name, thing in things.items() if name.endswith(".grad")}
        return {name for name, thing in things.items() if own and self._begins(thing) in own}

    def _begins(self, thing: Any) -> int:
        return thing.untyped_storage().data_ptr() if self.side.is_tensor(thing) else np.asarray(thing).ctypes.data

    def _array(self, thing: Any) -> np.ndarray:
        return self.side.array(thing, copy=False) if self.side.is_tensor(thing) else np.asarray(thing)


class Asked(Held):
    """Asks PyTorch's tensors what :class:`Held` asks ours, and compares nothing: a view that was written to gets its node when asked."""

    def changed(self, space: dict[str, Any], line: str) -> str | None:
        super().changed(space, line)
        return None

    def _gradients(self, things: dict[str, Any]) -> Set[str]:
        return frozenset()

    def _array(self, thing: Any) -> np.ndarray:
        return _NOTHING


_NOTHING = np.zeros(0)
