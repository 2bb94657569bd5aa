"""Derivatives that PyTorch does not have for gradients of the layout sparse_coo, such as come back from ``to_dense()``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NoReturn

from ..autograd.nodes import Node

# By the node of a sparse result: what PyTorch would do with its gradient.
_BY_NODE = {
    "SumBackward1": "expand",
    "IndexSelectBackward0": "index_add_",
    "SelectBackward0": "select_backward",
    "CatBackward0": "as_strided",
    "UnsqueezeBackward0": "as_strided",
}


def refuse_sparse_gradient(node: Node, source: Node) -> None:
    """Has the node of a sparse tensor made dense raise what PyTorch raises where ``source``, which made it, gets a sparse gradient."""
    lacking = _BY_NODE.get(source.name())
    if lacking is not None:
        node.__class__ = _refusing(type(node), lacking)  # type: ignore[arg-type]


@functools.cache
def _refusing(node_class: type[Node], lacking: str) -> type[Node]:
    def after(rule: Callable[..., object]) -> Callable[..., NoReturn]:
        def refused(self: Node, *args: object) -> NoReturn:
            rule(self, *args)
            if lacking == "expand":
                raise RuntimeError("expand is unsupported for Sparse tensors")
            raise NotImplementedError(
                f"Could not run 'aten::{lacking}' with arguments from the 'SparseCPU' backend. This could be because the "
                "operator doesn't exist for this backend."
            )

        return refused

    fields = {name: after(getattr(node_class, name)) for name in ("vjp", "vjp_tensors")}
    return type(node_class.__name__, (node_class,), {"__module__": node_class.__module__, **fields})
