"""torch.compiler and torch.compile: functions captured as they run, and replayed; modules in an OptimizedModule."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from rushlight.base.missing import lazy_names
from rushlight.compiled import api
from rushlight.compiled.modules import OptimizedModule
from rushlight.nn.modules.module import Module

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """A function that gives what ``model`` gives, sooner: captured as it runs, and replayed while nothing that it looks at has
    changed. A module becomes an OptimizedModule. Also a decorator, with or without options.

    ``backend``    'replay' (the default): the same kernels without what lies between them; 'eager': the function as it is; or a
                   function of a captured graph and its inputs that gives what is to be called in its place
    ``fullgraph``  RuntimeError where the function cannot be captured whole; else it runs as it is, with one warning
    ``dynamic``, ``mode``, ``options`` and what stands behind ``disable``  are taken and change nothing: each form of arguments is
                   captured by itself
    ``disable``    the function as it is

    AssertionError for what cannot be called, RuntimeError where both ``mode`` and ``options`` are given, or for a backend that
    there is not.

    >>> import rushlight as torch
    >>> @torch.compile(mode="max-autotune")
    ... def double(x):
    ...     return x + x
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if model is None:
        return partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    is_module = isinstance(model, Module)
    if disable and not is_module:
        return model
    if not is_module:
        return api.compiled(model, backend, fullgraph, dynamic)
    if isinstance(model, OptimizedModule):
        return model
    whole = None if disable else api.compiled(model, backend, fullgraph, dynamic)
    return OptimizedModule(model, None if whole is model else whole)


def _itself(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; also as a decorator with options."""
    return _itself if fn is None else fn


disable = allow_in_graph = assume_constant_result = _itself


def substitute_in_graph(original_fn: Callable[..., Any], **options: Any) -> Callable[[Any], Any]:
    """A decorator that changes nothing: no graph is compiled in which a function could be replaced."""
    return lambda function: function


def is_compiling() -> bool:
    """False: nothing is ever compiled."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The names of compilers."""
    return list(api.OWN)


def reset() -> None:
    """Forgets all that was captured: compiled functions begin anew."""
    api.reset()


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def set_stance(*args: Any, **kwargs: Any) -> Any:
    """A context in which nothing is different."""
    return nullcontext()


__getattr__, __dir__ = lazy_names(__name__)
