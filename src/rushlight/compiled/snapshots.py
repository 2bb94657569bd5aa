"""What a step may change, kept and put back: so that a replay can be tried on the very numbers that the program just ran on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..random import Generator, default_generator
from ..tensor import Tensor
from .trees import NEAR, equal, greatest

# How much of a step an unknown part of a gradient may make, for each time that it goes into the gradient: of Adam's m / sqrt(v), with
# PyTorch's betas, (1 - .9) / sqrt(1 - .999) = 3.2 and as much again of v; several steps in one call, and room.
AMPLIFIED = 32.0


def _bytes(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


class State:
    """The numbers of tensors, their gradients and versions, of generators and of what is called as it stands."""

    def __init__(self, tensors: Iterable[Tensor], live: Iterable[Any], generators: Iterable[Generator]) -> None:
        self.live = list(live)
        self.given = list(tensors)
        self.tensors = list(self.given)
        for one in self.live:
            self.tensors += [value for value in _state_tensors(one) if not any(value is other for other in self.tensors)]
        self.moments = [value for one in self.live for value in _state_tensors(one)]  # sums of gradients, and of their squares
        self.moved = [value for one in self.live for group in getattr(one, "param_groups", ()) for value in group["params"]]
        self.arrays = [tensor._array.copy() for tensor in self.tensors]
        self.versions = [(tensor._counter, tensor._counter[0]) for tensor in self.tensors]
        self.grads = [tensor._grad for tensor in self.tensors]
        self.grad_arrays = [None if grad is None else (grad._array.copy(), grad._counter[0]) for grad in self.grads]
        self.generators = list({id(one): one for one in (*generators, default_generator)}.values())
        self.drawn = [generator.get_state() for generator in self.generators]
        self.fields = [_fields(one) for one in self.live]

    def put_back(self) -> None:
        """Makes all as it was."""
        for tensor, array in zip(self.tensors, self.arrays, strict=True):
            np.copyto(tensor._array, array)
        for counter, version in self.versions:
            counter[0] = version
        for tensor, grad, kept in zip(self.tensors, self.grads, self.grad_arrays, strict=True):
            tensor._grad = grad
            if grad is not None and kept is not None:
                np.copyto(grad._array, kept[0])
                grad._counter[0] = kept[1]
        for generator, state in zip(self.generators, self.drawn, strict=True):
            generator.set_state(state)
        for one, fields in zip(self.live, self.fields, strict=True):
            _set_fields(one, fields)

    def same_as(self, other: State, before: State, exact: bool) -> str | None:
        """What differs between two states of the same things, both come from ``before``; None where nothing does."""
        if len(self.tensors) != len(other.tensors):
            return "the number of tensors"
        grads = [] if exact else [one[0] for one in other.grad_arrays if one is not None and one[0].dtype.kind in "fc"]
        scale = max(map(greatest, grads), default=0.0)  # what one gradient is short of comes of numbers as large as others
        for index, tensor in enumerate(self.tensors):
            if other.tensors[index] is not tensor:
                return "a tensor of an optimizer's state"
            near = scale if any(tensor is one for one in self.moments) else 0.0
            if not equal(self.arrays[index], other.arrays[index], exact, near) and (
                exact or not self._is_a_step(index, other, before, scale)
            ):
                return f"a tensor of shape {list(self.arrays[index].shape)}"
            if int(self.versions[index][1]) != int(
                other.versions[index][1]
            ):  # the fraction is of tensors that are not made here
                return "a version"
            mine, its = self.grads[index], other.grads[index]
            if (mine is None) != (its is None):
                return "a .grad"
            if index < len(before.grads) and (mine is before.grads[index]) != (its is before.grads[index]):
                return "which .grad is added to"
            if mine is not None:
                (array, version), (one, number) = self.grad_arrays[index], other.grad_arrays[index]  # type: ignore[misc]
                if not equal(array, one, exact, scale):
                    return f"the .grad of a tensor of shape {list(array.shape)}"
                if version != number or array.strides != one.strides:
                    return "the version or the layout of a .grad"
        if any(_bytes(one._array) != _bytes(two._array) for one, two in zip(self.drawn, other.drawn, strict=True)):
            return "a generator of random numbers"
        return None

    def _is_a_step(self, index: int, other: State, before: State, scale: float) -> bool:
        """Whether a tensor that an optimizer moves has been moved as far as rounding can tell.

        What rounding leaves unknown of a gradient, ``NEAR`` of the largest, an optimizer that divides gradients by their size (Adam)
        makes that much larger as the gradient is small: where it is but rounding itself, a whole step in either direction. An
        element may differ by a step (the largest in its tensor) times ``AMPLIFIED`` of what is unknown over its gradient; without
        gradients, over what the optimizer keeps of them.
        """
        if index >= len(before.arrays) or not any(self.tensors[index] is one for one in self.moved):
            return False
        mine, its, start = self.arrays[index], other.arrays[index], before.arrays[index]
        if mine.shape != its.shape or mine.dtype.kind != "f":
            return False
        kept = other.grad_arrays[index]
        known = kept[0] if kept is not None else self._kept_of(self.tensors[index], other)
        if known is None or known.dtype.kind != "f":
            return False
        size = np.abs(known)
        unknown = NEAR * max(scale, greatest(known))
        part = np.where(size * 2 <= AMPLIFIED * unknown, 2.0, AMPLIFIED * unknown / np.maximum(size, np.finfo(size.dtype).tiny))
        step = np.abs(its - start).max(initial=0.0)
        return bool((np.abs(mine - its) <= NEAR * np.abs(its) + part * (1 + NEAR) * step).all())

    def _kept_of(self, tensor: Tensor, other: State) -> Any:
        """The first thing of a tensor's shape that an optimizer keeps of it: a mean of gradients, or of their squares."""
        for one in self.live:
            state = getattr(one, "state", {}).get(tensor, {})
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, Tensor) and value._array.shape == tensor._array.shape:
                    return next(array for mine, array in zip(other.tensors, other.arrays, strict=True) if mine is value)
        return None


def _state_tensors(one: Any) -> list[Tensor]:
    found = []
    for state in getattr(one, "state", {}).values():
        if isinstance(state, dict):
            found += [value for value in state.values() if isinstance(value, Tensor)]
    return found


def _fields(one: Any) -> Any:
    groups = [dict(group) for group in getattr(one, "param_groups", ())]
    states = {key: dict(value) for key, value in getattr(one, "state", {}).items() if isinstance(value, dict)}
    return dict(vars(one)), groups, states


def _set_fields(one: Any, fields: Any) -> None:
    own, groups, states = fields
    vars(one).clear()
    vars(one).update(own)
    for group, before in zip(getattr(one, "param_groups", ()), groups, strict=True):
        group.clear()
        group.update(before)
    for key, before in states.items():
        state = one.state[key]
        state.clear()
        state.update(before)
