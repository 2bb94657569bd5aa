"""``symbolic_trace``: a program as a module whose steps can be looked at and changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.nn import Module

from .graph_module import GraphModule
from .tracer import PH, Tracer, is_fx_tracing, wrap
from .tracer import _assert_is_none as _assert_is_none

__all__ = ["PH", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """A module or function as a :class:`GraphModule`: run once on Proxies, its steps recorded. See :class:`Tracer`.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) * 2)
    >>> print(traced.code.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        mul = relu * 2;  relu = None
        return mul
    >>> traced(torch.tensor([-1.0, 3.0]))
    tensor([0., 6.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
