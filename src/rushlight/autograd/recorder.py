"""What a profiler keeps while a program runs: spans of time, each within another.

A :class:`Recorder` belongs to the thread that started it, as ``modes.state.recorder``. Whoever does something worth a line
in the profile opens a span before and closes it afterwards; nobody looks for a recorder while no profiler is on.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..base.arguments import ROOT
from .modes import state
from .nodes import coming_number

if TYPE_CHECKING:
    import numpy as np

# Where an event comes from, by PyTorch's numbers.
FUNCTION, BACKWARD, USER = 0, 1, 7


class Span:
    """One event: a name and two times in nanoseconds; ``parent`` is the span around it."""

    __slots__ = (
        "args",
        "concrete",
        "end",
        "first",
        "flops",
        "forward_thread",
        "memory",
        "name",
        "parent",
        "scope",
        "sequence",
        "shapes",
        "stack",
        "start",
        "thread",
    )

    def __init__(self, name: str, parent: Span | None, scope: int, sequence: int) -> None:
        self.name, self.parent, self.scope, self.sequence = name, parent, scope, sequence
        self.start = self.end = 0
        self.memory = 0  # bytes that were allocated in it, less those freed; without the spans within
        self.flops = 0
        self.forward_thread = 0
        self.shapes: list[Any] = []
        self.concrete: list[Any] = []
        self.stack: list[str] = []
        self.first = True  # nothing was opened within it yet


class Recorder:
    """The spans of one profile.

    ``shapes``  keeps the shapes of inputs   ``memory``  counts what results take   ``stacks``  keeps the lines of the program
    ``flops``   counts arithmetic of products
    """

    def __init__(self, shapes: bool = False, memory: bool = False, stacks: bool = False, flops: bool = False) -> None:
        self.with_shapes, self.with_memory, self.with_stacks, self.with_flops = shapes, memory, stacks, flops
        self.spans: list[Span] = []
        self.top: Span | None = None  # the innermost that is open
        self.freed: list[tuple[int, int]] = []  # outside of all spans: when, and how many bytes
        self.passing = False  # a span was just opened for a custom Function, on its way back
        self.alive: dict[int, Any] = {}  # memory counted and not freed yet, by the identity of the array that owns it
        self.thread = threading.get_native_id()

    def open(self, name: str, scope: int = FUNCTION, sequence: int = -1) -> Span:
        parent = self.top
        if parent is not None:
            parent.first = False
        self.top = span = Span(name, parent, scope, sequence)
        self.spans.append(span)
        if self.with_stacks:
            span.stack = lines_of(sys._getframe(1))
        span.start = perf_counter_ns()
        return span

    def close(self, span: Span) -> None:
        """Ends a span, and what is still open within it."""
        now = perf_counter_ns()
        inner = self.top
        while inner is not None and inner is not span:
            inner = inner.parent
        if inner is None:  # closed out of turn: record_function blocks may overlap
            span.end = now
            return
        while self.top is not span:
            assert self.top is not None
            self.top.end = self.top.end or now
            self.top = self.top.parent
        span.end = span.end or now
        self.top = span.parent

    @contextmanager
    def span(self, name: str, scope: int = FUNCTION, sequence: int = -1) -> Iterator[Span]:
        opened = self.open(name, scope, sequence)
        try:
            yield opened
        finally:
            self.close(opened)

    def finish(self) -> None:
        """Ends everything that is open."""
        now = perf_counter_ns()
        for span in self.spans:
            span.end = span.end or now
        self.top = None
        self.alive.clear()

    # Memory.

    def allocated(self, array: np.ndarray[Any, Any]) -> None:
        """Counts the array that owns new memory, once."""
        if not self.with_memory or id(array) in self.alive or not array.nbytes:
            return
        size, key = array.nbytes, id(array)
        own = weakref.ref(self)

        def freed(_: Any) -> None:
            recorder = own()
            if recorder is not None:
                recorder.released(key, size)

        self.alive[key] = weakref.ref(array, freed)
        if self.top is not None:
            self.top.memory += size
        else:
            self.freed.append((perf_counter_ns(), size))

    def released(self, key: int, size: int) -> None:
        if self.alive.pop(key, None) is None:
            return
        if self.top is not None:
            self.top.memory -= size
        else:
            self.freed.append((perf_counter_ns(), -size))


def coming_sequence() -> int:
    """The sequence number that the next node will have; -1 where nothing is recorded."""
    if not state.grad_enabled:
        return -1
    return coming_number()


def lines_of(frame: Any) -> list[str]:
    """``file(line): function`` of the program's frames, the innermost first."""
    lines = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename == ROOT + "__main__.py":  # what lies outside started the program
            break
        if not code.co_filename.startswith((ROOT, "<rushlight")):
            lines.append(f"{shortened(code.co_filename)}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return lines


@functools.cache
def shortened(path: str) -> str:
    """A file's path as seen from the directories that modules are imported from."""
    for place in sys.path:
        if place and path.startswith(place.rstrip(os.sep) + os.sep):
            return path[len(place.rstrip(os.sep)) + 1 :]
    return path


class record_function(ContextDecorator):
    """Gives what runs in a block, or in a function, a line of its own in the profile.

    ``args``  a note that is kept with it

    >>> import rushlight as torch
    >>> from rushlight.autograd.profiler import profile, record_function
    >>> @record_function("model")
    ... def model(x):
    ...     return x.exp()
    >>> x = torch.ones(2)
    >>> with profile() as prof:
    ...     with record_function("loss"):
    ...         _ = model(x).sum()
    >>> for event in prof.function_events:
    ...     print(event.name, "in", event.cpu_parent and event.cpu_parent.name)
    loss in None
    model in loss
    aten::exp in model
    aten::sum in loss
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self.run_callbacks_on_exit = True
        self.records: list[tuple[Recorder, Span]] = []  # a decorated function may call itself

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead found "
                f"type '{type(self.name).__name__}'."
            )
        recorder = state.recorder
        if recorder is not None:
            span = recorder.open(self.name, USER)
            if self.args is not None and recorder.with_shapes:
                span.shapes = [[]]
            self.records.append((recorder, span))
        return self

    def __exit__(self, kind: Any, error: Any, tb: Any) -> None:
        if self.run_callbacks_on_exit and self.records:
            recorder, span = self.records.pop()
            recorder.close(span)

    def _call_end_callbacks_on_future(self, fut: Any) -> Any:
        """Ends the event when a future is done, instead of at the end of the block."""
        if not self.run_callbacks_on_exit:
            raise RuntimeError("_call_end_callbacks_on_future can only be called once.")
        self.run_callbacks_on_exit = False
        records, self.records = self.records, []

        def done(finished: Any) -> Any:
            for recorder, span in records:
                recorder.close(span)
            return finished.value()

        return fut.then(done)


def _record_function_with_args_enter(name: str, *args: Any) -> Any:
    """Begins an event with the shapes of ``args``; what is returned ends it."""
    recorder = state.recorder
    if recorder is None:
        return None
    span = recorder.open(name, USER)
    if recorder.with_shapes:
        span.shapes = [list(arg.shape) if hasattr(arg, "_array") else [] for arg in args]
    return recorder, span


def _record_function_with_args_exit(handle: Any) -> None:
    """Ends what :func:`_record_function_with_args_enter` began."""
    if handle is not None:
        handle[0].close(handle[1])
