"""torch._dynamo: what lies behind torch.compile in PyTorch, as far as programs ask for it."""

from __future__ import annotations

from typing import Any

from rushlight.base.missing_names import lazy_names
from rushlight.compiled import api, backends
from rushlight.compiled.settings import config

from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    compile,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "explain",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "lookup_backend",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "optimize",
    "register_backend",
    "reset",
    "run",
    "set_stance",
    "substitute_in_graph",
]


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """``explain(f)(*args)`` runs ``f`` once and says what was captured, and what broke it: see :mod:`rushlight.compiled.api`."""
    inner = api.explain(f)
    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner


def graph_break(msg: str = "") -> None:
    """Changes nothing, unless ``fullgraph=True`` asks for a function to be captured whole: it is an error there."""


def optimize(backend: object = "inductor", *, nopython: bool = False, **options: object) -> Any:
    """A decorator: ``torch.compile(backend=backend, fullgraph=nopython)``."""
    return compile(backend=backend, fullgraph=nopython)


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: object = ()) -> Any:
    """Makes ``compiler_fn(graph, example_inputs)`` a backend that ``torch.compile`` knows by name. Also a decorator."""
    if compiler_fn is None:
        return lambda function: backends.register(function, name)
    return backends.register(compiler_fn, name)


def lookup_backend(compiler_fn: object) -> object:
    """The backend that was registered by a name; InvalidBackend, a RuntimeError, where there is none."""
    backends.builders(compiler_fn)
    return backends.looked_up(compiler_fn)


def run(fn: Any = None) -> Any:
    """The function itself, which is not captured anew only because of this."""
    return run if fn is None else fn


disallow_in_graph = forbid_in_graph = allow_in_graph


def mark_dynamic(t: object, index: object = None, **options: object) -> None:
    """Every size may change anyway."""


mark_static = mark_static_address = maybe_mark_dynamic = mark_dynamic

__getattr__, __dir__ = lazy_names(__name__, frozenset({"eval_frame", "exc", "utils"}), {"OptimizedModule": "eval_frame"})
