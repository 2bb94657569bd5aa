"""v, J and v^T J of a pass in which re-entrant checkpoints run passes of their own. Nothing runs twice for it: before the pass the
matrices of what lies between the checkpoints are read, each checkpoint's own is its pass's, and at the end they are multiplied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..autograd.function import BackwardCFunction
from ..autograd.nodes import AccumulateGrad, Edge, Node
from ..backend.numpy import Array
from ..utils.checkpoint import CheckpointFunction
from .jacobian import ELEMENTS, Whole, is_small, nodes_of, pulled, size_of
from .values import array_of

Columns = dict[Node, Array]  # of a matrix, by the leaf, or the checkpoint, that they stand for


def is_checkpoint(node: Node) -> bool:
    """Whether a node is a re-entrant checkpoint of one result that no hook looks at."""
    return (
        isinstance(node, BackwardCFunction)
        and issubclass(node._forward_cls, CheckpointFunction)
        and node.metas is None
        and not node.hooked
    )


class Pieces:
    """The matrices between a pass's checkpoints: of its roots, and of what each checkpoint was given, by what they lead to."""

    def __init__(self, roots: Sequence[Edge], v: Array, nodes: Sequence[Node]) -> None:
        self.roots, self.v = roots, v
        self.ends = [node for node in nodes if isinstance(node, AccumulateGrad) or is_checkpoint(node)]
        self.order = sorted((node for node in nodes if node not in self.ends), key=lambda node: node.order)
        self.of_roots = self._columns(roots)
        edges = [(node, index, edge) for node in self.ends for index, edge in enumerate(node.next) if edge is not None]
        self.of_inputs = {(node, index): self._columns([edge]) for node, index, edge in edges}
        self.within: dict[Node, list[tuple[int | AccumulateGrad, Array]]] = {}  # by a checkpoint that ran: its own matrix
        self.found: dict[Node, Columns] = {}

    def _columns(self, roots: Sequence[Edge]) -> Columns:
        rows = sum(size_of(node) for node, _ in roots)
        matrix = np.array([pulled(self.order, self.ends, roots, unit) for unit in np.eye(rows, dtype=self.v.dtype)])
        sizes = np.cumsum([size_of(node) for node in self.ends])
        return dict(zip(self.ends, np.split(matrix, sizes[:-1], axis=1), strict=True))

    def ran(self, node: Node, whole: Whole | None, grads: Sequence[object]) -> None:
        """A checkpoint ran a pass with this matrix; what it gives out is the ``.grad`` of that pass's leaves."""
        if whole is None or not is_checkpoint(node):
            return
        parts: list[tuple[int | AccumulateGrad, Array]] = []
        given = {id(g): index for index, g in enumerate(grads) if g is not None}
        sizes = np.cumsum([size_of(leaf) for leaf in whole.leaves])
        for leaf, part in zip(whole.leaves, np.split(whole.J, sizes[:-1], axis=1), strict=True):
            to = given.pop(id(array_of(leaf.variable._grad)), leaf)
            if isinstance(to, int) and (leaf.hooked or leaf.variable._hooks):
                return  # what goes on is what the hook makes of it
            parts.append((to, part))
        if not given:
            self.within[node] = parts

    def joined(self) -> Whole | None:
        """The matrix of the roots by all leaves, those that the checkpoints use by themselves too; None where it is not small."""
        if not all(node in self.within for node in self.ends if not isinstance(node, AccumulateGrad)):
            return None
        with np.errstate(all="ignore"):
            columns = self._by_leaves(self.of_roots)
            leaves = [node for node in columns if isinstance(node, AccumulateGrad)]
            if not 0 < sum(map(size_of, leaves)) <= ELEMENTS:
                return None
            matrix = np.concatenate([columns[leaf] for leaf in leaves], axis=1)
            return Whole(self.roots, leaves, self.v, matrix, self.v @ matrix, [])

    def _by_leaves(self, columns: Columns) -> Columns:
        """Columns that stand for checkpoints multiplied on, down to the leaves."""
        return _sums(
            (leaf, part @ matrix)
            for node, part in columns.items()
            if isinstance(node, AccumulateGrad) or part.any()  # else no way leads to that checkpoint
            for leaf, matrix in ({node: _eye(part)} if isinstance(node, AccumulateGrad) else self._behind(node)).items()
        )

    def _behind(self, node: Node) -> Columns:
        """The matrix of a checkpoint's result by the leaves."""
        if node not in self.found:
            self.found[node] = _sums(
                (leaf, part @ matrix)
                for to, part in self.within[node]
                for leaf, matrix in (
                    {to: _eye(part)} if isinstance(to, Node) else self._by_leaves(self.of_inputs[node, to])
                ).items()
            )
        return self.found[node]


def _eye(part: Array) -> Array:
    return np.eye(part.shape[1], dtype=part.dtype)


def _sums(parts: Iterable[tuple[Node, Array]]) -> Columns:
    found: Columns = {}
    for node, part in parts:
        found[node] = found[node] + part if node in found else part
    return found


@np.errstate(all="ignore")
def pieces_of(roots: Sequence[Edge], cotangents: Sequence[object]) -> Pieces | None:
    """What can be read before a pass with checkpoints; None where its matrix is not small, or a node has lost what it kept."""
    arrays = [array_of(g) for g in cotangents]
    nodes = nodes_of(roots, is_checkpoint) if all(one is not None for one in arrays) else None
    if nodes is None or not is_small(roots, nodes):
        return None
    checkpoints = [node for node in nodes if is_checkpoint(node)]
    given = [edge[0] for node in checkpoints for edge in node.next if edge is not None]
    if not checkpoints or max(map(size_of, checkpoints + given)) > ELEMENTS:  # else none has a matrix of its own to join
        return None
    try:
        return Pieces(roots, np.concatenate([one.reshape(-1) for one in arrays]), nodes)
    except (RuntimeError, ValueError, IndexError):  # as in a matrix without checkpoints
        return None
