"""Tangents: which a tensor carries, in which levels, and how they follow writes into its memory. Forward mode builds on it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import numpy as backend
from ..base.thread_state import carried
from ..tensor import Tensor, wrap
from . import overlaps

if TYPE_CHECKING:
    from .modes import Mark


class _State(threading.local):
    def __init__(self) -> None:
        self.levels: list[int] = []  # that are open in this thread, the innermost last
        self.absent_count = True  # whether results hang on what tangents that are absent are multiplied by
        self.mark: Mark | None = None


state = carried(_State())


def tangent_at(tensor: Any, level: int) -> Any:
    """The tangent of a tensor in a level, or None.

    A view without tangents of its own has what its base got since it was made: a write into the base is one into the view.
    """
    if tensor._of_batch:
        if tensor.own_tangents and level in tensor.own_tangents:
            return tensor.own_tangents[level]
        found = tangent_at(tensor.whole, level)
        return None if found is None else tensor._rewrapped(found)
    tangents = tensor._tangents
    if tangents is not None:
        return tangents.get(level)
    base = tensor._base
    if base is None or base is tensor or base._tangents is None:
        return None
    whole = base._tangents.get(level)
    if whole is None or whole._array.dtype != tensor._array.dtype:
        return None
    shape, strides, offset, own, dtype = overlaps.geometry(base, tensor)
    indices = overlaps.like_base(
        np.arange(base._array.size).reshape(base._array.shape), tuple(step * 8 // dtype.itemsize for step in own)
    )
    index = backend.strided(indices, shape, tuple(step * 8 // dtype.itemsize for step in strides), offset * 8 // dtype.itemsize)
    return whole.take(wrap(np.ascontiguousarray(index)))


def held_by(tensor: Tensor) -> dict[int, Tensor] | None:
    """The tangents of a tensor, of a view without any those of its base, by the level."""
    return tensor._base._tangents if tensor._tangents is None and tensor._base is not None else tensor._tangents


def tangents_of(tensor: Tensor) -> dict[int, Tensor] | None:
    """All tangents of a tensor in open levels, those that it has from its base too."""
    found = {level: tangent_at(tensor, level) for level in state.levels}
    return {level: tangent for level, tangent in found.items() if tangent is not None} or None


def copied(tensor: Tensor) -> dict[int, Tensor] | None:
    """The tangents of a tensor that is about to be written to, for what keeps it as it was: they are written to as well."""
    found = tangents_of(tensor) if state.levels and tensor._base is not None else tensor._tangents
    return found and {level: tangent.clone() for level, tangent in found.items()}


def with_tangent(tensor: Tensor, tangent: Tensor, level: int) -> Tensor:
    """Gives a tensor a tangent; returns the tensor."""
    tensor._tangents = {**(tensor._tangents or {}), level: tangent}
    return tensor


def write_tangent(self: Tensor, result: Tensor) -> None:
    """After an in-place op: the tangents of the result become those of what was written to, and of the base beneath."""
    for level in state.levels:
        tangent = tangent_at(result, level)
        have = (self._tangents or {}).get(level)
        if tangent is None and have is None:
            continue
        if tangent is None:
            tangent = wrap(np.zeros(self._array.shape, self._array.dtype))
        base = self._base
        if have is not None and tangent._of_batch and not have._of_batch:
            have = None  # one tangent for all examples of a batch, where each is to have its own
        if have is None and base is not None:
            whole = tangent_at(base, level)
            if whole is None and base.shape == self.shape and base.stride() == self.stride():
                have = tangent.clone()  # one tangent for both
                with_tangent(base, have, level)
                with_tangent(self, have, level)
                continue
            if whole is None:
                is_batch = tangent._of_batch
                whole = tangent.new_zeros(base._array.shape) if is_batch else wrap(np.zeros_like(base._array))
                with_tangent(base, whole, level)
            elif tangent._of_batch and not whole._of_batch:
                whole = tangent.new_zeros(base._array.shape) + whole
                with_tangent(base, whole, level)
            shape, strides, offset, _, dtype = overlaps.geometry(base, self)
            size = dtype.itemsize
            have = whole.as_strided(shape, [step // size for step in strides], offset // size)
            with_tangent(self, have, level)
        if have is None:
            with_tangent(self, tangent.clone(), level)
        else:
            have.copy_(tangent)
