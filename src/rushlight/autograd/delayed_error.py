"""A place in the graph that lets values pass forward and raises where somebody differentiates through it."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor, make_tensor
from . import modes
from .engine import input_edge
from .nodes import Edge, Node, new_sink, orders


class Error(Node):
    """The node of :class:`DelayedError`."""

    __module__ = "builtins"  # where PyTorch's nodes say they are from
    frees = False

    def __init__(self, message: str, inputs: tuple[Any, ...], outputs: int, edges: tuple[Edge | None, ...]) -> None:
        self.message = message
        self.next = edges
        self.order = next(orders)
        metas: list[Any] = [(one._array.shape, one._array.dtype) if isinstance(one, Tensor) else ((), None) for one in inputs]
        self.shape, self.dtype = metas[0]
        if outputs > 1:
            self.metas = metas

    def name(self) -> str:
        return "torch::autograd::Error"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        raise RuntimeError(self.message)

    vjp_tensors = vjp


class DelayedError(Node):
    """Called with ``count`` tensors, gives them back: differentiating through what comes out is a RuntimeError.

    >>> import rushlight as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> y = torch._C._functions.DelayedError("not through here", 1)(x)
    >>> y.backward()
    Traceback (most recent call last):
    RuntimeError: not through here
    """

    def __init__(self, message: str | bytes, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message
        self.count = count

    def __call__(self, *inputs: Any) -> Any:
        recorded = modes.state.grad_enabled and any(isinstance(one, Tensor) and one.requires_grad for one in inputs)
        outputs = [one.detach() if isinstance(one, Tensor) else one for one in inputs]
        if recorded:
            edges = tuple(input_edge(one) if isinstance(one, Tensor) and one.requires_grad else None for one in inputs)
            self._place(inputs, outputs, edges)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _place(self, inputs: tuple[Any, ...], outputs: list[Any], edges: tuple[Edge | None, ...]) -> None:
        node = Error(self.message, inputs, len(outputs), edges)
        for number, one in enumerate(outputs):
            if isinstance(one, Tensor):
                outputs[number] = make_tensor(one._array, one._counter, (node, number))

    def behind_leaves(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tensors as if each were a leaf of its own that needs a gradient: all that is known of where they come from."""
        outputs = [one.detach() if isinstance(one, Tensor) else one for one in inputs]
        self._place(inputs, outputs, tuple((new_sink(one), 0) if isinstance(one, Tensor) else None for one in outputs))
        return tuple(outputs)
