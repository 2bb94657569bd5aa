"""The graph that a forward pass leaves behind: nodes, edges, the values they keep, and hooks.

A :class:`Node` is one recorded operation. Its ``next`` holds an edge ``(node, output number)`` for each tensor input that
needs a gradient, None for the others: the backward pass walks along them. The nodes of leaves are :class:`AccumulateGrad`.
Each op of the table makes a subclass of Node (``MulBackward0``) when it is compiled; see ops/table.py.
"""

from __future__ import annotations

import operator
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..backend.notes import with_notes
from ..tensor import OWN_DTYPE, Tensor
from .node_methods import NodeMethods
from .source_lines import Place, describe

Edge = tuple["Node", int]

_MOST = 1 << 62

# Counts down, so that the smallest order is the latest op and heapq gives it first; operator.length_hint says how many are left.
orders: Iterator[int] = iter(range(-1, -_MOST - 1, -1))


def coming_number() -> int:
    """The sequence number that the next node will have."""
    return _MOST - operator.length_hint(orders)


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after "
    "calling backward."
)


class Node(NodeMethods):
    """One recorded operation.

    ``next``    an edge for each tensor input, None where no gradient is needed
    ``saved``   what the derivative rules asked for, None once freed
    ``shape``, ``dtype``  of the output, which its cotangent must have; ``metas`` where there are several outputs
    ``order``   minus one, minus two, ...: the smallest runs first in the backward pass

    >>> import rushlight as torch
    >>> node = torch.ones(1, requires_grad=True).exp().grad_fn
    >>> node.name(), isinstance(node, torch.autograd.graph.Node)
    ('ExpBackward0', True)
    """

    __module__ = "torch.autograd.graph"  # where programs know it from

    next: tuple[Edge | None, ...] = ()
    saved: tuple[Any, ...] | None = ()
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any]
    metas: list[tuple[tuple[int, ...], np.dtype[Any]]] | None = None
    order: int = 0
    where: Place | None = None
    always_runs = False  # a Function's backward is called even when no gradient arrives
    is_leaf_sink = False
    at_once = False  # runs before whatever else is ready
    frees = True  # whether a pass that has run the node drops what it saved
    written_through: weakref.ref[Node] | None = None  # the place of the view through which its result was written
    tangents: dict[int, Any] | None = None  # of the outputs, in forward mode: a rule that reads an output needs them

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The cotangents of the inputs from the outputs' (arrays), for the inputs whose edge is not None."""
        raise NotImplementedError

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The same with Tensors, recorded as it goes."""
        raise NotImplementedError

    # Raised from compiled ops.

    def freed(self) -> RuntimeError:
        return with_notes(RuntimeError(FREED), self.explain())

    def explain(self) -> str:
        """What a note of an error says: where in the user's program this node was made, as far as is known."""
        place = describe(self.where)
        return f"{self.name()} was recorded at {place}" if place else ""


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to the leaf's ``.grad``.

    The leaf refers to its AccumulateGrad weakly and the node to its leaf strongly, so a leaf and its graph are freed
    without the cycle collector.
    """

    __module__ = "builtins"  # where PyTorch's nodes say they are from
    is_leaf_sink = at_once = True
    frees = False
    order = -(1 << 62)  # before every other node that is ready

    variable: Tensor

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """Adds a gradient to the leaf's ``.grad``: what a call does, outside of any backward pass."""
        self.variable.grad = g.clone() if self.variable.grad is None else self.variable.grad + g
        return ()


accumulate_lock = threading.RLock()
# How attributes are set where no other thread comes in between: by the interpreter alone, and under its lock.
AT_ONCE: Any = object.__setattr__ if getattr(sys, "_is_gil_enabled", lambda: True)() else None


def new_sink(leaf: Tensor) -> AccumulateGrad:
    """The end of the graph at ``leaf``: every op on a leaf that is in no graph yet makes one."""
    sink = AccumulateGrad()
    sink.variable = leaf
    array = leaf._array
    sink.shape = array.shape  # for good, as in PyTorch: also where the leaf is given another one later
    sink.dtype = array.dtype if leaf._grad_dtype is OWN_DTYPE else leaf._grad_dtype
    return sink


BORROWED: Any = 1
"""``_needs_grad`` of a view made in no_grad: its base needs a gradient, the view itself has no place in the graph."""


def leaf_edge(leaf: Tensor) -> Edge | None:
    """The edge that a recorded op keeps for a leaf; None for a view made in no_grad, which is one without being one."""
    if leaf._needs_grad is BORROWED:
        return None
    reference = leaf._sink
    sink = reference() if reference is not None else None
    if sink is None:
        sink = new_sink(leaf)
        made = weakref.ref(sink)
        if type(leaf).__setattr__ is AT_ONCE:
            # In place of a lock, a tenth of a small op: threads change at calls and loops, tracers run between lines.
            leaf._sink = made if leaf._sink is reference else leaf._sink
        else:
            with accumulate_lock:
                leaf._sink = made if leaf._sink is reference else leaf._sink
        if leaf._sink is not made:
            return leaf_edge(leaf)  # another thread's, come in between
    return (sink, 0)
