"""The graph of the examples of a ``vmap``, which a ``grad`` inside of it records.

In ``vmap(grad(f))`` an op has a node for what it is on one example, as in PyTorch, with tensors that carry the batch as what it saved. The
pass reads its rule over them. What the batch itself is computed with is recorded one level further out, where somebody may
differentiate what the transforms give.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd import gradients, modes, views
from ..autograd.nodes import Edge, Node, leaf_edge, orders
from ..autograd.saved import Packed, modified, type_name
from ..autograd.source_lines import here
from ..autograd.tangents import held_by
from ..backend.notes import leaf_written
from ..ops import dispatch
from ..ops.table import Op
from ..tensor import Tensor
from . import dynamic_layers
from .batched_tensors import (
    BatchedTensor,
    Level,
    Rule,
    _innermost,
    along,
    batched,
    behind,
    innermost,
    is_batched,
    is_of,
    once_for_all,
    rebatched,
    recorded_as,
)
from .outlines import Unbatchable
from .refused_writes import fitting, refuse_larger
from .shared_tensors import SharedTensor, shared_by_all


def place_of(value: BatchedTensor) -> Edge:
    """The place of an example that is in the graph of examples."""
    edge: Edge | None = value.own_edge or leaf_edge(value)
    assert edge is not None
    return edge


def place_in(value: Any) -> Edge | None:
    """The place of a tensor in the graph of the innermost transform, of an example in that of examples."""
    return value.own_edge if value._of_batch else value._edge


def is_tracked(value: Any) -> bool:
    """Whether a tensor is in that graph."""
    return bool(value.tracked if value._of_batch else value.requires_grad)


class Entrance(Node):
    """Where what a transform was given enters its graph from that around it: PyTorch's graphs lie above each other, and have none."""

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        return (g,)

    vjp_tensors = vjp


def entrance(value: Tensor, edge: Edge) -> Edge:
    """A place for a tensor behind the one it has."""
    node = Entrance()
    node.next, node.order, node.where = (edge,), next(orders), here(sys._getframe(1))
    node.shape, node.dtype = value._array.shape, value._array.dtype
    return node, 0


def beyond(edge: Edge) -> Edge:
    """Where an edge leads to in PyTorch's graphs: past entrances."""
    while isinstance(edge[0], Entrance):
        (edge,) = edge[0].next  # type: ignore[assignment]
    return edge


def was_tracked(value: Tensor) -> bool:
    """Whether a tensor that a transform is given is in a graph that the innermost transform around it records."""
    level = innermost()
    return bool(value.requires_grad) if level is None else is_of(value, level) and bool(value.tracked)  # type: ignore[attr-defined]


def untracked(value: BatchedTensor) -> Tensor:
    """The same example outside of the graph of examples."""
    return value.whole if value.shared else batched(value.whole, value.level)


def tracked_anew(value: Tensor, level: Level) -> BatchedTensor:
    """The same example to differentiate by: a leaf of that graph, or a view of what is in it."""
    if not is_of(value, level):
        value = shared_by_all(value, level)
    assert isinstance(value, BatchedTensor)
    made = value._again()
    made.tracked, made.own_tangents = True, value.own_tangents
    if value.tracked:
        refresh(value)
        made.own_edge = entrance(value, place_of(value))
    return made


class Further(Packed):
    """A tensor that a node of examples saved, with its history in graphs further out and none among them."""

    def __init__(self, value: Tensor) -> None:
        self.packed = value

    def open(self, edge: Edge | None = None) -> Tensor:
        return self.packed


def recorded(op: Op, args: tuple[Any, ...], find_rule: Callable[[Op], Rule]) -> Any:
    """The op, once for all examples of the innermost level, with a node for one of them where a ``grad`` wants it."""
    level = _innermost(args[: len(op.inputs)])
    if level is None:
        return NotImplemented
    given = [one for one in _tensors(args) if isinstance(one, BatchedTensor) and one.level is level]
    shared = [one for one in given if one.shared]
    wholes = tuple([_without_shared(one, level) for one in args]) if shared else args
    if level.outside is None:  # what is shared is left over from a graph that is done
        return op.call(*wholes) if shared else once_for_all(op, args, level, find_rule)
    state = modes.state
    if state.forward_levels and state.forward_enabled and has_own_tangents(args, level):
        return NotImplemented  # forward mode comes first: its level is inside
    with level.around():
        if len(shared) < len(given):
            result = once_for_all(op, wholes, level, find_rule)
        else:
            result = op.call(*wholes)
            several = isinstance(result, tuple)
            again = [_shared(one, given, level) for one in (result if several else (result,))]
            result = tuple(again) if several else again[0]
    for one in given:
        if result is one:  # what an op leaves alone is the same tensor
            return result
    results = list(result) if isinstance(result, tuple) else [result]
    if state.grad_enabled and not level.passing:
        for one in given:
            refresh(one)
        if any(one.tracked for one in given):
            _record(op, args, results, level)
    if op.view and is_of(args[0], level):
        for number, one in enumerate(results):
            one.seen_from, one.version = (args[0], op, args, number), one._counter[0]
    return result


