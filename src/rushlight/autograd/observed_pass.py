"""The backward pass where more is asked of it: gradients of chosen tensors, of a graph of its own, under hooks or anomaly detection.

It is the same loop; what is looked at are the steps before and after a node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappush
from typing import Any

import numpy as np

from . import modes
from .anomaly_mode import warn_of_origin
from .engine import BackwardPass, add_cotangent
from .handles import observers
from .interpreters import stack as interpreters
from .nodes import Edge, Node
from .rule_errors import of_rule
from .topological_order import leads_to, tie_order


class ObservedPass(BackwardPass):
    """A pass that hooks, captures, ``create_graph`` or anomaly detection look at."""

    observed = True
    watched = False  # each node is told of: a profiler looks on
    creates = False  # the program asked for a graph of the gradients
    captured: list[Any]
    dependencies: dict[Node, int] | None = None  # how many edges lead to each node, counted down

    def __init__(self, keep_graph: bool, over_tensors: bool) -> None:
        super().__init__(keep_graph)
        self.over_tensors = self.record = over_tensors
        self.sinks: list[Node] = []

    def capture(self, edges: Sequence[Edge | None], roots: Sequence[Edge]) -> None:
        """Asks for the cotangents that arrive at ``edges`` instead of accumulating, and for nothing else."""
        self.captured = [None] * len(edges)
        captures: dict[Node, list[tuple[int, int]]] = {}
        for index, edge in enumerate(edges):
            if edge is not None:
                captures.setdefault(edge[0], []).append((edge[1], index))
        self.captures = captures
        self._go_towards(set(captures), roots)
        for node in captures:
            self.needed.setdefault(node, False)  # type: ignore[union-attr]

    def accumulate_only(self, edges: Sequence[Edge], roots: Sequence[Edge]) -> None:
        """Accumulates into the given leaves and nowhere else."""
        wanted = {node for node, _ in edges}
        self._go_towards(wanted, roots)
        for node in wanted:
            self.needed[node] = True  # type: ignore[index]

    def _go_towards(self, wanted: set[Node], roots: Sequence[Edge]) -> None:
        """Leaves out what does not lead there; of a root that stands alone, as in PyTorch, the tensor's hooks run all the same."""
        self.needed = leads_to([node for node, _ in roots], wanted)
        if len(roots) == 1:
            self.needed.setdefault(roots[0][0], False)

    def _begin(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> Node | None:
        self.plain = not (self.over_tensors or self.watched or modes.state.anomaly)
        needed = self.needed
        if needed is not None and any(node not in needed for node, _ in roots):  # one that leads to nothing that is asked for
            kept = [index for index, (node, _) in enumerate(roots) if node in needed]
            roots, cotangents = [roots[index] for index in kept], [cotangents[index] for index in kept]
        if not (observers.present or self.watched) and (self.captures or not self.over_tensors):
            return super()._begin(roots, cotangents)
        # Somebody may look at a `.grad` in the middle of the pass, so leaves do not wait for its end.
        self.dependencies = self.reached
        for (node, number), g in zip(roots, cotangents, strict=True):
            add_cotangent(self.buffers, node, number, g)
        for node in dict.fromkeys([node for node, _ in roots]):
            if not self.dependencies[node]:
                self._make_ready(node)
        return None

    def _make_ready(self, node: Node) -> None:
        if node.at_once:
            (self.leaves if self.dependencies is None else self.sinks).append(node)
        else:
            heappush(self.ready, (node.order, node))

    def _propagator(self) -> Callable[[Node, tuple[Edge | None, ...], tuple[Any, ...]], Node | None]:
        return self._propagate if self.dependencies is None and not self.over_tensors else self._propagate_counted

    def _propagate_counted(self, node: Node, edges: tuple[Edge | None, ...], grads: tuple[Any, ...]) -> Node | None:
        """As :meth:`_propagate`, over Tensors too, and where a node is ready when all that leads to it has run."""
        buffers, dependencies = self.buffers, self.dependencies
        for index, edge in enumerate(edges):
            if edge is None:
                continue
            target, number = edge
            fresh = target not in buffers
            g = grads[index]
            if g is None:
                if fresh:
                    buffers[target] = None
            else:
                g = self._fitted(node, index, g, edge)
                if fresh and target.metas is None:
                    buffers[target] = g
                else:
                    add_cotangent(buffers, target, number, g)
                g = None
            if dependencies is not None:
                dependencies[target] -= 1
                if not dependencies[target]:
                    self._make_ready(target)
            elif fresh:
                self._make_ready(target)
        return None

    def _finish_sinks(self) -> None:
        due = tie_order(self.sinks)
        self.sinks.clear()
        for sink in due:
            self._finish(sink, self.buffers.pop(sink, None))

    def _finish_complete(self) -> None:
        if self.dependencies is None:
            super()._finish_complete()

    def _arrived(self, node: Node, g: Any) -> tuple[Any, tuple[Edge | None, ...] | None]:
        if node.hooked:
            g = self._before(node, g)
        elif node in self.captures:
            self._capture(node, g)
        needed = self.needed
        if needed is None:
            return g, node.next
        if not needed.get(node, False):
            return g, None
        return g, tuple([edge if edge is not None and edge[0] in needed else None for edge in node.next])

    def _before(self, node: Node, g: Any) -> Any:
        goes_on = self.needed is None or self.needed.get(node, False)
        if goes_on and node in self.captures:  # as in PyTorch: before the hooks where the pass goes on, else after them
            self._capture(node, g)
        values = self._with_tensor_hooks(node, g)
        if goes_on:
            return self._with_pre_hooks(node, values)
        if node in self.captures:
            self._capture(node, values[0] if node.metas is None else values)
        return None

    def _capture(self, node: Node, g: Any) -> None:
        for number, index in self.captures[node]:
            self.captured[index] = g if node.metas is None or g is None else g[number]

    def _pull(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """A node read over Tensors, or under anomaly detection: then its forward traceback is shown with any error, and nan
        is one."""
        if not modes.state.anomaly:
            return node.vjp_tensors(g, edges)
        try:
            grads = (node.vjp_tensors if self.over_tensors else node.vjp)(g, edges)
            if modes.state.anomaly_check_nan:
                for index, ga in enumerate(grads):
                    array = None if ga is None else ga._array if self.over_tensors else np.asarray(ga)
                    if array is not None and array.dtype.kind in "fc" and np.isnan(array).any():
                        raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")
            return grads
        except Exception as error:
            warn_of_origin(node)
            if isinstance(error, ValueError):
                raise of_rule(node, error) from None
            raise


def new_pass(keep_graph: bool, over_tensors: bool) -> ObservedPass:
    """A pass for who looks on: a profiler, a recording, or hooks and captures alone."""
    if modes.special.active:
        found = interpreters.ask("backward_pass", keep_graph, over_tensors)
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
    return ObservedPass(keep_graph, over_tensors)
