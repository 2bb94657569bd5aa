"""Looking at the graph and listening to it: gradient edges, hooks over several tensors, version counters."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from ..base.arguments import type_name
from ..tensor import Tensor
from . import engine, modes, views
from .engine import BackwardPass
from .handles import RemovableHandle
from .nodes import Node

__all__ = [
    "GradientEdge",
    "RemovableHandle",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor arrives in the graph; can stand for the tensor in ``grad`` and ``backward``.

    Made by :func:`get_gradient_edge`. ``ownership_token`` keeps alive what the edge belongs to.

    >>> import rushlight as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad((x * 3).sum(), edge)
    (tensor([3.]),)
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph at which the gradient of ``tensor`` arrives; it stands for the tensor in ``grad`` and
    ``backward``, without keeping its values.

    RuntimeError for a tensor that does not require gradients.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x * 2
    >>> torch.autograd.grad((y * y).sum(), torch.autograd.graph.get_gradient_edge(y))
    (tensor([4., 8.]),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge = engine.input_edge(tensor)
    assert edge is not None
    return GradientEdge(edge[0], edge[1])


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write into tensors whose memory was changed behind the back of autograd.

    >>> import rushlight as torch
    >>> x = torch.zeros(2)
    >>> x.numpy()[0] = 1
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    tensors: Iterable[Tensor] = (tensor,) if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for one in tensors:
        if not isinstance(one, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        views.bump(one, "increment_version")


class _MultiHandle(RemovableHandle):
    """The handles of several hooks as one."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    def __getstate__(self) -> tuple[RemovableHandle, ...]:
        return self.handles

    def __setstate__(self, state: tuple[RemovableHandle, ...]) -> None:
        self.handles = state


def is_awaited(node: Node, task: BackwardPass) -> bool:
    """Whether a hook of several tensors waits for a node: not for the one root of a pass, which PyTorch does not count. RuntimeError
    for the node of a leaf that ``grad`` was asked for."""
    if not task.will_run(node) or (len(task.roots) == 1 and task.roots[0][0] is node):
        return False
    if node.is_leaf_sink and node in task.captures:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return node in task.captures or task.will_execute(node)


def _once_a_pass(fn: Callable[..., None]) -> Callable[[Tensor], None]:
    """``fn`` of the first gradient that comes in each pass."""
    lock = threading.Lock()
    started: set[object] = set()

    def first(grad: Tensor) -> None:
        task = modes.state.task
        with lock:
            if task in started:
                return
            started.clear()  # passes that are over
            started.add(task)
        fn(grad)

    return first


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """``fn(grads)`` runs once in each backward pass, when the gradients of all ``tensors`` that take part are known; the
    others' are None. With ``mode='any'``, ``fn(grad)`` runs when the first of them is. As in PyTorch, the single tensor that
    a pass begins at is not waited for, and a leaf that ``grad`` was asked for is refused (RuntimeError).

    Returns a handle whose ``remove()`` takes the hook out.

    >>> import rushlight as torch
    >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: print([g.item() for g in grads]))
    >>> (a * 2 + b * 3).sum().backward()
    [2.0, 3.0]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        first = _once_a_pass(fn)
        return _MultiHandle([tensor.register_hook(first) for tensor in tensors if tensor.requires_grad])

    lock = threading.Lock()
    arrived: dict[BackwardPass, list[Any]] = {}
    expected: dict[BackwardPass, int] = {}
    edges = [engine.input_edge(tensor) if tensor.requires_grad else None for tensor in tensors]
    nodes: list[Node | None] = [None if edge is None else edge[0] for edge in edges]
    if None in nodes:
        raise AssertionError("Expected gradient function to be set")

    def arrive(position: int, grad: Tensor) -> None:
        task = modes.state.task
        assert task is not None
        with lock:
            if task not in arrived:
                for over in list(arrived):
                    if over.finished:
                        arrived.pop(over, None)
                        expected.pop(over, None)
                arrived[task] = [None] * len(nodes)
                expected[task] = sum(node is not None and is_awaited(node, task) for node in nodes)
            grads = arrived[task]
            grads[position] = grad
            expected[task] -= 1
            if expected[task]:
                return
            del arrived[task], expected[task]
        fn(grads)

    return _MultiHandle(
        [
            tensor.register_hook(functools.partial(arrive, position))
            for position, tensor in enumerate(tensors)
            if tensor.requires_grad
        ]
    )


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted for PyTorch's sake: streams belong to GPUs."""
    if not isinstance(enabled, bool):
        raise RuntimeError(f"enabled must be a bool, but got {type_name(enabled)}")
