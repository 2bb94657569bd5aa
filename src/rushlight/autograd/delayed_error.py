"""A place in the graph that lets values pass forward and raises where somebody differentiates through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..base.rooms import provided
from . import modes
from .engine import input_edge
from .graph import Edge, Node, new_sink, orders

if TYPE_CHECKING:
    from ..tensor import Tensor

# Set by tensor.py: the class of what passes, and a Tensor with a given place in the graph.
is_tensor: Callable[[Any], bool] = provided("is_tensor")
make_tensor: Callable[..., Tensor] = provided("make_tensor")


class Error(Node):
    """The node of :class:`DelayedError`."""

    __module__ = "builtins"  # where PyTorch's nodes say they are from

    def __init__(self, message: str, inputs: tuple[Any, ...], outputs: int, edges: tuple[Edge | None, ...]) -> None:
        self.message = message
        self.next = edges
        self.order = next(orders)
        metas: list[Any] = [(one._array.shape, one._array.dtype) if is_tensor(one) else ((), None) for one in inputs]
        self.shape, self.dtype = metas[0]
        if outputs > 1:
            self.metas = metas

    def name(self) -> str:
        return "torch::autograd::Error"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        raise RuntimeError(self.message)

    vjp_tensors = vjp

    def release(self) -> None:
        pass


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
        recorded = modes.state.grad_enabled and any(is_tensor(one) and one.requires_grad for one in inputs)
        outputs = [one.detach() if is_tensor(one) else one for one in inputs]
        if recorded:
            edges = tuple(input_edge(one) if is_tensor(one) and one.requires_grad else None for one in inputs)
            self._place(inputs, outputs, edges)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _place(self, inputs: tuple[Any, ...], outputs: list[Any], edges: tuple[Edge | None, ...]) -> None:
        node = Error(self.message, inputs, len(outputs), edges)
        for number, one in enumerate(outputs):
            if is_tensor(one):
                outputs[number] = make_tensor(one._array, one._counter, (node, number))

    def behind_leaves(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tensors as if each were a leaf of its own that needs a gradient: all that is known of where they come from."""
        outputs = [one.detach() if is_tensor(one) else one for one in inputs]
        self._place(inputs, outputs, tuple((new_sink(one), 0) if is_tensor(one) else None for one in outputs))
        return tuple(outputs)
