"""Where a view stands in the graph after its base was written to."""

from __future__ import annotations

from ..tensor import Tensor
from . import modes
from .nodes import Edge, Node, leaf_edge, orders


def place_anew(base: Tensor, view: Tensor) -> Edge:
    """The place of a view on top of its base's place now: a node of its strides, or the steps that made it where the program
    wants them, or where they go through other kinds of numbers."""
    steps, through_other_kinds = steps_to(base, view)
    if steps and modes.state.view_replay:
        edge = base._edge or leaf_edge(base)
        for node, number in steps:
            edge = taken_anew(node, number, edge)
        assert edge is not None
        return edge
    return (through_other_kinds and base._place_through_other_kinds(steps)) or (base._as_strided_node(view), 0)


def steps_to(base: Tensor, view: Tensor) -> tuple[list[Edge], bool]:
    """The steps that made a view of its base as far as they are known; and whether one of them saw complex numbers as real ones
    (or the other way round), which no strides can say."""
    steps: list[Edge] = []
    edge, through_other_kinds = view._edge, base._array.dtype is not view._array.dtype
    while edge is not None and (op := getattr(type(edge[0]), "op", None)) is not None and op.view:
        steps.insert(0, edge)
        through_other_kinds = through_other_kinds or op.name == "view_as_real"
        edge = edge[0].next[0]
    return steps, bool(steps) and through_other_kinds


def taken_anew(node: Node, number: int, edge: Edge | None) -> Edge:
    """A step that made a view once more, from what ``edge`` says."""
    again = object.__new__(type(node))
    again.next, again.saved, again.where = (edge,), node.saved, node.where
    again.shape, again.dtype, again.metas, again.order = node.shape, node.dtype, node.metas, next(orders)
    return again, number
