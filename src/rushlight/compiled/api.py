"""``torch.compile`` and what reports on it."""

from __future__ import annotations

import functools
import time
import traceback
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .backends import builders
from .capture import trace as t
from .capture.recorder import NotUnderstood, Recorder
from .capture.watching import Watch, uncollected
from .function import Compiled

_all: weakref.WeakSet[Compiled] = weakref.WeakSet()


def compiled(function: Callable[..., Any], backend: Any, fullgraph: bool, limit: int | None = None) -> Callable[..., Any]:
    """A function like ``function`` that is captured as it runs, and replayed.

    ``limit``  for how many forms, at most; None: as many as ``torch._dynamo.config`` says
    """
    builds = builders(backend)
    if not builds:
        return function
    if isinstance(function, type) and any("__call__" in vars(base) for base in function.__mro__):
        return _with_compiled_calls(function, backend, fullgraph, limit)
    function = getattr(function, "_torchdynamo_orig_callable", function)  # of one that is compiled already
    whole = Compiled(function, builds, fullgraph, limit)
    _all.add(whole)

    def call(*args: Any, **kwargs: Any) -> Any:
        return whole(*args, **kwargs)

    if not hasattr(function, "__name__"):  # a module, or any other object that can be called
        call.__name__ = call.__qualname__ = type(function).__name__
        call.__doc__ = None
    else:
        functools.update_wrapper(call, function)
    call._torchdynamo_orig_callable = function  # type: ignore[attr-defined]
    call._compiled = whole  # type: ignore[attr-defined]
    return call


def _with_compiled_calls(kind: type, backend: Any, fullgraph: bool, limit: int | None) -> type:
    """A class, calls of whose instances are compiled from now on."""
    kind.__call__ = compiled(kind.__call__, backend, fullgraph, limit)  # type: ignore[method-assign]
    return kind


def reset() -> None:
    """Forgets all that was captured: functions begin anew."""
    for one in list(_all):
        one.reset()


@dataclass(frozen=True)
class BreakReason:
    """Why a function cannot be captured, and the line that is to blame, where one is.

    ``user_stack``  that line alone, as tracebacks have it
    """

    reason: str
    place: str = ""
    graph_break: bool = True

    @property
    def user_stack(self) -> list[traceback.FrameSummary]:
        file, _, line = self.place.rpartition(":")
        return [traceback.FrameSummary(file, int(line), "<module>")] if file else []

    def __str__(self) -> str:
        return f"{self.reason} ({self.place})" if self.place else self.reason


class Explanation:
    """What one run of a function told, or several runs of a compiled one.

    ``graph_count``, ``graph_break_count``, ``op_count``  how much was captured: a function whole, or not at all
    ``break_reasons``  why not
    ``graphs``         the trace
    ``out_guards``     what is looked at before each replay, a line each
    ``compile_times``  what capturing cost, in words
    """

    def __init__(
        self, trace: t.Trace, reason: NotUnderstood | None, report: str = "", guards: Sequence[str] = (), seconds: float = 0.0
    ) -> None:
        self.graph_count = int(reason is None)
        self.graph_break_count = int(reason is not None)
        self.break_reasons = [] if reason is None else [BreakReason(reason.reason, reason.place)]
        self.op_count = sum(isinstance(one, t.Apply) for one in trace.instructions)
        self.ops_per_graph = [[one.op for one in trace.instructions if isinstance(one, t.Apply)]]
        self.graphs = [trace] if reason is None else []
        self.report, self.out_guards = report, list(guards)
        self.compile_times = f"captured in {seconds * 1e3:,.1f} ms"

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
        ]
        lines += [f"Break Reason: {reason}" for reason in self.break_reasons]
        return "\n".join([*lines, self.report] if self.report else lines)


def explain(function: Callable[..., Any]) -> Callable[..., Explanation]:
    """``explain(f)(*args)`` runs ``f`` once and says what was captured, and what broke it; of a compiled one all it knows.

    >>> import rushlight as torch
    >>> print(torch._dynamo.explain(lambda x: (x * 2).sum())(torch.ones(2)))
    Graph Count: 1
    Graph Break Count: 0
    Op Count: 2
    """
    whole: Compiled | None = getattr(function, "_compiled", None)

    def explained(*args: Any, **kwargs: Any) -> Explanation:
        if whole is not None and whole.forms and not args and not kwargs:
            last = whole.forms[-1]
            return Explanation(last.first or t.Trace(), last.reason, whole.report(), last.guarded(), last.seconds)
        recorder = Recorder(None)
        asked = function if whole is None else whole.function
        began = time.perf_counter()
        uncollected(lambda: Watch(recorder).of(asked, *args, **kwargs))
        return Explanation(recorder.trace, recorder.failure, seconds=time.perf_counter() - began)

    return explained
