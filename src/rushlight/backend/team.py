"""Elementwise work on arrays too large for the caches, shared out to a team of threads.

Each thread takes the same part of every array, so that what one step has written lies in the cache of the processor that
reads it in the next. A part is one or a few NumPy calls, which release the lock: with a loop in it the lock would go
round at every call (measured, the slope of tanh in blocks at 4,000,000 floats on four threads: slower than on one).
A thread takes 30 us to wake, so smaller arrays are left to the caller.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from operator import itemgetter
from queue import SimpleQueue
from typing import Any

import numpy as np

from . import threads
from .interrupts import held
from .numpy import Array

LARGE, _SHARE = 3 << 20, 1 << 20  # bytes: of all, and of one thread at least
_TOGETHER = 1 << 10  # elements that are not parted: a line of the cache is written by one thread only
_Finished = SimpleQueue[tuple[int, Any, BaseException | None]]
_Task = tuple[int, Callable[..., Any], Sequence[Array], _Finished]


class _Team:
    """The threads beside the caller, made when first needed and again after a fork; one caller at a time has them."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.lock = threading.Lock()
        self.tasks: list[SimpleQueue[_Task]] = []

    def grown(self, count: int) -> list[SimpleQueue[_Task]]:
        while len(self.tasks) < count:
            tasks: SimpleQueue[_Task] = SimpleQueue()
            threading.Thread(target=_serve, args=(tasks,), name="rushlight", daemon=True).start()
            self.tasks.append(tasks)
        return self.tasks[:count]


def _serve(tasks: SimpleQueue[_Task]) -> None:
    with np.errstate(all="ignore"):
        while True:
            number, work, parts, finished = tasks.get()
            result = failure = None
            try:
                result = work(*parts)
            except BaseException as error:
                failure = error
            finished.put((number, result, failure))
            del work, parts, finished, result, failure  # or their arrays would live until the next task


_team = _Team()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_team.forget)


def size(line: Array) -> int:
    """How many threads share work on such a vector."""
    return max(1, min(threads.limit(), line.nbytes // _SHARE))


def run(work: Callable[..., Any], *lines: Array) -> list[Any] | None:
    """What ``work`` returns of each thread's part of vectors of one length; None, and nothing done, if the team is not free."""
    count = size(lines[0])
    return None if count < 2 else held(_run, work, lines, count)


def _run(work: Callable[..., Any], lines: Sequence[Array], count: int) -> list[Any] | None:
    if not _team.lock.acquire(blocking=False):
        return None
    try:
        finished: _Finished = SimpleQueue()
        own, *others = parts(lines, count)
        for number, (tasks, part) in enumerate(zip(_team.grown(len(others)), others, strict=True)):
            tasks.put((number, work, part, finished))
        try:
            with np.errstate(all="ignore"):
                first = work(*own)
        finally:
            rest = sorted([finished.get() for _ in others], key=itemgetter(0))
        for _, _, failure in rest:
            if failure is not None:
                raise failure
    finally:
        _team.lock.release()
    return [first, *(result for _, result, _ in rest)]


def parts(lines: Sequence[Array], count: int) -> list[list[Array]]:
    """At most so many parts of each of the vectors."""
    length = len(lines[0])
    each = -(-length // (count * _TOGETHER)) * _TOGETHER
    return [[line[start : start + each] for line in lines] for start in range(0, length, each)]
