"""torch.fx of a library that computes at once: names for programs that import them; there is no tracing of programs.

What would trace raises NotImplementedError. Nothing is a GraphModule, a Node or a Proxy, so ``isinstance`` says what is so.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from rushlight.as_torch.missing import lacks, lazy_names

__all__ = ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "symbolic_trace", "wrap"]

T = TypeVar("T")


class _OfTraces:
    """A class that only a traced program has instances of."""

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(lacks(f"torch.fx.{next(one for one in cls.__mro__ if one.__module__ == __name__).__name__}"))


class Graph(_OfTraces):
    """A traced program."""


class GraphModule(_OfTraces):
    """A module that runs a traced program."""


class Node(_OfTraces):
    """A step of a traced program."""


class Proxy(_OfTraces):
    """What stands for a value while a program is traced."""


class Tracer(_OfTraces):
    """What traces a program."""


class Interpreter(_OfTraces):
    """What runs a traced program step by step."""


class Transformer(Interpreter):
    """What makes another program of a traced one."""


def wrap(fn_or_name: T) -> T:
    """The function as it is: only where programs are traced does it matter which functions are one step.

    >>> import rushlight as torch
    >>> @torch.fx.wrap
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    return fn_or_name


def symbolic_trace(root: Any, concrete_args: Any = None) -> NoReturn:
    """NotImplementedError: programs are not traced."""
    raise NotImplementedError(lacks("torch.fx.symbolic_trace"))


__getattr__, __dir__ = lazy_names(__name__)