def _without_shared(value: Any, level: Level) -> Any:
    if type(value) in (list, tuple):
        return (
            type(value)(_without_shared(one, level) for one in value) if any(_is_shared(one, level) for one in value) else value
        )
    return value.whole if _is_shared(value, level) else value


def _is_shared(value: object, level: Level) -> bool:
    return isinstance(value, SharedTensor) and value.level is level


def _shared(whole: Any, given: list[Any], level: Level) -> Any:
    return next((one for one in given if one.whole is whole), None) or shared_by_all(whole, level)


def _tensors(args: Sequence[object]) -> Iterator[Tensor]:
    for value in args:
        if isinstance(value, (list, tuple)):
            yield from (one for one in value if isinstance(one, Tensor))
        elif isinstance(value, Tensor):
            yield value


def has_own_tangents(args: Sequence[object], level: Level) -> bool:
    assert level.outside is not None
    outer = level.outside[2]
    for one in _tensors(args):
        if one._of_batch and one.own_tangents and one.level is level:  # type: ignore[attr-defined]
            return True
        if any(key not in outer for key in held_by(one) or ()):
            return True
    return False


def _record(op: Op, args: tuple[Any, ...], results: list[Any], level: Level) -> None:
    """Makes the node of an op on examples of a level."""
    count = len(op.inputs)
    early: dict[str, Further | tuple[object, ...]] = {}
    inputs = list(args[:count])
    for place, value in enumerate(inputs):
        if isinstance(value, BatchedTensor) and value.level is level:
            if value.tracked and op.inputs[place] not in op.sources:
                early[op.inputs[place]] = Further(untracked(value))
        elif isinstance(value, Tensor):
            if value._needs_grad:
                early[op.inputs[place]] = Further(value)
                inputs[place] = value.detach()
        elif isinstance(value, (list, tuple)) and any(_is_further(one, level) for one in value):
            early[op.inputs[place]] = tuple([Further(one) if isinstance(one, Tensor) else one for one in value])
            inputs[place] = [one.detach() if _is_further(one, level) else one for one in value]
    arrays = [_array(value) for value in inputs]
    params = args[count:] + tuple([default for _, default in op.params[len(args) - count :]])
    dispatch.record(op, inputs, arrays, params, results, early)
    if any(kind == "output" for kind, _, _ in op.keep):
        node = next((one.own_edge[0] for one in results if one.tracked), None)
        if node is not None and node.saved:
            node.saved = tuple([_kept(item, results) for item in node.saved])


def _is_further(value: object, level: Level) -> bool:
    """Whether a tensor is of no example of the level and has a history: in a node of examples it is a constant."""
    return isinstance(value, Tensor) and not is_of(value, level) and bool(value._needs_grad)


def _array(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_array(one) for one in value]
    if isinstance(value, Tensor):
        return value._array
    return None if value is None else np.asarray(value)


class Result(Packed):
    """A result that its own node saved: what is made of it again has the node's place, and the node has no reference to itself."""

    def __init__(self, result: BatchedTensor) -> None:
        self.packed, self.counter, self.version = result._again(), result._counter, result._counter[0]

    def open(self, edge: Edge | None = None) -> Tensor:
        if self.counter[0] != self.version and edge is not None:
            array = self.packed._array
            raise modified(edge[0], type_name(array), array.shape, "", self.counter, self.version)
        made = self.packed._again()
        made.own_tangents = self.packed.own_tangents
        if edge is not None:
            made.tracked, made.own_edge = True, edge
        return made


def _kept(item: Any, results: list[Any]) -> Any:
    """What a node keeps of a result."""
    for one in results:
        if one._array is item:
            return Result(one)
    return item


# Views.


def refresh(view: BatchedTensor) -> None:
    """Gives a view of an example its place again after a write through its source, or another view of that."""
    if view.seen_from is None or view.version == view._counter[0]:
        return
    source, op, args, number = view.seen_from
    refresh(source)
    if source.tracked:
        view.own_edge, view.tracked = (_node_of_view(source, op, args, view, number), number), True
    view.version = view._counter[0]


def _node_of_view(source: BatchedTensor, op: Op, args: tuple[Any, ...], view: BatchedTensor, number: int) -> Node:
    stands = source._again()
    stands.tracked, stands.own_edge = True, source.own_edge or (leaf_edge(source) if source.tracked else None)
    found = op.call(stands, *args[1:])
    found = found[number] if isinstance(found, tuple) else found
    return found.own_edge[0]


class WrittenThrough(Node):
    """A write through a view, seen from its source: the view's part of the cotangent is that of what was written."""

    __module__ = "builtins"

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        op, args, number, view = self.saved
        part = op.call(g, *args)
        part = part[number] if isinstance(part, tuple) else part
        around = None
        if edges[0] is not None:
            cotangent = part
            if view.metas is not None:
                cotangent = [None] * len(view.metas)
                cotangent[number] = part
            around = g - view.vjp_tensors(cotangent, ((self, 0),))[0]
        return (around, part)


