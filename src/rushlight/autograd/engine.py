"""The backward pass.

First the nodes reachable from the roots are counted, then they run: a node runs once all nodes that lead to it have run,
the latest recorded first. Cotangents wait in ``buffers`` until their node's turn and are added up there. The loop is
iterative, so a graph may be as deep as memory allows.

The pass reads the rules in one of two ways: over plain arrays, or, with ``create_graph``, over Tensors, which record
themselves.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush, heappushpop
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import alignment, blockwise, quiet
from ..backend import numpy as backend
from ..backend.late_products import LateProducts
from ..backend.line_sums import fit
from ..backend.ownership import has_own_memory
from ..backend.scattered import ScatteredArray
from ..rooms import carried, provided
from . import modes, reentrant, schedule, views
from .graph import AccumulateGrad, Edge, Node, accumulate_lock, leaf_edge, observers, warn_of_origin
from .hook_results import checked_result, checked_tuple
from .rule_errors import of_rule
from .schedule import counted, leads_to, tie_order

if TYPE_CHECKING:
    from ..tensor import Tensor

# Set by tensor.py, which stands above this room: how to make a Tensor, and how to fit one to a shape and a dtype.
wrap: Callable[[Any], Tensor] = provided("wrap")
sparse_gradient: Callable[[ScatteredArray], Tensor] = provided("sparse_gradient")
fit_tensor: Callable[[Any, tuple[int, ...], np.dtype[Any]], Tensor] = provided("fit_tensor")

_pass_ids = itertools.count()

# Set by overrides/torch_dispatch.py: a gradient as a tensor of its own, seen by modes.
taken: Callable[[Tensor], Tensor] | None = None
LARGE = 1 << 14  # bytes from which on a sum is written over its first summand, if nobody else holds that


def _probe() -> int:
    """What ``sys.getrefcount`` says in :meth:`Pass.accumulate` of an array that only the pass's way there refers to."""

    def finish(g: Any) -> int:
        return accumulate(g)

    def accumulate(g: Any) -> int:
        return sys.getrefcount(g)

    return finish([np.empty(1)].pop())


_HANDED_OVER = _probe()


