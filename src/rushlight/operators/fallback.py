"""Operators without a derivative of their own: autograd sees what their function does, and warns where that is relied on.

In the mode "warn" a result that the function did not record gets a node which lets no gradient through and warns, and one that
it did record warns when its gradient arrives. In the mode "nothing" there is no more to a result than what was recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from ..autograd import modes
from ..autograd.engine import input_edge
from ..autograd.nodes import Edge, Node, orders
from ..tensor import Tensor
from ..tensors.arguments import warn


class _State(threading.local):
    below_autograd = False


state = _State()
_mode = ["warn"]


def mode() -> str:
    """What becomes of the results: "warn" or "nothing"."""
    return _mode[0]


def set_mode(name: str) -> None:
    """RuntimeError for what is no mode."""
    if name not in ("warn", "nothing"):
        raise RuntimeError(f"NYI: mode='{name}'" if name == "error" else f"Unsupported AutogradFallbackMode: {name}")
    _mode[0] = name


class BelowAutograd:
    """A block in which nothing is recorded and operators run their functions for the CPU, whatever autograd would do."""

    def __enter__(self) -> None:
        self._before = state.below_autograd, modes.state.grad_enabled
        state.below_autograd, modes.state.grad_enabled = True, False

    def __exit__(self, *error: object) -> None:
        state.below_autograd, modes.state.grad_enabled = self._before


class CppFunction(Node):
    """The node of results whose function recorded nothing; under the name that PyTorch gives it."""

    __module__ = "builtins"  # where PyTorch's nodes say they are from
    always_runs = True
    frees = False

    def __init__(self, operator: str, edges: tuple[Edge | None, ...], outs: Sequence[Tensor]) -> None:
        self.operator, self.next, self.order = operator, edges, next(orders)
        self.shape, self.dtype = outs[0]._array.shape, outs[0]._array.dtype
        if len(outs) > 1:
            self.metas = [(one._array.shape, one._array.dtype) for one in outs]

    def name(self) -> str:
        return "torch::autograd::WarnNotImplemented"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        _warn(self.operator)
        return (None,) * len(edges)

    vjp_tensors = vjp


def marked(operator: str, inputs: Iterable[Any], outs: Iterable[tuple[Any, bool]]) -> None:
    """Has the results of an operator warn when they are differentiated through.

    ``outs``  the results, and of each whether by the schema it is an argument that was written into
    """
    edges = tuple(input_edge(one) if one.requires_grad else None for one in inputs if isinstance(one, Tensor))
    unrecorded = []
    for one, is_written in outs:
        if not isinstance(one, Tensor) or one._array.dtype.kind not in "fcVW":
            continue
        if one.requires_grad:
            one.register_hook(lambda g: _warn(operator))
            base = one._base
            if is_written and base is not None and base.requires_grad:
                base.register_hook(lambda g: _warn(operator))
        elif not is_written:
            unrecorded.append(one)
    if unrecorded:
        node = CppFunction(operator, edges, unrecorded)
        for number, one in enumerate(unrecorded):
            one._edge, one._needs_grad = (node, number), True


def _warn(operator: str) -> None:
    warn(
        f"{operator}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This "
        "may lead to silently incorrect behavior. This behavior is deprecated and will be removed in a future version of PyTorch. "
        "If your operator is differentiable, please ensure you have registered an autograd kernel to the correct Autograd key "
        "(e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to "
        "squash this warning and use the previous behavior, please register torch::CppFunction::makeFallthrough() to "
        "DispatchKey::Autograd."
    )
