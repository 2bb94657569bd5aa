"""torch.compiler and torch.compile: functions captured as they run, and replayed; modules in an OptimizedModule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rushlight.base.missing_names import lazy_names
from rushlight.compiled import api, backends
from rushlight.compiled.modules import OptimizedModule
from rushlight.compiled.stances import running
from rushlight.compiled.stances import set_stance as set_stance
from rushlight.nn.modules.module import Module

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


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

    ``backend``    'replay': the same kernels without what lies between them; 'xla': compiled by XLA, through JAX; 'eager': the
                   function as it is; a function of a captured graph and its inputs that gives what is to be called in its place.
                   By default 'xla' where JAX is installed, else 'replay'
    ``fullgraph``  Unsupported, a RuntimeError, where the function cannot be captured whole; else it runs as it is, with one warning
    ``recompile_limit``  for how many forms of arguments, and of what else it looks at, it is captured: as many as
                   ``torch._dynamo.config.recompile_limit`` says by default, 8; with others it runs as it is, with one warning
    ``disable``    the function as it is
    ``mode``, ``options``  a backend that is a function of the user's is called with them; else they are taken and change nothing,
                   as do the others: each form is captured by itself, whatever ``dynamic`` says

    AssertionError for what cannot be called, and for a ``dynamic`` that is no bool; RuntimeError where both ``mode`` and ``options``
    are given, for a mode that there is not, and, as InvalidBackend, for such a backend.

    >>> import rushlight as torch
    >>> @torch.compile(mode="max-autotune")
    ... def double(x):
    ...     return x + x
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if options is not None and not isinstance(options, dict):
        raise AttributeError(f"{type(options).__name__!r} object has no attribute 'items'")
    given = backends.looked_up(_default if backend is None else backend)
    if callable(given):
        asked = {"mode": None if mode == "default" else mode, "options": options}
        backend = backends.told(given, {name: one for name, one in asked.items() if one is not None})
    elif mode is not None and mode not in MODES and given != "eager":
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if model is None:
        return partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, disable=disable, recompile_limit=recompile_limit
        )  # fmt: skip
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    is_module = isinstance(model, Module)
    if disable and not is_module:
        return model
    if not is_module:
        return api.compiled(model, _default if backend is None else backend, fullgraph, recompile_limit)
    if isinstance(model, OptimizedModule):
        return model
    whole = None if disable else api.compiled(model, _default if backend is None else backend, fullgraph, recompile_limit)
    return OptimizedModule(model, None if whole is model else whole)


def _itself(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; also as a decorator with options."""
    return _itself if fn is None else fn


assume_constant_result = _itself


def allow_in_graph(fn: Any) -> Any:
    """The function itself, or the list of functions: all that can be captured is. AssertionError for what cannot be called."""
    for one in fn if isinstance(fn, (list, tuple)) else [fn]:
        if not callable(one):
            raise AssertionError("allow_in_graph expects a callable")
    return fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself, as it is; also as a decorator with options. Of a compiled function, what was compiled."""
    if fn is None:
        return partial(disable, recursive=recursive, reason=reason)
    return getattr(fn, "_torchdynamo_orig_callable", fn)


_disable_dynamo = disable  # in torch itself, as classes of tensors decorate their methods


def nested_compile_region(fn: Any = None, **options: object) -> Any:
    """The function itself: what it does is captured with what calls it."""
    return _itself if fn is None else fn


def substitute_in_graph(original_fn: Callable[..., Any], **options: object) -> Callable[[Any], Any]:
    """A decorator that changes nothing: no graph is compiled in which a function could be replaced."""
    return lambda function: function


def is_compiling() -> bool:
    """Whether a compiled function runs, and is not replayed: what it asks then holds for its replays too."""
    return running.compiling


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """False: nothing is exported."""
    return False


def list_backends(exclude_tags: Iterable[str] | None = ("debug", "experimental")) -> list[str]:
    """The names of compilers; those for tests too, where none is to be left out."""
    return backends.names("debug" not in (exclude_tags or ()))


_default: object = None


def set_default_backend(backend: object) -> None:
    """Sets what is compiled with where no backend is named: a name, or a function as ``compile`` takes them."""
    global _default
    backends.builders(backend)
    _default = backend


def get_default_backend() -> object:
    """What is compiled with where no backend is named."""
    return "inductor" if _default is None else _default


def reset() -> None:
    """Forgets all that was captured: compiled functions begin anew."""
    api.reset()


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


__getattr__, __dir__ = lazy_names(__name__)