def adopt(self: BatchedTensor, edge: Edge) -> None:
    """Puts the node of what was written into the history of ``self``, and of what it is a view of."""
    if self.seen_from is not None:
        source, op, args, number = self.seen_from
        node = WrittenThrough()
        node.next = ((source.own_edge or leaf_edge(source)) if source.tracked else None, edge)
        node.saved = (op, args[1:], number, _node_of_view(source, op, args, self, number))
        node.shape, node.dtype = source._array.shape, source._array.dtype
        node.order = next(orders)
        node.where = edge[0].where
        adopt(source, (node, 0))
    self.tracked, self.own_edge, self.version = True, edge, self._counter[0]


def written(function: Callable[..., object], name: str, self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An op in place, while transforms run."""
    dynamic_layers.refuse_captured(self, name)
    level = _innermost([self, *args])
    if level is None:
        return NotImplemented
    if not is_of(self, level) or not self.shared or any(is_batched(one, level) for one in _tensors(args)):
        refuse_larger(name, self, args, level)
    args = fitting(self, args) if is_batched(self, level) else args
    recording = modes.state.grad_enabled
    if level.outside is not None and recording:
        refresh(self)
        if self.tracked and self.own_edge is None:
            raise leaf_written("a leaf Variable that requires grad is being used in an in-place operation.")
    level.has_written = True
    own = modes.state.grad_enabled, modes.state.inference
    result: Any = None

    def of_all(before: Tensor, *others: Any) -> Tensor:
        nonlocal result
        if (recording or modes.state.grad_enabled) and isinstance(before._array, np.ndarray):
            before._array = before._array.copy("K")  # rules may keep views of it, and the write is still to come
        stands = shared_by_all(before, level) if self.shared else batched(before, level)
        stands.tracked, stands.own_edge, stands.own_tangents = self.tracked, self.own_edge, self.own_tangents
        level.writes = True
        try:
            with recorded_as(*own):
                result = function(stands, *args, **kwargs)
        finally:
            level.writes = False
        return result.whole if self.shared and is_of(result, level) else along(result, level)

    with level.around():
        whole: list[Tensor | tuple[Tensor, ...]] = [behind(one) for one in args if isinstance(one, Tensor)]
        if name == "index_put_":  # what looks at memory finds its indices in a tuple
            whole.insert(0, tuple(behind(one) for one in args[0] if isinstance(one, Tensor)))
        views.inplace(of_all, name, self.whole, *whole)
    if recording and is_of(result, level) and result.tracked and level.outside is not None:
        adopt(self, result.own_edge)
    if result is not None and result._of_batch:
        self.own_tangents = result.own_tangents
    return self


# Gradients.


def gradients_of(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Any], **options: Any
) -> Sequence[Any]:
    """``autograd.grad`` of examples: one pass over the batch.

    Where only the cotangents are of a level, the rules are read over them: the graph is the same for all examples.
    """
    level = _innermost([*outputs, *inputs])
    if level is None:
        return gradients._grad(outputs, inputs, cotangents, **options)
    if any(is_of(out, level) and out.tracked for out in outputs):  # type: ignore[attr-defined]
        return _of_graph(outputs, inputs, cotangents, level, **options)
    wholes = [along(out, level) for out in outputs]
    seeds = [
        whole.new_ones(whole._array.shape) if g is None else along(g, level)
        for whole, g in zip(wholes, cotangents, strict=True)
    ]
    places = [one.whole if is_batched(one, level) else one for one in inputs]
    if any(place is one for place, one in zip(places, inputs, strict=True)):
        raise Unbatchable("derivative by what all examples share")
    found = gradients_of(wholes, places, seeds, **options)
    return [None if g is None else rebatched(g, level) for g in found]


def _of_graph(
    outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any], level: Level, **options: Any
) -> Sequence[Any]:
    """A pass through the graph of the examples of a level; graphs further out record it as far as they did its surroundings."""
    if not all(is_of(one, level) for one in inputs):
        raise Unbatchable("derivative by what all examples share")
    for one in (*outputs, *inputs):
        refresh(one)
    before, record = (level.outside, level.passing), options.pop("create_graph")
    level.outside = outside = level.outside or dynamic_layers.surroundings()
    try:
        seeds = [
            out._rewrapped(out.whole.new_ones(out.whole._array.shape)) if g is None and not out._array.ndim else g
            for out, g in zip(outputs, cotangents, strict=True)
        ]
        level.passing = not record
        # What rules make of tensors further out, such as a matrix turned, is in their graphs only where ops are recorded.
        found = gradients._grad(outputs, inputs, seeds, create_graph=True, record=record or outside[0], **options)
    finally:
        level.outside, level.passing = before
    return found if record else [untracked(g) if g is not None and g._of_batch else g for g in found]