class Pass:
    """One call of backward or grad."""

    watched = False  # a profiler looks at each node: see profiled_pass.py
    needed: dict[Node, bool] | None = None
    captures: Mapping[Node, list[tuple[int, int]]] = MappingProxyType({})
    captured: list[Any]
    callbacks: list[Callable[[], None]] | None = None
    node: Node | None = None
    finished = False
    roots: Sequence[Edge] = ()
    where: tuple[Any, int] | None = None  # the user's line that began it, once a rule has recorded something
    listened_to: Node | None = None  # has hooks that want to know what arrived

    def __init__(self, keep_graph: bool, create_graph: bool) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.record = create_graph  # a pass over Tensors need not record itself
        self.id = next(_pass_ids)

    @functools.cached_property
    def reached(self) -> dict[Node, int]:
        """How many edges lead to each node of the pass; counted down as it runs, if it goes by them."""
        return counted(self.roots, self.needed)

    def will_run(self, node: Node) -> bool:
        """Whether the pass reaches a node."""
        return node in self.reached

    def will_execute(self, node: Node) -> bool:
        """Whether the pass runs a node, and not only looks at what arrives there."""
        return node in self.reached and (self.needed is None or self.needed.get(node, False))

    def planned(self) -> list[Node]:
        """The nodes of the pass in the order in which they become ready and run, told from the graph alone."""
        return schedule.planned(self.roots, self.needed)

    def capture(self, edges: Sequence[Edge | None], roots: Sequence[Edge]) -> None:
        """Asks for the cotangents that arrive at ``edges`` instead of accumulating, and for nothing else."""
        self.captured = [None] * len(edges)
        captures: dict[Node, list[tuple[int, int]]] = {}
        for index, edge in enumerate(edges):
            if edge is not None:
                captures.setdefault(edge[0], []).append((edge[1], index))
        self.captures = captures
        self.needed = leads_to([node for node, _ in roots], set(captures))
        for node in captures:
            self.needed.setdefault(node, False)

    def accumulate_only(self, edges: Sequence[Edge], roots: Sequence[Edge]) -> None:
        """Accumulates into the given leaves and nowhere else."""
        wanted = {node for node, _ in edges}
        self.needed = leads_to([node for node, _ in roots], wanted)
        for node in wanted:
            self.needed[node] = True

    def call_at_end(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` after the pass, if nothing was raised in it."""
        if self.callbacks is None:
            self.callbacks = []
        self.callbacks.append(callback)

    def new_buffers(self) -> dict[Node, Any]:
        return {}

    def run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        """Runs the pass from ``roots``; cotangents are arrays, or Tensors when the graph is to be created."""
        outer = current.task
        if outer is not None and reentrant.stack_is_filling():
            reentrant.elsewhere(functools.partial(self.run, roots, cotangents))
            return
        previous = modes.state.grad_enabled
        hooks = modes.state.saved_hooks
        modes.state.grad_enabled = self.record
        current.task = self
        self.roots = roots
        try:
            setting = quiet.begin()  # a gradient may be inf or nan without a warning, as in PyTorch
            try:
                if alignment.was_large[0]:
                    alignment.was_large[0] = False
                    before = alignment.begin()
                    try:
                        self._run(roots, cotangents)
                    finally:
                        alignment.end(before)
                else:
                    self._run(roots, cotangents)
            finally:
                quiet.end(setting)
            for callback in self.callbacks or ():
                callback()
        finally:
            modes.state.grad_enabled = previous
            if modes.state.saved_hooks is not hooks:  # entered or left in the middle of the pass
                modes.restore_saved_hooks(hooks)
            current.task = outer
            self.finished = True

    def _run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        needed, captures = self.needed, self.captures
        create_graph, keep_graph = self.create_graph, self.keep_graph
        watched = self.watched
        unwatched = not modes.state.anomaly and not watched
        plain = unwatched and not create_graph
        # A node is recorded after all that it leads to, so of the nodes reached the latest is complete, uncounted. Only of
        # leaves that is not known: they wait for the end, unless somebody looks on.
        unseen = not observers.present and not watched and (not create_graph or bool(captures))
        dependencies = None if unseen else self.reached
        buffers: dict[Node, Any] = self.new_buffers() if watched else {}
        ready: list[tuple[int, Node]] = []  # a heap by order, of what is ready beside `following`
        following: Node | None = None
        sinks: list[Node] = []  # leaves (and nodes that only raise) that are complete: they go before everything else
        leaves: list[Node] = []  # those that wait for the end
        if len(roots) == 1 and unseen and not roots[0][0].at_once:
            following = roots[0][0]
            _deposit(buffers, following, roots[0][1], cotangents[0])
        else:
            for (node, number), g in zip(roots, cotangents, strict=True):
                _deposit(buffers, node, number, g)
        for node in dict.fromkeys([node for node, _ in roots]) if following is None else ():
            if dependencies is None or not dependencies[node]:
                buffers.setdefault(node)
                if node.at_once:
                    (leaves if unseen else sinks).append(node)
                else:
                    heappush(ready, (node.order, node))
        g = None
        try:
            while True:
                if sinks:
                    due = tie_order(sinks)
                    sinks.clear()
                    for sink in due:
                        self._finish(sink, buffers.pop(sink, None))
                if following is None:
                    if not ready:
                        break
                    node = heappop(ready)[1]
                else:
                    node = following
                    following = None
                    if ready and ready[0][0] < node.order:
                        node = heappushpop(ready, (node.order, node))[1]
                g = buffers.pop(node, None)
                edges = node.next
                if node.hooked:
                    g = self._before(node, g)
                if needed is not None:
                    if node in captures and not node.hooked:
                        self._capture(node, g)
                    if not needed.get(node, False):
                        continue
                    edges = tuple([edge if edge is not None and edge[0] in needed else None for edge in edges])
                self.node = node
                if g is None and not node.always_runs:
                    grads: tuple[Any, ...] = (None,) * len(edges)
                elif plain:
                    try:
                        grads = node.vjp(g, edges)
                    except RuntimeWarning:
                        grads = _without_warnings(node, g, edges)
                    except ValueError as error:
                        raise of_rule(node, error) from None
                elif unwatched:
                    grads = node.vjp_tensors(g, edges)
                else:
                    grads = self._watched(node, g, edges)
                if not unseen and node.hooked and node.post_hooks:
                    grads = self._after(node, grads, g)
                if not keep_graph:
                    frees = node.frees
                    if frees:
                        # What only the inputs' own rules ask for was not saved of inputs that are all views made in no_grad.
                        if edges[0] is not None or len(edges) == 1 or node.keeps_anyhow or any(node.next):
                            node.saved = None
                    elif frees is None:
                        node.release()
                index = -1
                for edge in edges:
                    index += 1
                    if edge is None:
                        continue
                    target, number = edge
                    g = grads[index]
                    fresh = target not in buffers
                    if g is not None:
                        array = g._array if create_graph else g
                        if target.metas is None:
                            if array.shape != target.shape or array.dtype is not target.dtype:
                                g = _fit(node, index, g, target.shape, target.dtype, create_graph)
                            if fresh:
                                buffers[target] = g
                            elif array.nbytes < LARGE or create_graph:
                                have = buffers[target]
                                buffers[target] = g if have is None else have + g
                            else:
                                buffers[target] = blockwise.added(buffers.pop, target, g)
                        else:
                            shape, dtype = target.metas[number]
                            if array.shape != shape or array.dtype is not dtype:
                                g = _fit(node, index, g, shape, dtype, create_graph)
                            _deposit(buffers, target, number, g)
                    elif fresh and unseen:
                        buffers[target] = None
                    if dependencies is not None:
                        left = dependencies[target] - 1
                        if left:
                            dependencies[target] = left
                            continue
                    elif not fresh:
                        continue
                    if target.at_once:
                        (leaves if unseen else sinks).append(target)
                    elif following is None:
                        following = target
                    else:
                        heappush(ready, (target.order, target))
                # The last names of arrays here would keep them from being owned by a leaf, or freed.
                array = have = grads = g = None  # type: ignore[assignment]
        except BaseException:
            if unseen:
                waiting = [node for node in (self.node, following, *(node for _, node in ready)) if node is not None]
                pending = counted([(node, 0) for node in waiting], needed)
                self._finish_all([leaf for leaf in leaves if leaf not in pending], buffers)
            raise
        self._finish_all(leaves, buffers)

    def _finish_all(self, leaves: list[Node], buffers: dict[Node, Any]) -> None:
        """The leaves' turn, which have waited for the end; what is left to multiply may read a ``.grad``, so it goes first."""
        for leaf in leaves:
            if buffers[leaf].__class__ is LateProducts:
                buffers[leaf] = buffers[leaf].summed()
        for leaf in leaves:
            self._finish(leaf, buffers.pop(leaf))

    def _finish(self, sink: Node, g: Any) -> None:
        """The end of the way: a leaf's hooks run, then its gradient is captured or accumulated."""
        if not isinstance(sink, AccumulateGrad):  # a node that only raises
            self._give_up(sink, g)
            return
        variable = sink.variable
        if variable._hooks:
            g = self._call_hooks(variable._hooks, g)
        if sink.hooked:
            g = self._before(sink, g)
        if self.needed is not None:
            if sink in self.captures and not sink.hooked:
                self._capture(sink, g)
            if not self.needed.get(sink, False):
                return
        if g is None or variable._needs_grad is False:
            return
        self.node = sink
        if self.create_graph:
            _accumulate_tensor(variable, g)
        else:
            self.accumulate(variable, g)
            g = None
        if variable._post_accumulate_hooks:
            for hook in list(variable._post_accumulate_hooks.values()):
                result = hook(variable)
                if result is not None and result is not variable:
                    kind = type(result).__name__
                    if not hasattr(result, "_array"):
                        raise TypeError(f"expected Variable, but hook returned '{kind}'")
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if sink.hooked and sink.post_hooks:
            arrived = self._as_tensor(g) if g is not None else variable.grad
            for post in list(sink.post_hooks.values()):
                post((), (arrived,))

    def _give_up(self, node: Node, g: Any) -> None:
        """The turn of a node without a derivative: an error, unless the way ends here."""
        if node.hooked:
            g = self._before(node, g)
        if self.needed is not None:
            if node in self.captures and not node.hooked:
                self._capture(node, g)
            if not self.needed.get(node, False):
                return
        self.node = node
        everything: Any = (node,) * len(node.next)
        (node.vjp_tensors if self.create_graph else node.vjp)(g, everything)

    @staticmethod
    def accumulate(variable: Tensor, g: Any, holders: int = _HANDED_OVER) -> None:
        """Adds an array to ``variable.grad``, which keeps it as it is if nobody but the pass can see its memory: if
        ``sys.getrefcount`` says no more than ``holders`` of it here."""
        with accumulate_lock:
            have = variable._grad
            if have is None:
                if g.__class__ is not np.ndarray or sys.getrefcount(g) > holders or not has_own_memory(g):
                    if g.__class__ is ScatteredArray:
                        variable._grad = sparse_gradient(g)
                        return
                    g = np.array(g, order="C")
                like = variable._array
                if not variable._strided:
                    variable._grad = variable.in_own_layout(wrap(g))
                    return
                if g.shape != like.shape:
                    g = _stretched(g, like.shape).copy()
                if g.ndim > 1 and g.strides != like.strides and modes.state.keeps_layout:
                    g = _laid_like(g, like)
                variable._grad = wrap(g)
                return
            if not have._strided:
                total = have.added_to(g)
                variable._grad = total if variable._strided else variable.in_own_layout(total)
                return
            try:
                blockwise.spread(np.add, have._array, g, into=have._array)
            except ValueError:  # `.grad` was given another shape in place
                raise _no_room(have._array.shape, g.shape) from None
            have._counter[0] += 1

    # Hooks deal in Tensors, whatever the reading.

    def _as_tensor(self, g: Any) -> Any:
        return g if g is None or self.create_graph else wrap(g)

    def _from_tensor(self, g: Any) -> Any:
        return g if g is None or self.create_graph else g._array if g._strided else g.scattered()

    def _call_hooks(self, hooks: dict[int, Any], g: Any) -> Any:
        tensor = self._as_tensor(g)
        for hook in list(hooks.values()):
            result = hook(tensor)
            if result is not None:
                tensor = checked_result(hook, result, tensor)
        return self._from_tensor(tensor)

    def _before(self, node: Node, g: Any) -> Any:
        """What happens between a node's cotangents and the node: tensor hooks, retained gradients, captures, pre-hooks."""
        several = node.metas is not None
        values = list(g) if several and g is not None else [g] if not several else [None] * len(node.metas or ())
        needed = self.needed is None or self.needed.get(node, False)
        if needed and node in self.captures:  # as in PyTorch: before the hooks where the pass goes on, else after them
            self._capture(node, g)
        if node.tensor_hooks is not None:
            for number, hooks in list(node.tensor_hooks.items()):
                if hooks:
                    values[number] = self._call_hooks(hooks, values[number])
        if node.retained is not None:
            for number, reference in node.retained.items():
                tensor, value = reference(), values[number]
                if tensor is not None and value is not None:
                    g_tensor: Any = value.clone() if self.create_graph else wrap(np.array(value))
                    if not g_tensor._of_batch:  # an example of a batch is gone when the batch is done
                        tensor._grad = g_tensor if tensor._grad is None else tensor._grad + g_tensor
        if not needed:
            if node in self.captures:
                self._capture(node, values if several else values[0])
            return None
        self.listened_to = node if node.post_hooks else None
        if node.pre_hooks:
            tensors = tuple(self._as_tensor(value) for value in values)
            for hook in list(node.pre_hooks.values()):
                tensors = checked_tuple(hook, hook(tensors), tensors)
            values = [self._from_tensor(tensor) for tensor in tensors]
        if several:
            return None if all(value is None for value in values) else values
        return values[0]

    def _after(self, node: Node, grads: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
        inputs = tuple(
            self._as_tensor(value if value is None or edge is None else self._fitted(node, index, value, edge))
            for index, (value, edge) in enumerate(zip(grads, node.next, strict=True))
        )
        outputs: tuple[Any, ...]
        if self.listened_to is not node:  # its first hook came while it ran: what arrived is not kept for nobody
            outputs = (None,) * (1 if node.metas is None else len(node.metas))
        elif node.metas is not None and g is not None:
            outputs = tuple(self._as_tensor(value) for value in g)
        else:
            outputs = (self._as_tensor(g),)
        for hook in list((node.post_hooks or {}).values()):
            inputs = checked_tuple(hook, hook(inputs, outputs), inputs)
        return tuple(self._from_tensor(value) for value in inputs)

    def _fitted(self, node: Node, index: int, g: Any, edge: Edge) -> Any:
        """A gradient in the shape and dtype of what it is for, as hooks behind a node see it."""
        target, number = edge
        shape, dtype = (target.shape, target.dtype) if target.metas is None else target.metas[number]
        array = g._array if self.create_graph else g
        if array.shape == shape and array.dtype is dtype:
            return g
        return _fit(node, index, g, shape, dtype, self.create_graph)

    def _capture(self, node: Node, g: Any) -> None:
        for number, index in self.captures[node]:
            self.captured[index] = g if node.metas is None or g is None else g[number]

    def _watched(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        """A node read over Tensors, or under anomaly detection: then its forward traceback is shown with any error, and nan
        is one."""
        if not modes.state.anomaly:
            return node.vjp_tensors(g, edges)
        try:
            grads = (node.vjp_tensors if self.create_graph else node.vjp)(g, edges)
            if modes.state.anomaly_check_nan:
                for index, ga in enumerate(grads):
                    array = None if ga is None else ga._array if self.create_graph else np.asarray(ga)
                    if array is not None and array.dtype.kind in "fc" and np.isnan(array).any():
                        raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")
            return grads
        except Exception as error:
            warn_of_origin(node)
            if isinstance(error, ValueError):
                raise of_rule(node, error) from None
            raise


profiled: Callable[[bool, bool], Pass] = provided("profiled")
observed: Callable[[bool, bool], Pass] | None = None  # makes the passes while somebody observes them


def new_pass(keep_graph: bool, create_graph: bool) -> Pass:
    """A pass for where something unusual is on: a profiler or an observer looks at it."""
    if modes.state.recorder is not None:
        return profiled(keep_graph, create_graph)
    return (Pass if observed is None else observed)(keep_graph, create_graph)


class _Current(threading.local):
    task: Pass | None = None


current = carried(_Current())


def _stretched(g: Any, shape: tuple[int, ...]) -> Any:
    """A gradient in the shape that its leaf was given since the graph was made."""
    try:
        return backend.expand(g, shape)
    except ValueError:
        raise _no_room(shape, g.shape) from None


def _no_room(shape: tuple[int, ...], other: tuple[int, ...]) -> RuntimeError:
    from ..ops.dispatch import broadcast_error  # stands above this room

    wrong = broadcast_error([shape, other])
    if wrong is not None:
        return wrong
    together = np.broadcast_shapes(shape, other)
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(together)}")


def _deposit(buffers: dict[Node, Any], node: Node, number: int, g: Any) -> None:
    if g is None:
        return
    if node.metas is None:
        have = buffers.get(node)
        buffers[node] = g if have is None else have + g
    else:
        values = buffers.get(node)
        if values is None:
            values = buffers[node] = [None] * len(node.metas)
        values[number] = g if values[number] is None else values[number] + g


def _without_warnings(node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
    """A rule once more, after a warning of NumPy's that the user's filters turn into an error; a Function's is the user's."""
    if node.always_runs:
        raise
    with np.errstate(all="ignore"):
        return node.vjp(g, edges)


def _fit(node: Node, index: int, g: Any, shape: tuple[int, ...], dtype: np.dtype[Any], create_graph: bool) -> Any:
    if dtype is None:  # a leaf that takes a gradient of any dtype
        dtype = (g._array if create_graph else g).dtype
    try:
        if create_graph:
            return fit_tensor(g, shape, dtype)
        if modes.special.active and modes.state.recorder is not None:
            with modes.state.recorder.span("aten::to" if g.shape == shape else "aten::sum"):
                return fit(g, shape, dtype)
        return fit(g, shape, dtype)
    except ValueError:
        got = list((g._array if create_graph else g).shape)
        raise RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - got {got} but expected shape "
            f"compatible with {list(shape)}"
        ) from None


def _laid_like(g: Any, leaf: Any) -> Any:
    """A gradient whose dimensions lie in memory as its leaf's do; in order where the leaf's elements have gaps or overlap."""
    if g.flags.c_contiguous and leaf.flags.c_contiguous:  # the strides of dimensions of size 1 differ
        return g
    if not views.without_gaps(leaf):
        return np.ascontiguousarray(g)
    laid = np.empty_like(leaf, g.dtype)
    np.copyto(laid, g)
    return laid


def _accumulate_tensor(variable: Tensor, g: Tensor) -> None:
    with accumulate_lock:
        have = variable._grad
        if have is None:
            if taken is not None and not modes.state.grad_enabled:
                variable._grad = taken(g)
            elif isinstance(g._array, np.ndarray):
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
    task = current.task
    return None if task is None else task.node
