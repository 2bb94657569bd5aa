"""Finding a small graph in a large one, and putting another in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule, _copy_attr
from .node import Node

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

Pattern = Callable[..., Any] | GraphModule


class Match(NamedTuple):
    """Where a pattern was found: the node that its result is, and which node stands for each of the pattern's."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A match, and what stands in its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def _like(pattern: Any, found: Any, held: dict[Node, Node]) -> bool:
    """Whether what was found is built as the pattern's argument; nodes are noted in ``held``."""
    if isinstance(pattern, Node):
        return isinstance(found, Node) and _matches(pattern, found, held)
    if isinstance(pattern, list | tuple):
        is_same = isinstance(found, list | tuple) and len(pattern) == len(found)
        return is_same and all(_like(one, other, held) for one, other in zip(pattern, found, strict=True))
    if isinstance(pattern, dict):
        is_same = isinstance(found, dict) and pattern.keys() == found.keys()
        return is_same and all(_like(value, found[key], held) for key, value in pattern.items())
    if isinstance(pattern, slice):
        ends = ("start", "stop", "step")
        return isinstance(found, slice) and all(_like(getattr(pattern, one), getattr(found, one), held) for one in ends)
    return not isinstance(found, Node) and type(pattern) is type(found) and bool(pattern == found)


def _matches(pattern: Node, node: Node, held: dict[Node, Node]) -> bool:
    """Whether the graph that ends in ``node`` is as the pattern that ends in ``pattern``."""
    if pattern in held:
        return held[pattern] is node
    if pattern.op == "placeholder":
        held[pattern] = node
        return True
    if pattern.op != node.op or pattern.target != node.target or len(pattern.args) != len(node.args):
        return False
    held[pattern] = node
    return _like(pattern.args, node.args, held) and _like(dict(pattern.kwargs), dict(node.kwargs), held)


def _is_closed(held: dict[Node, Node], ends: list[Node]) -> bool:
    """Whether only the match itself uses what is inside of it."""
    inner = {node for pattern, node in held.items() if pattern.op != "placeholder"}
    return all(node in ends or all(user in inner for user in node.users) for node in inner)


def _found(graph: Graph, pattern: Graph) -> list[dict[Node, Node]]:
    """The matches of a pattern, none of whose nodes is in two of them."""
    result = pattern.output_node().args[0]
    ends = list(result) if isinstance(result, list | tuple) else [result]
    taken: set[Node] = set()
    matches = []
    for node in graph.nodes:
        held: dict[Node, Node] = {}
        if len(ends) != 1 or not _matches(ends[0], node, held):
            continue
        inner = [one for each, one in held.items() if each.op not in ("placeholder", "get_attr")]
        if inner and not taken.intersection(inner) and _is_closed(held, [node]):
            taken.update(inner)
            matches.append(held)
    return matches


def _traced(pattern: Pattern) -> GraphModule:
    return pattern if isinstance(pattern, GraphModule) else symbolic_trace(pattern)


def replace_pattern(gm: GraphModule, pattern: Pattern, replacement: Pattern) -> list[Match]:
    """Puts ``replacement`` in the place of every part of ``gm`` that does what ``pattern`` does; gives where it was.

    Both are functions or GraphModules with the same inputs, and one result. A part is found where it calls the same with the same
    arguments, and nothing outside of it uses what is inside.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> matches = torch.fx.replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.sigmoid(x).neg())
    >>> print(traced.code.strip())
    def forward(self, x):
        sigmoid = torch.sigmoid(x);  x = None
        neg = sigmoid.neg();  sigmoid = None
        add = neg + 1;  neg = None
        return add
    """
    return [Match(one.anchor, one.nodes_map) for one in replace_pattern_with_filters(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Pattern,
    replacement: Pattern,
    match_filters: list[Callable[[Match, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
) -> list[ReplacedPatterns]:
    """:func:`replace_pattern` where all of ``match_filters(match, graph, pattern)`` say so."""
    wanted, new = _traced(pattern).graph, _traced(replacement)
    inputs = [node for node in wanted.nodes if node.op == "placeholder"]
    anchor = wanted.output_node().all_input_nodes[0]
    replaced: list[ReplacedPatterns] = []
    others: dict[Node, Node] = {}  # what stands for nodes that were replaced
    for held in _found(gm.graph, wanted):
        match = Match(anchor, held)
        if not all(accepts(match, gm.graph, wanted) for accepts in match_filters or ()):
            continue
        given = [others.get(held[one], held[one]) for one in inputs if one in held]
        values = dict(zip((node for node in new.graph.nodes if node.op == "placeholder"), given, strict=True))
        before = set(gm.graph.nodes)
        end = held[anchor]
        with gm.graph.inserting_before(end):
            result = gm.graph.graph_copy(new.graph, values)
        assert isinstance(result, Node)
        end.replace_all_uses_with(result)
        others[end] = result
        for node in [one for each, one in held.items() if each.op != "placeholder"]:
            if not node.users:
                gm.graph.erase_node(node)
        for each, one in reversed(list(held.items())):
            if each.op != "placeholder" and not one.users and not one._erased:
                gm.graph.erase_node(one)
        made = [node for node in gm.graph.nodes if node not in before]
        for node in made:
            if node.op in ("get_attr", "call_module"):
                _copy_attr(new, gm, node.target)
        replaced.append(ReplacedPatterns(anchor, held, made))
    gm.recompile()
    return replaced
