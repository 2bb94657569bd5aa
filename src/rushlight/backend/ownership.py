"""Whether memory may be kept as it is: the one place that counts references.

An array that only the engine's own frames refer to is nobody else's. How many references these are is not the same in all
interpreters, so each way by which an array comes to who asks is gone once, at the import, with an array that nobody else
can have. A debugger, a held frame, a profiler or another thread that has the array adds to the count, and so does whoever made a
weak reference. Where counts say nothing (no CPython, or one without its lock) memory counts as somebody else's: it is copied.
"""

from __future__ import annotations

import _thread
import sys
from collections.abc import Callable
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any
from weakref import getweakrefcount

import numpy as np

from .numpy import Array


def is_only_here(value: Any, way: int) -> bool:
    """Whether only the frames of one way refer to ``value``, and, of an array, only they see its memory.

    ``way``  how it came to the caller: one of the constants at the end
    """
    if sys.getrefcount(value) > way or getweakrefcount(value):
        return False
    return value.__class__ is not np.ndarray or value.base is None or has_own_memory(value)


def references(value: object) -> int | None:
    """How many there are to ``value``, to compare with another count; None where counts say nothing."""
    return sys.getrefcount(value) if BY_NAME else None


def has_own_memory(array: Array) -> bool:
    """Whether no other array shows this one's memory: it owns it, or is the one view, all in order, of an array that nobody holds.

    Who holds ``array`` itself is for the caller to know.
    """
    base = array.base
    if base is None:
        return True
    if base.__class__ is not np.ndarray or base.base is not None or base.nbytes != array.nbytes:
        return False
    flags = array.flags
    return flags.c_contiguous and flags.writeable and is_only_here(base, BY_VIEW)


# The ways. Each is gone with a number and says whether that is enough for something new.


def _by_name(number: int) -> bool:
    value = np.empty(1)
    return is_only_here(value, number)


def _by_attribute(number: int) -> bool:
    owner = SimpleNamespace(value=[0])
    return is_only_here(owner.value, number)


def _by_view(number: int) -> bool:
    array = np.empty(1)[:]
    base = array.base
    return is_only_here(base, number)


def _by_pass(number: int) -> bool:
    def finish(g: Array) -> bool:
        return accumulate(g)

    def accumulate(g: Array) -> bool:
        return is_only_here(g, number)

    return finish([np.empty(1)].pop())


def _by_replay(number: int) -> bool:
    def accumulate(g: Array) -> bool:
        return is_only_here(g, number)

    return accumulate([np.empty(1)].pop())


def _by_profiled_pass(number: int) -> bool:
    def finish(g: Array) -> bool:
        return profiled(g)

    def profiled(g: Array) -> bool:
        holder = [g]
        del g
        return accumulate(holder.pop())

    def accumulate(g: Array) -> bool:
        return is_only_here(g, number)

    return finish([np.empty(1)].pop())


_WAYS: tuple[Callable[[int], bool], ...] = (_by_name, _by_attribute, _by_view, _by_pass, _by_profiled_pass, _by_replay)
_NEVER = [0] * len(_WAYS)


def _least() -> list[int]:
    """The least number that is enough, for each way."""
    return [next((number for number in range(1, 20) if way(number)), 0) for way in _WAYS]


def _numbers() -> list[int]:
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return _NEVER
    if sys.gettrace() is None and sys.getprofile() is None:
        return _least()
    # Who looks on may hold what is in the frames, and be gone later: a thread that the interpreter starts has nobody who does.
    found: SimpleQueue[list[int]] = SimpleQueue()
    try:
        _thread.start_new_thread(lambda: found.put(_least()), ())
    except RuntimeError:  # no threads
        return _NEVER
    return found.get()


BY_NAME, BY_ATTRIBUTE, BY_VIEW, BY_PASS, BY_PROFILED_PASS, BY_REPLAY = _numbers()
"""Held by one name of the caller, an attribute, one view; handed to :meth:`engine.BackwardPass.accumulate`
by a pass, by one that looks on, by a replay."""
