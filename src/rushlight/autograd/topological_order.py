"""Which nodes a pass reaches, and in which order they run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from .nodes import Edge, Node


def reached(roots: Iterable[Node], ends: Collection[Node] = ()) -> Iterator[Node]:
    """The nodes that some nodes lead to, and these themselves, each once; ``ends`` and what only they lead to is left out."""
    seen = set(ends)
    waiting = [node for node in dict.fromkeys(roots) if node not in seen]
    seen.update(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        for edge in node.next:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                waiting.append(edge[0])


def count_dependencies(roots: Sequence[Edge], needed: dict[Node, bool] | None) -> dict[Node, int]:
    """How many edges lead to each node that the pass will reach."""
    dependencies = dict.fromkeys((node for node, _ in roots), 0)
    stack = list(dependencies)
    while stack:
        node = stack.pop()
        edges: Iterable[tuple[Node, int] | None]
        if needed is not None:
            if not needed.get(node, False):
                continue
            edges = [edge for edge in node.next if edge is not None and edge[0] in needed]
        else:
            edges = node.next
        for edge in edges:
            if edge is not None:
                target = edge[0]
                if target in dependencies:
                    dependencies[target] += 1
                else:
                    dependencies[target] = 1
                    stack.append(target)
    return dependencies


def leads_to(roots: Sequence[Node], wanted: set[Node]) -> dict[Node, bool]:
    """The nodes from which one of ``wanted`` is reached through at least one edge."""
    leads: dict[Node, bool] = {}
    seen: set[Node] = set()
    path: list[Node] = []
    stack: list[Node | None] = [*roots]  # None: all that the last node of the path leads to was looked at
    while stack:
        node = stack.pop()
        if node is None:
            node = path.pop()
            for edge in node.next:
                if edge is not None and (edge[0] in wanted or edge[0] in leads):
                    leads[node] = True
                    break
        elif node not in seen:
            seen.add(node)
            path.append(node)
            stack.append(None)
            for edge in node.next:
                if edge is not None and edge[0] not in seen and edge[0].next:
                    stack.append(edge[0])
    return leads


def execution_order(roots: Sequence[Edge], needed: dict[Node, bool] | None) -> list[Node]:
    """The nodes of a pass in the order in which they become ready and run, told from the graph alone."""
    waiting = count_dependencies(roots, needed)
    ready = [(node.order, place, node) for place, node in enumerate(waiting) if not waiting[node]]
    heapify(ready)
    plan: list[Node] = []
    while ready:
        node = heappop(ready)[2]
        plan.append(node)
        for edge in node.next if needed is None or needed.get(node, False) else ():
            if edge is not None and edge[0] in waiting:
                waiting[edge[0]] -= 1
                if not waiting[edge[0]]:
                    heappush(ready, (edge[0].order, -len(plan), edge[0]))
    return plan


def tie_order(sinks: list[Node]) -> list[Node]:
    """Leaves, and nodes that only raise, that became ready together, as PyTorch's queue of equal priorities gives them out.

    That queue is a binary heap in an array: the last element takes the place of the first and sinks, to the right where
    both children are equal. Seen by hooks, and where one of them raises.
    """
    if len(sinks) < 3:
        return list(sinks)
    heap, order = list(sinks), []
    while heap:
        order.append(heap[0])
        last = heap.pop()
        if not heap:
            break
        hole, size = 0, len(heap)
        while 2 * hole + 2 < size:
            heap[hole] = heap[2 * hole + 2]
            hole = 2 * hole + 2
        if 2 * hole + 2 == size:
            heap[hole] = heap[2 * hole + 1]
            hole = 2 * hole + 1
        heap[hole] = last
    return order
