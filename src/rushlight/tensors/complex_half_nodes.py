"""The graph of what is computed with half-precision complex numbers in single precision: it shows no casts, as PyTorch's does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import modes
from ..autograd.nodes import Edge, Node, coming_number
from ..backend.numpy import is_complex_half
from ..base import dtypes
from ..tensor import Tensor

_HALF = dtypes.named("complex32")
_NARROW = {dtypes.complex64: _HALF, dtypes.float32: dtypes.float16}
_ROUNDED = (dtypes.complex64, dtypes.complex128, dtypes.float32, dtypes.float64)  # where they have no dimensions
_WIDE = {_HALF: dtypes.complex64, dtypes.float16: dtypes.float32}


class _OfHalves(Node):
    """A node whose cotangents are halves, and whose rules reckon in single precision."""

    def vjp(self, g: object, edges: tuple[Edge | None, ...]) -> tuple[object, ...]:
        return _summed(super().vjp(_wide(g), edges), edges)  # type: ignore[safe-super]

    def vjp_tensors(self, g: object, edges: tuple[Edge | None, ...]) -> tuple[object, ...]:
        return _summed(super().vjp_tensors(_wide(g), edges), edges)  # type: ignore[safe-super]


def _wide(g: object) -> object:
    if isinstance(g, Tensor):
        return g.to(_WIDE.get(g.dtype, g.dtype))
    if isinstance(g, np.ndarray):
        kind = dtypes.of(g.dtype)
        return g.astype(_WIDE.get(kind, kind).numpy, copy=False)
    return [_wide(one) for one in g] if isinstance(g, (list, tuple)) else g


def _summed(grads: tuple[Any, ...], edges: tuple[Edge | None, ...]) -> tuple[object, ...]:
    """What the rules have given. PyTorch's error for an input that was broadcast: it cannot sum such numbers."""
    for g, edge in zip(grads, edges, strict=False):
        target = None if g is None or edge is None or edge[0].metas is not None else edge[0]
        if target is not None and target.dtype is not None and tuple(g.shape) != target.shape and is_complex_half(target.dtype):
            raise NotImplementedError("\"sum_cpu\" not implemented for 'ComplexHalf'")
    return grads


_classes: dict[object, type[Node]] = {}


def _of_halves(cls: type[Node]) -> type[Node]:
    if cls not in _classes:
        _classes.setdefault(cls, type(cls.__name__, (_OfHalves, cls), {"__module__": cls.__module__}))
    return _classes[cls]


def _narrow(meta: tuple[tuple[int, ...], np.dtype[np.generic]]) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    kind = dtypes.of(meta[1])
    return meta[0], _NARROW.get(kind, kind).numpy


class Casts:
    """Those of one call: of its inputs to single precision, and of its results back.

    ``wider``  whether its results are of more than halves
    """

    def __init__(self, wider: bool) -> None:
        self.wider = wider
        self.before = coming_number()
        self.sources: dict[Node, Edge | None] = {}  # of the nodes of casts
        self.seen: set[Node] = set()

    def widened(self, tensor: Tensor) -> Tensor:
        """An input as the function gets it."""
        rounded = tensor
        if not is_complex_half(tensor._array.dtype):
            if self.wider or tensor._array.ndim or tensor.dtype not in _ROUNDED:
                return tensor
            rounded = tensor.to(_HALF if tensor.dtype.is_complex else dtypes.float16)
        wide = rounded.to(_WIDE[rounded.dtype])
        if wide._edge is not None:
            first = wide if rounded is tensor else rounded
            self.sources[wide._edge[0]] = first._edge[0].next[0] if first._edge is not None else None
        return wide

    def narrowed(self, tensor: Tensor) -> Tensor:
        """A result in halves, of the node that the function gave it."""
        narrow, edge = _NARROW.get(tensor.dtype), tensor._edge
        if narrow is None or edge is None or edge[0] in self.sources or modes.state.forward_levels:
            return tensor if narrow is None else tensor.to(narrow)
        result = tensor.detach().to(narrow)
        self._spliced(edge[0], halves=True)
        result._edge, result._needs_grad = edge, tensor._needs_grad
        return result

    def left(self, tensor: Tensor) -> Tensor:
        """A result that is more than halves already."""
        if tensor._edge is not None and tensor._edge[0] not in self.sources:
            self._spliced(tensor._edge[0], halves=False)
        return tensor

    def written(self, tensor: Tensor, wide: Tensor) -> Tensor:
        """A tensor after what an op in place has made of its copy."""
        if wide._edge is None or wide._edge[0] in self.sources or tensor._base is not None or modes.state.forward_levels:
            return tensor.copy_(wide)
        tensor.copy_(wide.detach())
        self._spliced(wide._edge[0], halves=True)
        tensor._edge, tensor._needs_grad = wide._edge, True
        return tensor

    def _spliced(self, node: Node, halves: bool) -> None:
        """Leads the edges of the call's nodes past the casts."""
        todo = [node]
        while todo:
            node = todo.pop()
            if node in self.seen or node._sequence_nr() < self.before:
                continue
            self.seen.add(node)
            node.next = tuple(self.sources.get(edge[0], edge) if edge is not None else None for edge in node.next)
            todo += [edge[0] for edge in node.next if edge is not None and not edge[0].is_leaf_sink]
            if halves:
                node.__class__ = _of_halves(type(node))
                if node.metas is not None:
                    node.metas = [_narrow(meta) for meta in node.metas]
                else:
                    node.dtype = _narrow((node.shape, node.dtype))[1]
