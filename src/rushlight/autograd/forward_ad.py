"""Forward mode: tensors that carry a tangent, and the levels in which they do.

Tangents live in levels, so that transforms can be nested; a user sees one level at a time, as in PyTorch.
"""

from __future__ import annotations

import itertools
import math
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..backend import numpy as backend
from ..base.arguments import type_name
from ..base.attributes import held
from ..base.strides import is_stretched
from ..base.thread_state import carried
from ..tensor import Tensor, new_tensor, wrap
from . import grad_mode, modes, overlaps
from .nodes import leaf_edge
from .tangents import state, tangent_at, tangents_of, with_tangent

_levels: Iterator[int] = itertools.count(1)
OTHER_SIZE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
    "Tensor is of size {} while the given forward gradient is of size {}."
)


class _State(threading.local):
    def __init__(self) -> None:
        self.user: list[int] = []  # the levels opened by dual_level


_state = carried(_State())


class UnpackedDualTensor(NamedTuple):
    """A dual tensor's two parts; the tangent is None if there is none."""

    primal: Any
    tangent: Any


# Levels. Ops look at tangents while one is open.


@contextmanager
def opened() -> Iterator[int]:
    """An innermost level for the length of a block."""
    level = next(_levels)
    before, inside = (state.levels, state.mark, modes.state.forward_levels), [*state.levels, level]
    try:
        _open(inside)
        yield level
    finally:
        if state.levels is inside:  # no call here: an interrupt comes behind one
            state.levels, state.mark, modes.state.forward_levels = before
        else:
            close_level(level)


def open_level() -> int:
    """Opens an innermost level."""
    level = next(_levels)
    _open([*state.levels, level])
    return level


def close_level(level: int) -> None:
    _open([each for each in state.levels if each != level])


def _open(levels: list[int]) -> None:
    """Has these levels be open, and no others."""
    mark = modes.marked(state.mark, levels)
    state.levels, state.mark, modes.state.forward_levels = levels, mark, len(levels)


def enter_dual_level() -> int:
    """Opens the level that :func:`make_dual` uses, and returns its number. There is one at a time: RuntimeError for a second.

    >>> from rushlight.autograd import forward_ad
    >>> forward_ad.enter_dual_level()
    0
    >>> forward_ad.exit_dual_level()
    """
    return dual_level().__enter__()


def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the level: tensors made in it have no tangent any more. RuntimeError where none is open.

    See :func:`enter_dual_level`; ``with dual_level():`` does both.

    >>> from rushlight.autograd import forward_ad
    >>> level = forward_ad.enter_dual_level()
    >>> forward_ad.exit_dual_level(level=level)
    """
    if not _state.user:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
            if level is not None
            else "Trying to exit a forward AD level but no level is currently active."
        )
    close_level(_state.user[-1])
    _state.user = []


class dual_level(grad_mode.ContextDecorator):
    """Within it, :func:`make_dual` gives tensors tangents, and every op passes them on.

    >>> import rushlight as torch
    >>> import rushlight.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor([2., 0.])
    """

    def __enter__(self) -> int:
        if _state.user:
            raise RuntimeError("Nested forward mode AD is not supported at the moment")
        user = [next(_levels)]
        levels, mark = [*state.levels, *user], modes.marked(state.mark, True)
        _state.user, state.levels, state.mark, modes.state.forward_levels = user, levels, mark, len(levels)
        return 0

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        if not _state.user or state.levels[-1:] != _state.user:  # others were opened in it and are open yet
            exit_dual_level()
            return
        levels = state.levels[:-1]
        mark = state.mark if levels else None
        _state.user, state.levels, state.mark, modes.state.forward_levels = [], levels, mark, modes.state.forward_levels - 1


class _set_fwd_grad_enabled(grad_mode.ContextDecorator):
    """Switches the passing on of tangents off, or on again."""

    def __init__(self, mode: bool) -> None:
        self.prev, modes.state.forward_enabled = modes.state.forward_enabled, mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        modes.state.forward_enabled = self.prev


def _is_fwd_grad_enabled() -> bool:
    return modes.state.forward_enabled


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # of the user's levels; -1 outside
        return len(_state.user) - 1
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Tangents of tensors.


def without_tangent(tensor: Tensor, level: int) -> Tensor:
    """The same tensor, in the graph too, without its tangent in a level."""
    if tangent_at(tensor, level) is None:
        return tensor
    if tensor._of_batch:
        rest = {key: value for key, value in (tensor.own_tangents or {}).items() if key != level}
        return tensor._with_whole(without_tangent(tensor.whole, level), rest or None)
    result = new_tensor(tensor._array)
    held(result).update(held(tensor))
    if tensor._needs_grad and tensor._edge is None:
        result._edge = leaf_edge(tensor)
    rest = {key: value for key, value in (tensor._tangents or {}).items() if key != level}
    result._tangents = rest
    held(result)["_given"] = weakref.ref(tensor)  # whose maker errors are to name
    return result


def forget_tangent(tensor: Tensor, level: int) -> None:
    """Takes the tangent in a level from a tensor, which would keep it alive."""
    while tensor._of_batch:
        if tensor.own_tangents:
            tensor.own_tangents = {key: value for key, value in tensor.own_tangents.items() if key != level}
        tensor = tensor.whole
    if tensor._tangents is not None:
        tensor._tangents = {key: value for key, value in tensor._tangents.items() if key != level}


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent`` (of its shape and dtype) in the open level.

    RuntimeError outside of a level, or where shapes differ; ValueError for integers.

    >>> import rushlight as torch
    >>> from rushlight.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     dual = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    ...     forward_ad.unpack_dual(dual * dual).tangent
    tensor([2., 0.])
    """
    if not _state.user:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    expect_inexact("primal", tensor)
    expect_inexact("tangent", tangent)
    if tensor._array.shape == tangent._array.shape and tangent_at(tangent, _state.user[-1]) is None:
        tangent = laid_like(tensor, tangent)
    return dual(tensor, tangent, _state.user[-1])


