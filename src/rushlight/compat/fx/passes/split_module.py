"""A traced program cut into parts: a submodule for each, and a graph that calls them."""

from __future__ import annotations

import operator
from collections.abc import Callable

from rushlight import nn

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg

_KEPT_OUTSIDE = ("placeholder", "get_attr")


class Partition:
    """The nodes of one part, what comes into it and what others take from it, each in the order of its first use."""

    def __init__(self, name: str) -> None:
        self.name, self.submod_name = name, f"submod_{name}"
        self.nodes: list[Node] = []
        self.inputs: dict[Node, None] = {}
        self.outputs: dict[Node, None] = {}
        self.needs: dict[str, None] = {}


def split_module(
    m: GraphModule,
    root_m: nn.Module,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
) -> GraphModule:
    """A module of submodules ``submod_<part>``, where ``split_callback`` says of each node in which part it is.

    >>> import rushlight as torch
    >>> from rushlight.fx.passes.split_module import split_module
    >>> traced = torch.fx.symbolic_trace(lambda x: (x * 2).relu())
    >>> split = split_module(traced, traced, lambda node: int(node.op == "call_method"))
    >>> [name for name, _ in split.named_children()], split(torch.tensor([-1.0, 3.0]))
    (['submod_0', 'submod_1'], tensor([0., 6.]))
    """
    part_of = {node: str(split_callback(node)) for node in m.graph.nodes if node.op not in (*_KEPT_OUTSIDE, "output")}
    parts = {name: Partition(name) for name in dict.fromkeys(part_of.values())}
    for node, name in part_of.items():
        part = parts[name]
        part.nodes.append(node)
        for source in node.all_input_nodes:
            if part_of.get(source) != name:
                part.inputs.setdefault(source)
                _taken(parts, part_of, source, part)
    ends = next(node for node in m.graph.nodes if node.op == "output")
    for source in ends.all_input_nodes:
        _taken(parts, part_of, source)
    return _whole(m, root_m, _in_order(parts, bool(keep_original_order)), ends, qualname_map)


def _taken(parts: dict[str, Partition], part_of: dict[Node, str], source: Node, by: Partition | None = None) -> None:
    """Notes that a node's value leaves its part."""
    if source in part_of:
        giver = parts[part_of[source]]
        giver.outputs.setdefault(source)
        if by is not None:
            by.needs.setdefault(giver.name)


def _in_order(parts: dict[str, Partition], as_written: bool) -> list[Partition]:
    """The parts, each behind those that it needs. RuntimeError where two need each other."""
    if as_written:
        return list(parts.values())
    waiting = {name: set(part.needs) for name, part in parts.items()}
    ready = [name for name, needs in waiting.items() if not needs]
    done: list[Partition] = []
    while ready:  # the one that became ready last comes first, as in PyTorch
        name = ready.pop()
        done.append(parts[name])
        for other, needs in waiting.items():
            if name in needs:
                needs.remove(name)
                if not needs:
                    ready.append(other)
    if len(done) < len(parts):
        raise RuntimeError("cycle exists between partitions!")
    return done


def _submodule(root: nn.Module, part: Partition, qualname_map: dict[str, str] | None) -> GraphModule:
    graph = Graph()
    held: dict[str, object] = {}
    values: dict[Node, Node] = {}
    for node in part.inputs:
        values[node] = graph.placeholder(str(node.target) if node.op == "placeholder" else node.name, type_expr=node.type)
    for node in part.nodes:
        target = node.target
        if node.op == "call_module":
            target = str(node.target).replace(".", "_")
            held[target] = root.get_submodule(str(node.target))
            if qualname_map is not None:
                qualname_map[f"{part.submod_name}.{target}"] = str(node.target)
        args, kwargs = (map_arg(given, lambda one: values[one]) for given in (node.args, node.kwargs))
        values[node] = graph.create_node(node.op, target, args, kwargs, type_expr=node.type)
        values[node].meta = node.meta.copy()
    outputs = tuple(values[node] for node in part.outputs)
    graph.output(outputs[0] if len(outputs) == 1 else outputs)
    return GraphModule(held, graph)


def _whole(
    m: GraphModule, root: nn.Module, parts: list[Partition], ends: Node, qualname_map: dict[str, str] | None
) -> GraphModule:
    """The graph that calls the parts."""
    graph = Graph()
    held: dict[str, object] = {}
    values: dict[Node, Node] = {}
    for node in m.graph.nodes:
        if node.op in _KEPT_OUTSIDE:
            args = map_arg(node.args, lambda one: values[one])
            values[node] = graph.create_node(node.op, node.target, args, {}, name=node.name, type_expr=node.type)
            values[node].meta = node.meta.copy()
        if node.op == "get_attr":
            held[str(node.target)] = operator.attrgetter(str(node.target))(root)
    for part in parts:
        held[part.submod_name] = _submodule(root, part, qualname_map)
        call = graph.call_module(part.submod_name, tuple(values[node] for node in part.inputs))
        for number, node in enumerate(part.outputs):
            values[node] = call if len(part.outputs) == 1 else graph.call_function(operator.getitem, (call, number))
    graph.output(map_arg(ends.args[0], lambda one: values[one]))
    return GraphModule(held, graph)
