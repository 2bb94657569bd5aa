"""The backward pass under a profiler: the same pass, with an event for each node and for what the engine adds up.

The rules are read over Tensors here, so that the ops they are made of have events of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backend.ownership import BY_PROFILED_PASS
from ..backend.sparse_gradients import ScatteredArray
from ..tensor import Tensor, wrap
from . import engine, modes, observed_pass
from .nodes import AccumulateGrad, Edge, Node
from .recorder import BACKWARD, FUNCTION, Recorder, Span


class Sums(dict[Node, Any]):
    """The waiting cotangents; what is added to one of them is an event."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder
        self.adding: Span | None = None

    def __getitem__(self, node: Node) -> Any:
        self._add()
        return super().__getitem__(node)

    def pop(self, node: Node, *default: Any) -> Any:
        if not default:  # to be written over by the sum
            self._add()
        return super().pop(node, *default)

    def _add(self) -> None:
        self.adding = self.recorder.open("aten::add_")

    def __setitem__(self, node: Node, g: Any) -> None:
        super().__setitem__(node, g)
        if self.adding is not None:
            self.recorder.close(self.adding)
            self.adding = None


class ProfiledPass(observed_pass.ObservedPass):
    """A pass whose nodes are events: ``autograd::engine::evaluate_function: MulBackward0`` and within it the node."""

    watched = True

    def __init__(self, keep_graph: bool, over_tensors: bool, operator_of_node: Callable[[str], str | None]) -> None:
        super().__init__(keep_graph, over_tensors)
        self.operator_of_node = operator_of_node
        self.recorder: Recorder = modes.state.recorder
        self.buffers = Sums(self.recorder)
        self.evaluating: Span | None = None
        self.entered: Node | None = None

    def run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        try:
            super().run(roots, cotangents)
        finally:
            self._leave()

    def _enter(self, node: Node) -> tuple[str, int]:
        """Ends the node before and begins this one; what the engine does with its results belongs to it."""
        name, sequence = node.name(), -1 if node.is_leaf_sink else node._sequence_nr()
        if self.entered is not node:
            self._leave()
            self.entered = node
            self.evaluating = self.recorder.open("autograd::engine::evaluate_function: " + name, FUNCTION, sequence)
            self.evaluating.forward_thread = int(sequence >= 0)
        return name, sequence

    def _leave(self) -> None:
        if self.evaluating is not None:
            self.recorder.close(self.evaluating)
            self.evaluating = self.entered = None

    def _before(self, node: Node, g: Any) -> Any:
        self._enter(node)
        return super()._before(node, g)

    def _unbroadcast(self, node: Node, index: int, g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        if self.over_tensors:
            return super()._unbroadcast(node, index, g, shape, dtype)
        with self.recorder.span("aten::to" if g.shape == shape else "aten::sum"):
            return super()._unbroadcast(node, index, g, shape, dtype)

    def _node(self, name: str, sequence: int, g: Any) -> Span:
        span = self.recorder.open(name, BACKWARD, sequence)
        span.forward_thread = int(sequence >= 0)
        if self.recorder.with_shapes:
            span.shapes = [[] if one is None else list(one.shape) for one in (g if isinstance(g, list) else [g])]
        return span

    def _pull(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        name, sequence = self._enter(node)
        span = self._node(name, sequence, g)
        operator = self.operator_of_node(name)
        if operator is not None:
            self.recorder.open(operator)  # closed with the node
        try:
            if self.over_tensors or modes.state.anomaly or not _over_tensors(node, g):
                return self._read(node, g, edges)
            results = node.vjp_tensors(_each(g, wrap), edges)
            return tuple(None if result is None else result._array for result in results)
        finally:
            self.recorder.close(span)

    def _read(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.over_tensors or modes.state.anomaly:
            return super()._pull(node, g, edges)
        return node.vjp(g, edges)

    def _finish(self, sink: Node, g: Any) -> None:
        name, sequence = self._enter(sink)
        if not isinstance(sink, AccumulateGrad) or (self.needed is not None and not self.needed.get(sink, False)):
            super()._finish(sink, g)
            return
        span = self._node(name, sequence, g)
        holder = [g]
        g = None  # the leaf may keep the array if nobody else has a name for it
        try:
            super()._finish(sink, holder.pop())
        finally:
            self.recorder.close(span)

    def accumulate(self, variable: Tensor, g: Any) -> None:  # type: ignore[override]
        key, fresh = id(g), variable._grad is None
        holder = [g]  # hands over the only reference here, or the gradient would be copied
        del g
        with self.recorder.span("aten::add_") as span:
            if self.recorder.with_shapes:
                span.shapes = [list(holder[0].shape)] * (1 if fresh else 2)
            engine.BackwardPass.accumulate(variable, holder.pop(), BY_PROFILED_PASS)
            if fresh:
                assert variable._grad is not None
                array = getattr(variable._grad, "_array", None)
                span.name = "aten::detach" if id(array) == key else "aten::copy_"
                if isinstance(array, np.ndarray):
                    self.recorder.allocated(array)


def _over_tensors(node: Node, g: Any) -> bool:
    """Whether a node's rules say the same over Tensors: some give sparse gradients over arrays only."""
    op = getattr(node, "op", None)
    return op is not None and op.name not in ("embedding", "embedding_bag") and not isinstance(g, ScatteredArray)


def _each(value: Any, function: Any) -> Any:
    """``function`` of a cotangent, or of each of several, where there is one."""
    if isinstance(value, list):
        return [_each(one, function) for one in value]
    return None if value is None else function(np.asarray(value))
