"""v, J and v^T J of a whole graph, read by a dry pass over its rules: nothing is freed, accumulated or called of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.graph import AccumulateGrad, Edge, Node
from ..autograd.views import CopySlices
from ..backend.line_sums import unbroadcast
from ..ops.saved import Packed
from ..tensor import Tensor
from .entries import Entry
from .recording import Recording
from .values import plain

ELEMENTS, NODES = 36, 60


def jacobian_of(recording: Recording, roots: Sequence[Edge], cotangents: Sequence[Any]) -> Entry | None:
    """The matrix of the roots by the leaves, if it is small and every node is an op's that has kept what it needs."""
    arrays = [g._array if isinstance(g, Tensor) else g for g in cotangents]
    nodes = _nodes(roots) if all(type(one) is np.ndarray for one in arrays) else None
    if nodes is None or any(one[0].metas is not None for one in roots):
        return None
    leaves = [node for node in nodes if isinstance(node, AccumulateGrad)]
    order = sorted((node for node in nodes if not isinstance(node, AccumulateGrad)), key=lambda node: node.order)
    rows, columns = sum(_size(node) for node, _ in roots), sum(_size(node) for node in leaves)
    if any(node.dtype is None or node.dtype.kind != "f" for node in nodes):
        return None
    if not 0 < rows <= ELEMENTS or not 0 < columns <= ELEMENTS or len({node for node, _ in roots}) != len(roots):
        return None
    v = np.concatenate([one.reshape(-1) for one in arrays])
    try:
        matrix = [_pulled(order, leaves, roots, unit) for unit in np.eye(rows, dtype=v.dtype)]
        product = _pulled(order, leaves, roots, v)
    except RuntimeError:  # a rule that will raise in the pass too: a value was written over
        return None
    numbers = [recording.node(node) for node, _ in roots]
    return {
        "roots": [recording.nodes[number]["variable"] or recording._made.get((number, 0)) for number in numbers],
        "leaves": [recording.nodes[recording.node(leaf)]["variable"] for leaf in leaves],
        "v": plain(v.tolist()), "J": plain(np.array(matrix).tolist()), "vJ": plain(product.tolist()), "chain": [],
    }  # fmt: skip


def _size(node: Node) -> int:
    return int(np.prod(node.shape))


def _nodes(roots: Sequence[Edge]) -> list[Node] | None:
    found: dict[Node, None] = {}
    waiting = [node for node, _ in roots]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = None
        is_leaf = isinstance(node, AccumulateGrad)
        if len(found) > NODES or not (is_leaf or _readable(node)):
            return None
        waiting += [edge[0] for edge in node.next if edge is not None]
    return list(found)


def _readable(node: Node) -> bool:
    """Whether a node's rule is the table's, and it still has what that asks for."""
    if isinstance(node, CopySlices):
        return node.inner is not None and not node.hooked and _readable(node.inner)
    op = getattr(node, "op", None)
    if op is None or op.name in ("embedding", "embedding_bag") or node.metas is not None or node.hooked:
        return False
    return node.saved is not None and not any(isinstance(one, Packed) for one in node.saved)


def _pulled(order: list[Node], leaves: list[Any], roots: Sequence[Edge], v: Any) -> Any:
    """v^T J as one row."""
    waiting: dict[Node, Any] = {}
    place = 0
    for node, _ in roots:
        waiting[node] = v[place : place + _size(node)].reshape(node.shape)
        place += _size(node)
    for node in order:
        g = waiting.pop(node, None)
        if g is None:
            continue
        for one, edge in zip(node.vjp(g.copy(), node.next), node.next, strict=True):
            if one is not None and edge is not None:
                target = edge[0]
                fitted = np.array(unbroadcast(np.asarray(one), target.shape, target.dtype))
                waiting[target] = fitted if target not in waiting else waiting[target] + fitted
    return np.concatenate([np.asarray(waiting.get(leaf, np.zeros(leaf.shape, leaf.dtype))).reshape(-1) for leaf in leaves])
