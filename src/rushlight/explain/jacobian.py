"""v, J and v^T J of a whole graph, read by a dry pass over its rules: nothing is freed, accumulated or called of the user's."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.nodes import AccumulateGrad, Edge, Node
from ..autograd.saved import Packed
from ..autograd.views import CopySlices
from ..backend.numpy import Array
from ..backend.unbroadcast import unbroadcast
from .entries import Entry
from .recording import Recording
from .values import array_of, plain

ELEMENTS, NODES = 36, 60  # of the whole program's matrix
LOCAL, LOCALS = 9, 200  # elements of either side of a node's own matrix, and how many nodes have theirs shown
LINKS = 12  # of a chain


@dataclass
class Whole:
    """The matrix of the roots by the leaves, with v and v^T J."""

    roots: Sequence[Edge]
    leaves: list[AccumulateGrad]
    v: Array
    J: Array
    vJ: Array
    chain: list[Entry]

    def entry(self, recording: Recording) -> Entry:
        """As a recording has it."""
        numbers = [recording.node(node) for node, _ in self.roots]
        return {
            "roots": [recording.nodes[number]["variable"] or recording._made.get((number, 0)) for number in numbers],
            "leaves": [recording.nodes[recording.node(leaf)]["variable"] for leaf in self.leaves],
            "v": plain(self.v.tolist()), "J": plain(self.J.tolist()), "vJ": plain(self.vJ.tolist()), "chain": self.chain,
        }  # fmt: skip


@np.errstate(all="ignore")  # as in the pass itself, which has not begun yet
def jacobian_of(recording: Recording, roots: Sequence[Edge], cotangents: Sequence[Any]) -> Whole | None:
    """The matrix of the roots by the leaves, if it is small and every node is an op's that has kept what it needs."""
    arrays = [array_of(g) for g in cotangents]
    nodes = nodes_of(roots) if all(one is not None for one in arrays) else None
    if nodes is None or not is_small(roots, nodes):
        return None
    leaves = [node for node in nodes if isinstance(node, AccumulateGrad)]
    order = sorted((node for node in nodes if not isinstance(node, AccumulateGrad)), key=lambda node: node.order)
    if not any(map(size_of, leaves)):
        return None
    v = np.concatenate([one.reshape(-1) for one in arrays])
    try:
        matrix = [pulled(order, leaves, roots, unit) for unit in np.eye(len(v), dtype=v.dtype)]
        product = pulled(order, leaves, roots, v)
    except (RuntimeError, ValueError, IndexError):  # a rule that will raise in the pass too: a value was written over
        return None
    return Whole(roots, leaves, v, np.array(matrix), product, _chain(recording, roots, leaves, v))


def is_small(roots: Sequence[Edge], nodes: Sequence[Node]) -> bool:
    """Whether a pass's matrix, which is of real numbers, has few rows and columns."""
    if any(node.metas is not None for node, _ in roots) or any(node.dtype is None or node.dtype.kind != "f" for node in nodes):
        return False
    rows, columns = (
        sum(size_of(node) for node, _ in roots),
        sum(size_of(node) for node in nodes if isinstance(node, AccumulateGrad)),
    )
    return 0 < rows <= ELEMENTS and columns <= ELEMENTS and len({node for node, _ in roots}) == len(roots)


def size_of(node: Node) -> int:
    """How many elements a node's result, or a leaf, has."""
    return int(np.prod(node.shape))


def nodes_of(roots: Sequence[Edge], is_known: Callable[[Node], bool] = lambda node: False) -> list[Node] | None:
    """The nodes of a pass; None of too many, or where one's rule cannot be asked and it is not known otherwise."""
    found: dict[Node, None] = {}
    waiting = [node for node, _ in roots]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = None
        is_leaf = isinstance(node, AccumulateGrad)
        if len(found) > NODES or not (is_leaf or is_readable(node) or is_known(node)):
            return None
        waiting += [edge[0] for edge in node.next if edge is not None]
    return list(found)


