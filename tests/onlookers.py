"""Who looks on while the package runs, and keeps what it sees: under a tracer or a profiler, in several ways of holding."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np

from rushlight.backend import ownership

INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(ownership.__file__))) + os.sep
STEPS = os.path.join(INSIDE, "optim", "")  # which gather gradients in memory of their own, again at each step


class Watcher:
    """Keeps the cotangents that the package's frames have when something is called, and what they were then."""

    def __init__(self, keep: Callable[[Any], Any]) -> None:
        self.keep = keep
        self.kept: list[tuple[Any, np.ndarray]] = []

    def __call__(self, frame: Any, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith((INSIDE, "<rushlight")) and not file.startswith(STEPS):
            g = frame.f_locals.get("g")
            if g.__class__ is np.ndarray:
                before = g.copy()
                self.kept.append((self.keep((g, frame)), before))
            del g
        return self

    def changed(self) -> int:
        """Of how many of the arrays that are still there the numbers are others now."""
        count = 0
        for held, before in self.kept:
            array = held()
            count += array is not None and array.tobytes() != before.tobytes()  # nan too
        return count


def strongly(held: tuple[Any, Any]) -> Any:
    g = held[0]
    return lambda: g


def by_the_frame(held: tuple[Any, Any]) -> Any:
    frame = held[1]
    g = weakref.ref(held[0])
    return lambda: g() if frame is not None else None


def weakly(held: tuple[Any, Any]) -> Any:
    return weakref.ref(held[0])


class OtherThread:
    """Whose frame is all that holds what it is given."""

    def __init__(self) -> None:
        self.asked: SimpleQueue[Any] = SimpleQueue()
        self.answers: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        held = []
        while True:
            number, one = self.asked.get()
            if number is None:
                held.append(one)
                self.answers.put(len(held) - 1)
            else:
                self.answers.put(held[number])
            del one

    def __call__(self, held: tuple[Any, Any]) -> Any:
        self.asked.put((None, held[0]))
        number = self.answers.get()

        def ask() -> Any:
            self.asked.put((number, None))
            return self.answers.get()

        return ask


@contextmanager
def traced(watcher: Watcher) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(watcher)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def profiled(watcher: Watcher) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(watcher)
    try:
        yield
    finally:
        sys.setprofile(before)