def laid_like(primal: Tensor, tangent: Tensor) -> Tensor:
    """A tangent that lies in memory as its primal does, so that what is a view of the one can be of the other: the given one,
    or a copy."""
    a, b = primal._array, tangent._array
    if a.shape != b.shape:
        return tangent  # for the error that follows
    if isinstance(a, np.ndarray) and tangent._of_batch:  # an example of a batch
        if is_stretched(a):
            raise overlaps.overlap_error()
        return tangent if primal.stride() == tangent.stride() else tangent.clone()
    if primal._of_batch:
        return _laid_like_in_batch(primal, tangent)
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return tangent
    same_bits = (primal._conjugate, primal._negated) == (tangent._conjugate, tangent._negated)
    if same_bits and a.base is None is b.base and a.flags.c_contiguous and b.flags.c_contiguous:
        return tangent  # each is all of a memory of its own
    alike = same_bits and (
        not a.size or (all(x == y or n == 1 for n, x, y in zip(a.shape, primal.stride(), tangent.stride(), strict=True))
                       and primal.storage_offset() == tangent.storage_offset())
    )  # fmt: skip
    count = backend.root(a).nbytes // a.itemsize
    if alike and count == backend.root(b).nbytes // b.itemsize:
        return tangent
    if primal._conjugate:
        return tangent.conj().resolve_conj().conj()
    laid = zeros_laid_like(primal, a.dtype)
    if not (tangent.requires_grad and overlaps.overlaps_itself(laid._array)):
        return laid.copy_(tangent)
    laid.copy_(tangent.detach())
    copied: Tensor = tangent.to(
        primal.dtype, copy=True
    )  # each of its elements has its gradient, also where one is written over
    copied._array = laid._array
    return copied


def _laid_like_in_batch(primal: Tensor, tangent: Tensor) -> Tensor:
    """The same of the batches behind examples, whose views share memory with these."""
    of, given = held(primal), held(tangent)
    of_same = tangent._of_batch and not given.get("shared") and given["level"] is of["level"]
    if of.get("shared") or type(of["whole"]) is not Tensor or (tangent._of_batch and not of_same):
        return tangent
    whole = given["whole"] if of_same else tangent.expand(of["whole"].shape)
    laid = laid_like(of["whole"], whole)
    return tangent if of_same and laid is whole else primal._rewrapped(laid)  # type: ignore[attr-defined, no-any-return]


def zeros_laid_like(tensor: Tensor, dtype: np.dtype[Any], batch: tuple[int, ...] = ()) -> Tensor:
    """Zeros that lie in as much memory as a tensor does, in the same way; with ``batch`` dimensions in front, one such memory
    for each."""
    array = tensor._array
    whole = backend.root(array).nbytes // array.itemsize
    steps = [whole * math.prod(batch[place + 1 :]) for place in range(len(batch))]
    zeros: Any = wrap(np.zeros(whole * math.prod(batch), dtype))
    return zeros.as_strided((*batch, *array.shape), (*steps, *tensor.stride()), tensor.storage_offset())


def expect_inexact(label: str, tensor: Tensor) -> None:
    """ValueError for whole numbers and bools, which have no tangents and are none."""
    if tensor._array.dtype.kind not in "fcVW":
        raise ValueError(f"Expected {label} to be floating point or complex, but got: {tensor.dtype}")


def dual(tensor: Tensor, tangent: Tensor, level: int, alias: bool = False) -> Tensor:
    """A view of ``tensor`` with a tangent in a level.

    ``alias``  its node is that of an alias, as in transforms, and not of a ``view_as``
    """
    expect_inexact("primal", tensor)
    expect_inexact("tangent", tangent)
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(OTHER_SIZE.format(list(tensor._array.shape), list(tangent._array.shape)))
    if tangent_at(tangent, level) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not supported.")
    if tangent_at(tensor, level) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    # A class that takes over the ops below autograd sees an alias being made.
    alias = alias or hasattr(type(tensor), "__torch_dispatch__")
    return with_tangent(tensor._alias() if alias else tensor.view_as(tensor), tangent, level)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A tensor without its tangent (``primal``), and the ``tangent``: None where it has none, or outside of a level.

    >>> import rushlight as torch
    >>> from rushlight.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     primal, tangent = forward_ad.unpack_dual(torch.ones(2))
    >>> tangent is None
    True
    """
    if (level is not None and level < 0) or (level is None and not _state.user):
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type_name(tensor)}")
    if not _state.user:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(without_tangent(tensor, _state.user[-1]), tangent_at(tensor, _state.user[-1]))


def shown_tangent(tensor: Tensor) -> Any:
    """The tangent that the repr of a tensor shows: that of the user's open level."""
    return tangent_at(tensor, _state.user[-1]) if _state.user else None


def as_leaf(tensor: Tensor) -> Tensor:
    """The same values as a leaf that needs a gradient, with the tangents that it has in other levels."""
    if tensor._of_batch:
        return tensor._as_leaf(as_leaf)
    leaf = tensor.detach()
    leaf._needs_grad, leaf._tangents = True, tangents_of(tensor) or {}  # not what its base has
    return leaf
