"""The backward pass; docs/engine.md walks through it.

Of the nodes that are reached the latest recorded runs first: all that lead to it have run then. Cotangents wait in
``buffers`` until their node's turn and are added up there. The loop is iterative, so a graph may be as deep as memory allows.

The pass reads the rules in one of two ways: over plain arrays, or, with ``create_graph``, over Tensors, which record
themselves.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush, heappushpop
from types import MappingProxyType
from typing import Any

import numpy as np

from ..backend import numpy as backend
from ..backend.many import add_into, summed
from ..backend.ownership import BY_PASS, is_only_here
from ..backend.sparse_gradients import ScatteredArray
from ..backend.unbroadcast import unbroadcast
from ..base import errstate
from ..base.strides import is_stretched
from ..kernels.arithmetic import MANY
from ..tensor import Tensor, wrap
from . import mirrors, modes, overlaps, reentrant, topological_order, views
from .hooks import HookCalls
from .interpreters import stack as interpreters
from .nodes import AccumulateGrad, Edge, Node, accumulate_lock, leaf_edge
from .rule_errors import of_rule
from .topological_order import count_dependencies
from .write_errors import check_output

_pass_ids = itertools.count()


class BackwardPass(HookCalls):
    """One call of backward: over arrays, to all leaves. What it takes beyond that is in observed_pass.py.

    ``keep_graph``    what nodes saved is kept for another pass
    ``over_tensors``  rules are read over Tensors, which record themselves, and not over arrays
    ``observed``      each node is looked at before it runs: by hooks, captures, anomaly detection, a profiler
    """

    over_tensors = False
    observed = False
    plain = True  # rules are read over arrays, and nobody looks at that
    needed: dict[Node, bool] | None = None
    captures: Mapping[Node, list[tuple[int, int]]] = MappingProxyType({})
    callbacks: list[Callable[[], None]] | None = None
    node: Node | None = None
    finished = False
    roots: Sequence[Edge] = ()
    sinks: Sequence[Node] = ()  # where dependencies are counted: leaves that are complete, which go first
    where: tuple[Any, int] | None = None  # the user's line that began it, once a rule has recorded something

    def __init__(self, keep_graph: bool) -> None:
        self.keep_graph = keep_graph
        self.record = False  # a pass over Tensors need not record itself
        self.id = next(_pass_ids)
        self.buffers: dict[Node, Any] = {}  # cotangents that wait for their node's turn
        self.ready: list[tuple[int, Node]] = []  # a heap by order
        self.leaves: list[Node] = []  # they wait for the end

    @functools.cached_property
    def reached(self) -> dict[Node, int]:
        """How many edges lead to each node of the pass; counted down as it runs, if it goes by them."""
        return count_dependencies(self.roots, self.needed)

    def will_run(self, node: Node) -> bool:
        """Whether the pass reaches a node."""
        return node in self.reached

    def will_execute(self, node: Node) -> bool:
        """Whether the pass runs a node, and not only looks at what arrives there."""
        return node in self.reached and (self.needed is None or self.needed.get(node, False))

    def execution_order(self) -> list[Node]:
        """The nodes of the pass in the order in which they become ready and run, told from the graph alone."""
        return topological_order.execution_order(self.roots, self.needed)

    def call_at_end(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` after the pass, if nothing was raised in it."""
        if self.callbacks is None:
            self.callbacks = []
        self.callbacks.append(callback)

    def run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        """Runs the pass from ``roots``; cotangents are arrays, or Tensors in a pass over Tensors."""
        outer = modes.state.task
        if outer is not None and reentrant.stack_is_filling():
            reentrant.elsewhere(functools.partial(self.run, roots, cotangents))
            return
        previous = modes.state.grad_enabled
        hooks = modes.state.saved_hooks
        modes.state.grad_enabled = self.record
        modes.state.task = self
        self.roots = roots
        # An interrupt may come behind any call: what is put back is read before it is changed, and put back by one call each.
        try:
            loudness = errstate.now()
            try:
                errstate.begin()  # a gradient may be inf or nan without a warning, as in PyTorch
                try:
                    self._run(self._begin(roots, cotangents))
                except BaseException:
                    self._finish_complete()
                    raise
                self._finish_leaves(self.leaves)
            finally:
                errstate.back(loudness)
            for callback in self.callbacks or ():
                callback()
        finally:
            modes.state.grad_enabled = previous
            if modes.state.saved_hooks is not hooks:  # entered or left in the middle of the pass
                modes.set_saved_hooks(hooks)
            modes.state.task = outer
            self.finished = True

    def _begin(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> Node | None:
        """Lays out the roots' cotangents and makes the roots ready; one that another leads to was recorded before it."""
        buffers, first = self.buffers, None
        for (node, number), g in zip(roots, cotangents, strict=True):
            fresh = node not in buffers
            add_cotangent(buffers, node, number, g)
            if not fresh:
                continue
            if node.at_once:
                self.leaves.append(node)
            elif first is None:
                first = node
            else:
                heappush(self.ready, (node.order, node))
        return first

    def _run(self, following: Node | None) -> None:
        """The loop. Of the nodes that are ready the one recorded last runs its rules, and what they give goes along its edges.

        A node is recorded after all that it leads to, so of the nodes reached the latest has got all its cotangents. Of
        leaves that is not known: they wait for the end.
        """
        buffers, ready, sinks = self.buffers, self.ready, self.sinks
        observed, plain, keep_graph = self.observed, self.plain, self.keep_graph
        propagate = self._propagator()
        while True:
            if sinks:
                self._finish_sinks()
            if following is not None and not (ready and ready[0][0] < following.order):
                node = following
            elif ready:
                node = heappop(ready)[1] if following is None else heappushpop(ready, (following.order, following))[1]
            else:
                break
            self.node = node
            g = buffers.pop(node, None)
            edges: Any = node.next
            hooked = observed or node.hooked
            if hooked:
                g, edges = self._arrived(node, g)
                if edges is None:
                    following = None
                    continue
            if g is None and not node.always_runs:
                grads: tuple[Any, ...] = node.without_cotangent(edges)
            else:
                try:
                    grads = node.vjp(g, edges) if plain else self._pull(node, g, edges)
                except (RuntimeWarning, ValueError) as error:
                    grads = retried_vjp(node, g, edges, error, plain)
            if hooked and node.post_hooks:
                grads = self._after(node, grads, g)
            if node.frees and not keep_graph:
                node.saved = None
            g = None  # a name would keep an array from being owned by a leaf, or freed
            following = propagate(node, edges, grads)
            grads = None  # type: ignore[assignment]

    def _propagate(self, node: Node, edges: tuple[Edge | None, ...], grads: tuple[Any, ...]) -> Node | None:
        """Adds to what waits at the node behind each edge; a node that is reached for the first time is ready.

        Gives the first of those back: mostly it is the next to run, so it is kept out of the heap.
        """
        buffers = self.buffers
        following = None
        index = -1
        for edge in edges:
            index += 1
            if edge is None:
                continue
            target, number = edge
            fresh = target not in buffers
            g = grads[index]
            if g is None:
                if fresh:
                    buffers[target] = None
            elif target.metas is None:
                if g.shape != target.shape or g.dtype is not target.dtype:
                    g = self._unbroadcast(node, index, g, target.shape, target.dtype)
                if fresh:
                    buffers[target] = g
                else:
                    add_cotangent(buffers, target, 0, g)
            else:
                add_cotangent(buffers, target, number, self._fitted(node, index, g, edge))
            if not fresh:
                continue
            if target.at_once:
                self.leaves.append(target)
            elif following is None:
                following = target
            else:
                heappush(self.ready, (target.order, target))
        return following

    def _propagator(self) -> Callable[[Node, tuple[Edge | None, ...], tuple[Any, ...]], Node | None]:
        """How what a node's rules give goes on."""
        return self._propagate

    def _arrived(self, node: Node, g: Any) -> tuple[Any, tuple[Edge | None, ...] | None]:
        """What a node runs with and where it sends its own: hooks may have a say, who looks on may end it there (None)."""
        return self._before(node, g), node.next

    def _pull(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """The rules of a node, where somebody looks on."""
        raise NotImplementedError

    def _finish_sinks(self) -> None:
        """The turn of leaves that are complete before the end, which only a pass that counts dependencies knows."""

    def _finish_complete(self) -> None:
        """After an error: leaves that nothing more leads to are complete, the others stay as they were."""
        waiting = [node for node in (self.node, *(node for _, node in self.ready)) if node is not None]
        pending = count_dependencies([(node, 0) for node in waiting], self.needed)
        self._finish_leaves([leaf for leaf in self.leaves if leaf not in pending])

    def _finish_leaves(self, leaves: list[Node]) -> None:
        """The leaves' turn, which have waited for the end."""
        for leaf in leaves:
            self._finish(leaf, self.buffers.pop(leaf))

    def _finish(self, sink: Node, g: Any) -> None:
        """The end of the way: a leaf's hooks run, then its gradient is accumulated. A node without a derivative raises."""
        variable = sink.variable if isinstance(sink, AccumulateGrad) else None
        if variable is not None and variable._hooks:
            g = self._call_hooks(variable._hooks, g)
        if self.observed or sink.hooked:
            g, goes_on = self._arrived(sink, g)
            if goes_on is None:
                return
        if variable is None:
            self.node = sink
            everything: Any = (sink,) * len(sink.next)
            (sink.vjp_tensors if self.over_tensors else sink.vjp)(g, everything)
            return
        if variable._needs_grad is False:
            return
        self.node, came = sink, g is not None
        if came and self.over_tensors:
            _accumulate_tensor(variable, g)
        elif came:
            self.accumulate(variable, g)
            g = None
        if variable._post_accumulate_hooks:
            self._at_leaf(variable)
        if sink.hooked and sink.post_hooks:
            arrived = variable.grad if came and g is None else self._as_tensor(g)
            for post in list(sink.post_hooks.values()):
                post((), (arrived,))

    @staticmethod
    def accumulate(variable: Tensor, g: Any, way: int = BY_PASS) -> None:
        """Adds an array to ``variable.grad``, which keeps it as it is if nobody but the pass can see its memory; ``way`` is how the
        array has come here (backend/ownership.py)."""
        with accumulate_lock:
            have = variable._grad
            if have is None:
                if g.__class__ is not np.ndarray or not is_only_here(g, way):
                    if g.__class__ is ScatteredArray:
                        variable._grad = variable._scattered_gradient(g)
                        return
                    g = np.array(g, order="C")
                like = variable._array
                if not variable._strided:
                    variable._grad = variable.in_own_layout(wrap(g))
                    return
                if g.shape != like.shape:
                    variable._grad = wrap(g if overlaps.lies_as(g, like) else _stretched(g, like.shape).copy())
                    return
                if g.ndim > 1 and g.strides != like.strides and modes.state.keeps_layout:
                    g = _laid_like(g, like)
                variable._grad = wrap(g)
                return
            if not have._strided:
                total = have.added_to(g)
                variable._grad = total if variable._strided else variable.in_own_layout(total)
                return
            have._counter[0] += 1  # first: an interrupt may come right behind the sum
            try:
                add_into(have._array, g)
            except ValueError:  # `.grad` was given another shape in place
                have._counter[0] -= 1
                if is_stretched(have._array):
                    raise overlaps.overlap_error() from None
                check_output(have._array.shape, g.shape)
                raise
            mirrors.renew(have._counter)

    def _as_tensor(self, g: Any) -> Any:
        return g if g is None or self.over_tensors else wrap(g)

    def _from_tensor(self, g: Any) -> Any:
        return g if g is None or self.over_tensors else g._array if g._strided else g.scattered()

    def _fitted(self, node: Node, index: int, g: Any, edge: Edge) -> Any:
        """A gradient in the shape and dtype of what it is for."""
        target, number = edge
        shape, dtype = (target.shape, target.dtype) if target.metas is None else target.metas[number]
        array = g._array if self.over_tensors else g
        if array.shape == shape and array.dtype is dtype:
            return g
        return self._unbroadcast(node, index, g, shape, dtype)

    def _unbroadcast(self, node: Node, index: int, g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """A rule's gradient with broadcasting undone, in the dtype of what it is for: RuntimeError where it cannot be."""
        if dtype is None:  # a leaf that takes a gradient of any dtype
            dtype = (g._array if self.over_tensors else g).dtype
        try:
            return g._unbroadcast(shape, dtype) if self.over_tensors else unbroadcast(g, shape, dtype)
        except ValueError:
            got = list((g._array if self.over_tensors else g).shape)
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got {got} but expected shape "
                f"compatible with {list(shape)}"
            ) from None


def _stretched(g: Any, shape: tuple[int, ...]) -> Any:
    """A gradient in the shape that its leaf was given since the graph was made."""
    check_output(shape, g.shape)
    return backend.expand(g, shape)


def retried_vjp(node: Node, g: Any, edges: tuple[Edge | None, ...], error: Exception, plain: bool = True) -> tuple[Any, ...]:
    """The rules once more without warnings, which the user's filters turned into errors; PyTorch's error for NumPy's."""
    if not plain:
        raise error
    if isinstance(error, ValueError):
        raise of_rule(node, error) from None
    if node.always_runs:  # a Function's warning is the user's
        raise error
    with errstate.silent():
        return node.vjp(g, edges)


def add_cotangent(buffers: dict[Node, Any], node: Node, number: int, g: Any) -> None:
    """Adds a cotangent of one of a node's outputs to what waits for the node."""
    if node.metas is None:
        have = buffers[node] if node in buffers else None  # noqa: SIM401  (a profiler notes the item)
        buffers[node] = (
            g if have is None else summed(have, g) if have.__class__ is np.ndarray and have.size > MANY else have + g
        )
    else:
        values = buffers.get(node)
        if values is None:
            values = buffers[node] = [None] * len(node.metas)
        values[number] = g if values[number] is None else values[number] + g


def _laid_like(array: Any, leaf: Any) -> Any:
    """A gradient whose dimensions lie in memory as its leaf's do; in order where the leaf's elements have gaps or overlap."""
    if array.flags.c_contiguous and leaf.flags.c_contiguous:  # the strides of dimensions of size 1 differ
        return array
    if not overlaps.without_gaps(leaf):
        return np.ascontiguousarray(array)
    laid = np.empty_like(leaf, array.dtype)
    np.copyto(laid, array)
    return laid


def _accumulate_tensor(variable: Tensor, g: Tensor) -> None:
    with accumulate_lock:
        have = variable._grad
        if have is None:
            if modes.special.active and not modes.state.grad_enabled:
                kept = interpreters.ask("detached", g)
                if kept is not NotImplemented:
                    variable._grad = wrap(kept._array.copy()) if type(kept) is Tensor else kept
                    return
            if isinstance(g._array, np.ndarray):
                shape = variable._array.shape if variable._strided else g._array.shape
                fresh = _laid_like(np.empty(shape, g._array.dtype), variable._array)
                variable._grad = wrap(fresh).copy_(g)
            else:  # a wrapper's, which has no memory
                variable._grad = g
        else:
            variable._grad = have + g if have._strided else g + have


def input_edge(tensor: Tensor) -> Edge | None:
    """The edge at which the gradient of a tensor that needs one arrives; None for a view made in no_grad."""
    if tensor._base is not None:
        views.refresh(tensor)
    return tensor._edge or leaf_edge(tensor)


def recording_node() -> Node | None:
    """The node whose backward is running in this thread."""
    task = modes.state.task
    return None if task is None else task.node
