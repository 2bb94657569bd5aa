"""``torch.compile`` and what reports on it."""

from __future__ import annotations

import functools
import importlib.util
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .capture import trace as t
from .capture.recorder import NotUnderstood, Recorder
from .capture.watching import Watch
from .function import Compiled, told
from .replay.program import Program
from .xla.program import XlaProgram, needed

# PyTorch's names for compilers of its own, which stand for the default here.
OF_PYTORCH = frozenset("inductor aot_eager aot_eager_decomp_partition aot_ts cudagraphs onnxrt tvm".split())
OWN = ("eager", "replay", "xla")
_all: weakref.WeakSet[Compiled] = weakref.WeakSet()


def builders(backend: Any) -> tuple[Any, ...]:
    """What makes of a trace what runs it, in several ways maybe; none for a function that is to run as it is.

    RuntimeError for a name that no compiler has.
    """
    if backend == "replay":
        return (Program,)
    if backend is None or backend in OF_PYTORCH:
        return (XlaProgram, Program) if importlib.util.find_spec("jax") is not None else (Program,)
    if backend == "eager":
        return ()
    if backend in ("xla", "openxla"):
        needed()
        return (XlaProgram, Program)
    if callable(backend):
        return (functools.partial(_Given, backend),)
    raise RuntimeError(f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends.")


class _Given(Program):
    """A trace run by what the user's ``backend(graph, example_inputs)`` gives for it: a function of the same tensors."""

    def __init__(self, backend: Callable[..., Any], trace: t.Trace, results: list[int]) -> None:
        super().__init__(trace, results)
        self.called = backend(Graph(self), [trace.tensors[number] for number in self.arguments])
        if not callable(self.called):
            raise NotUnderstood(f"a backend that gives {type(self.called).__name__}, which cannot be called")

    def run(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        return self.called(*tensors)  # type: ignore[no-any-return]


class Graph:
    """What a backend of the user's is given: a captured program, which runs when called with its inputs.

    ``code``   the function that it is replayed by
    ``trace``  its instructions
    """

    def __init__(self, program: Program) -> None:
        self.program, self.code, self.trace = program, program.text, program.trace

    def forward(self, *tensors: Any) -> tuple[Any, ...]:
        """The arrays of the results."""
        return Program.run(self.program, list(tensors))

    __call__ = forward

    def __str__(self) -> str:
        return str(self.trace)


def compiled(function: Callable[..., Any], backend: Any, fullgraph: bool, dynamic: bool | None) -> Callable[..., Any]:
    """A function like ``function`` that is captured as it runs, and replayed."""
    builds = builders(backend)
    if not builds:
        return function
    whole = Compiled(function, builds, fullgraph, dynamic)
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


def reset() -> None:
    """Forgets all that was captured: functions begin anew."""
    for one in list(_all):
        one.reset()


class Explanation:
    """What one run of a function told, or several runs of a compiled one."""

    def __init__(self, trace: t.Trace, reason: NotUnderstood | None, report: str = "") -> None:
        self.graph_count = int(reason is None)
        self.graph_break_count = int(reason is not None)
        self.break_reasons = [] if reason is None else [told(reason)]
        self.op_count = sum(isinstance(one, t.Apply) for one in trace.instructions)
        self.ops_per_graph = [[one.op for one in trace.instructions if isinstance(one, t.Apply)]]
        self.graphs = [trace] if reason is None else []
        self.report = report

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
            return Explanation(last.first or t.Trace(), last.reason, whole.report())
        recorder = Recorder(None)
        with Watch(recorder):
            (function if whole is None else whole.function)(*args, **kwargs)
        return Explanation(recorder.trace, recorder.failure)

    return explained
