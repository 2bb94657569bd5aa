"""The graph that a forward pass leaves behind: nodes, edges, the values they keep, and hooks.

A :class:`Node` is one recorded operation. Its ``next`` holds an edge ``(node, output number)`` for each tensor input that
needs a gradient, None for the others: the backward pass walks along them. The nodes of leaves are :class:`AccumulateGrad`.
Each op of the table makes a subclass of Node (``MulBackward0``) when it is compiled; see ops/table.py.
"""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from ..tensor import Tensor

Edge = tuple["Node", int]

# Counts down, so that the smallest order is the latest op and heapq gives it first.
orders: Iterator[int] = itertools.count(-1, -1)

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after "
    "calling backward."
)


class RemovableHandle:
    """What registering a hook returns; ``remove()`` takes the hook out again, and so does leaving a ``with`` block."""

    _ids: ClassVar[Iterator[int]] = itertools.count()

    def __init__(self, hooks: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks) if isinstance(hooks, Hooks) else (lambda: hooks)
        self.id = next(self._ids)

    def remove(self) -> None:
        hooks = self.hooks_dict_ref()
        if hooks is not None and self.id in hooks:
            del hooks[self.id]

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        self.remove()


class Hooks(dict[int, Any]):
    """Hooks in the order of their registration; a dict that can be referred to weakly."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Callable[..., Any]) -> RemovableHandle:
        handle = RemovableHandle(self)
        self[handle.id] = hook
        return handle


class Node:
    """One recorded operation.

    ``next``    an edge for each tensor input, None where no gradient is needed
    ``saved``   what the derivative rules asked for, None once freed
    ``shape``, ``dtype``  of the output, which its cotangent must have; ``metas`` where there are several outputs
    ``order``   minus one, minus two, ...: the smallest runs first in the backward pass
    """

    next: tuple[Edge | None, ...] = ()
    saved: tuple[Any, ...] | None = ()
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any]
    metas: list[tuple[tuple[int, ...], np.dtype[Any]]] | None = None
    order: int = 0
    where: Any = None
    trace: Any = None
    always_runs = False  # a Function's backward is called even when no gradient arrives
    is_leaf_sink = False
    hooked = False  # whether any of the following was ever set
    tensor_hooks: dict[int, Hooks] | None = None
    retained: dict[int, weakref.ref[Tensor]] | None = None
    pre_hooks: Hooks | None = None
    post_hooks: Hooks | None = None
    _metadata: dict[str, Any] | None = None

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The cotangents of the inputs from the outputs' (arrays), for the inputs whose edge is not None."""
        raise NotImplementedError

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The same with Tensors, recorded as it goes."""
        raise NotImplementedError

    def release(self) -> None:
        """Drops what was saved; reading it afterwards is an error."""
        self.saved = None

    # What PyTorch's users ask a grad_fn.

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple(edge if edge is not None else (None, 0) for edge in self.next)

    @property
    def metadata(self) -> dict[str, Any]:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def _input_metadata(self) -> list[Any]:
        return self.metas if self.metas is not None else [(self.shape, self.dtype)]

    def _sequence_nr(self) -> int:
        return -self.order - 1

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_inputs, grad_outputs)`` runs after the node; what it returns, if anything, replaces grad_inputs."""
        self.hooked = True
        if self.post_hooks is None:
            self.post_hooks = Hooks()
        return self.post_hooks.add(hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_outputs)`` runs before the node; what it returns, if anything, replaces grad_outputs."""
        self.hooked = True
        if self.pre_hooks is None:
            self.pre_hooks = Hooks()
        return self.pre_hooks.add(hook)

    def _register_hook_dict(self, hooks: dict[int, Any]) -> None:
        self.hooked = True
        self.post_hooks = hooks  # type: ignore[assignment]

    def retain(self, number: int, tensor: weakref.ref[Tensor]) -> None:
        """Has the cotangent of one output put into a tensor's ``.grad``."""
        self.hooked = True
        self.retained = {**(self.retained or {}), number: tensor}

    def hooks_of_output(self, number: int) -> Hooks:
        """The tensor hooks of one output, made when first asked for."""
        self.hooked = True
        if self.tensor_hooks is None:
            self.tensor_hooks = {}
        return self.tensor_hooks.setdefault(number, Hooks())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    # Raised from compiled ops.

    def freed(self) -> RuntimeError:
        return RuntimeError(FREED + self.explain())

    def explain(self) -> str:
        """Below PyTorch's sentence: where in the user's program this node was made, as far as is known."""
        place = describe(self.where)
        return f"\n  {self.name()} was recorded at {place}" if place else ""


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to the leaf's ``.grad``.

    The leaf refers to its AccumulateGrad weakly and the node to its leaf strongly, so a leaf and its graph are freed
    without the cycle collector.
    """

    is_leaf_sink = True
    order = -(1 << 62)  # before every other node that is ready

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        return (1 << 64) - 1

    def release(self) -> None:
        pass


accumulate_lock = threading.RLock()


BORROWED: Any = 1
"""``_needs_grad`` of a view made in no_grad: its base needs a gradient, the view itself has no place in the graph."""


def leaf_edge(leaf: Tensor) -> Edge | None:
    """The edge that a recorded op keeps for a leaf; None for a view made in no_grad, which is one without being one."""
    if leaf._needs_grad is BORROWED:
        return None
    reference = leaf._sink
    sink = reference() if reference is not None else None
    if sink is None:
        with accumulate_lock:
            sink = leaf._sink() if leaf._sink is not None else None
            if sink is None:
                sink = AccumulateGrad(leaf)
                leaf._sink = weakref.ref(sink)
    elif sink.dtype is not leaf._array.dtype or sink.shape != leaf._array.shape:
        sink.shape, sink.dtype = leaf._array.shape, leaf._array.dtype  # `.data` was set since
    return (sink, 0)


PACKAGE = __name__.rpartition(".autograd")[0] + "."


def here(depth: int = 2) -> tuple[Any, int] | None:
    """Code object and instruction of the nearest frame outside the package: cheap to keep, turned into a line on demand."""
    frame: Any = sys._getframe(depth)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(PACKAGE):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


def describe(where: Any) -> str:
    """``file:line, in function: source`` of a place kept by :func:`here`."""
    if where is None:
        return ""
    code, instruction = where
    line = None
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    if line is None:
        return ""
    import linecache

    source = linecache.getline(code.co_filename, line).strip()
    return f"{code.co_filename}:{line}" + (f", in {code.co_name}" if code.co_name != "<module>" else "") + (
        f": {source}" if source else ""
    )
