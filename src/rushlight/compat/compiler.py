"""torch.compiler and torch.compile: nothing is compiled here. Functions come back as they are, modules in an OptimizedModule."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from rushlight.as_torch.missing import lazy_names
from rushlight.base.rooms import opened

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
    **more: Any,
) -> Any:
    """The function itself, or an OptimizedModule around the module: what it computes is the same, only not compiled.

    Also a decorator, with or without options.

    AssertionError for what cannot be called, RuntimeError where both ``mode`` and ``options`` are given.

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
        return compile
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    modules = opened("nn.modules.module")
    if modules is None or not isinstance(model, modules.Module):
        return model
    from ._dynamo.eval_frame import OptimizedModule

    return model if isinstance(model, OptimizedModule) else OptimizedModule(model)


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
    """The names of compilers: none."""
    return []


def reset() -> None:
    """There is nothing to forget."""


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def set_stance(*args: Any, **kwargs: Any) -> Any:
    """A context in which nothing is different."""
    return nullcontext()


__getattr__, __dir__ = lazy_names(__name__)
