"""Compilers for ``torch.compile``, by their names; and what a compiler of the user's is given."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from ..tensor import Tensor, new_tensor
from .capture import trace as t
from .errors import BackendCompilerFailed, InvalidBackend
from .replay.program import Program
from .xla.program import XlaProgram, needed

# PyTorch's names for compilers of its own, which stand for the default here.
OF_PYTORCH = frozenset("inductor aot_eager aot_eager_decomp_partition aot_ts cudagraphs onnxrt tvm".split())
FOR_TESTS = frozenset("eager aot_eager aot_eager_decomp_partition aot_ts".split())  # those that PyTorch does not list by itself
Call = Callable[..., Any]
_given: dict[str, Call] = {}  # the user's, by their names


def names(with_those_for_tests: bool = False) -> list[str]:
    """The names of compilers."""
    every = {"eager", "replay", "xla", "openxla", *OF_PYTORCH, *_given}
    return sorted(every if with_those_for_tests else every - FOR_TESTS)


def register(function: Call, name: str | None = None) -> Call:
    """Makes a compiler of the user's known by a name, its own if none is given."""
    _given[name or function.__name__] = function
    return function


def looked_up(name: object) -> object:
    """The compiler of the user's that has a name; what is no name of one is given back."""
    return _given.get(name, name) if isinstance(name, str) else name


def told(backend: Call, options: dict[str, object]) -> Call:
    """A compiler of the user's that is called with options, where there are any."""
    if not options:
        return backend
    return functools.update_wrapper(functools.partial(backend, **options), backend)


def builders(backend: object) -> tuple[Call, ...]:
    """What makes of a trace what runs it, in several ways maybe; none for a function that is to run as it is.

    InvalidBackend, a RuntimeError, for a name that no compiler has; ImportError where what it needs is not there.
    """
    backend = looked_up(backend)
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
    raise InvalidBackend(backend)


class _Given(Program):
    """A trace run by what the user's ``backend(graph, example_inputs)`` gives for it: a function of the same tensors."""

    def __init__(self, backend: Call, trace: t.Trace, results: list[int]) -> None:
        super().__init__(trace, results)
        try:
            self.called = backend(Graph(self), [trace.tensors[number] for number in self.arguments])
        except Exception as error:
            raise BackendCompilerFailed(backend, error) from error
        if not callable(self.called):
            raise BackendCompilerFailed(backend, AssertionError("compiler_fn did not return callable"))

    def run(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([one._array if isinstance(one, Tensor) else one for one in self.called(*tensors)])


class Graph:
    """What a backend of the user's is given: a captured program, which runs when called with its inputs.

    ``code``   the function that it is replayed by
    ``trace``  its instructions
    """

    def __init__(self, program: Program) -> None:
        self.program, self.code, self.trace = program, program.text, program.trace

    def forward(self, *tensors: Any) -> tuple[Any, ...]:
        """The results, as tensors that are in no graph."""
        return tuple(map(new_tensor, Program.run(self.program, list(tensors))))

    def print_readable(self, print_output: bool = True) -> str:
        """Its instructions, a line each, which are printed too."""
        if print_output:
            print(self)
        return str(self)

    __call__ = forward

    def __str__(self) -> str:
        return str(self.trace)
