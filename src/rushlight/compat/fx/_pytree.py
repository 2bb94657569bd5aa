"""Trees taken apart by a shape that is known, as generated code with nested arguments does."""

from __future__ import annotations

from typing import Any

from rushlight.utils._pytree import PyTree, TreeSpec, tree_flatten

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree: PyTree, spec: TreeSpec) -> list[Any]:
    """The leaves of a tree that is built as ``spec`` says; ValueError where it is not.

    >>> from rushlight.fx._pytree import tree_flatten_spec
    >>> from rushlight.utils._pytree import tree_structure
    >>> tree_flatten_spec([1, {"a": 2}], tree_structure([0, {"a": 0}]))
    [1, 2]
    """
    leaves, found = tree_flatten(pytree)
    if found != spec:
        raise ValueError(f"The arguments are built as {found}, but were traced as {spec}")
    return leaves