def local_matrices(node: Node, most: int) -> dict[int, Any]:
    """A node's own matrices by the number of its edge: of its output by what the edge leads to. Empty where one is larger than
    ``most`` on a side, or the rule cannot be asked."""
    if node.metas is not None or node.dtype is None or node.dtype.kind != "f" or not is_readable(node):
        return {}
    targets = [edge[0] for edge in node.next if edge is not None]
    if any(one.metas is not None or one.dtype is None or one.dtype.kind != "f" or size_of(one) > most for one in targets):
        return {}
    rows: dict[int, list[Any]] = {}
    for unit in np.eye(size_of(node), dtype=node.dtype) if 0 < size_of(node) <= most else ():
        try:
            given = _given(node, unit.reshape(node.shape))
        except (RuntimeError, ValueError, IndexError):  # it will raise in the pass too
            return {}
        for index, _, one in given:
            rows.setdefault(index, []).append(one.reshape(-1))
    return {index: np.array(one) for index, one in rows.items() if len(one) == size_of(node)}


def _given(node: Node, g: Array) -> list[tuple[int, Node, Array]]:
    """What a node's rules give: the number of each edge, where it leads to, and what arrives there."""
    edges = enumerate(zip(node.vjp(g.copy(), node.next), node.next, strict=True))
    return [
        (index, edge[0], np.array(unbroadcast(np.asarray(one), edge[0].shape, edge[0].dtype)))
        for index, (one, edge) in edges
        if one is not None and edge is not None
    ]


def _chain(recording: Recording, roots: Sequence[Edge], leaves: list[AccumulateGrad], v: Any) -> list[Entry]:
    """Each node's matrix and the row behind it, where the nodes lie in one line: v^T J3 J2 J1."""
    links: list[Entry] = []
    if len(roots) != 1 or len(leaves) != 1:
        return links
    node, row = roots[0][0], v
    while not isinstance(node, AccumulateGrad):
        targets = {edge for edge in node.next if edge is not None}
        matrices = local_matrices(node, ELEMENTS) if len(targets) == 1 and len(links) < LINKS else {}
        if not matrices:
            return []
        matrix = np.sum(list(matrices.values()), axis=0)
        given = [one for _, _, one in _given(node, row.reshape(node.shape))]
        row = functools.reduce(operator.add, given).reshape(-1)  # as in the pass: to the last bit what arrives
        links.append({"node": recording.node(node), "J": plain(matrix.tolist()), "row": plain(row.tolist())})
        ((node, _),) = targets
    return links


def is_readable(node: Node, several: bool = False) -> bool:
    """Whether a node's rule is the table's, and it still has what that asks for; ``several``: also of several outputs."""
    if isinstance(node, CopySlices):
        return node.saved is not None and not node.hooked and is_readable(node.saved[0])
    op = getattr(node, "op", None)
    if op is None or op.name in ("embedding", "embedding_bag") or node.hooked or (node.metas is not None and not several):
        return False
    return node.saved is not None and not any(isinstance(one, Packed) for one in node.saved)


def pulled(order: list[Node], leaves: list[Any], roots: Sequence[Edge], v: Any) -> Any:
    """v^T J as one row, of the columns of ``leaves``: whatever the nodes of ``order`` lead to."""
    waiting: dict[Node, Any] = {}
    place = 0
    for node, _ in roots:
        waiting[node] = v[place : place + size_of(node)].reshape(node.shape)
        place += size_of(node)
    for node in order:
        g = waiting.pop(node, None)
        if g is None:
            continue
        for _, target, one in _given(node, g):
            waiting[target] = one if target not in waiting else waiting[target] + one
    return np.concatenate([np.asarray(waiting.get(leaf, np.zeros(leaf.shape, leaf.dtype))).reshape(-1) for leaf in leaves])
