"""Trees of tuples, lists and dicts: taken apart into leaves, and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["TreeSpec", "register_pytree_node", "tree_flatten", "tree_leaves", "tree_map", "tree_map_only", "tree_unflatten"]


@dataclass(frozen=True, repr=False)
class TreeSpec:
    """The form of a tree: the kind of its top, what that kind needs to be made again, and its children. A leaf has kind None."""

    type: Any
    context: Any
    children_specs: tuple[TreeSpec, ...] = ()

    @property
    def num_leaves(self) -> int:
        return 1 if self.type is None else sum(child.num_leaves for child in self.children_specs)

    def is_leaf(self) -> bool:
        return self.type is None

    def __repr__(self) -> str:
        return self._text(2)

    def _text(self, indent: int) -> str:
        if self.type is None:
            return "*"
        context = list(self.context) if isinstance(self.context, tuple) else self.context
        children = (",\n" + " " * indent).join(child._text(indent + 2) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {context}, [{children}])"

    def __str__(self) -> str:
        return str(tree_unflatten([_Star()] * self.num_leaves, self))


class _Star:
    def __repr__(self) -> str:
        return "*"


LEAF = TreeSpec(None, None)


# Further kinds of nodes: how they come apart, and are made again.
_registered: dict[type, tuple[Callable[[Any], tuple[list[Any], Any]], Callable[[list[Any], Any], Any]]] = {}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[list[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    **more: Any,
) -> None:
    """Makes instances of a class nodes of trees: ``flatten_fn`` gives (children, context), ``unflatten_fn(children, context)``
    makes one. ValueError for a class that is registered already.

    >>> from rushlight.utils._pytree import _deregister_pytree_node, register_pytree_node, tree_map
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda pair: ([pair.a, pair.b], None), lambda parts, _: Pair(*parts))
    >>> tree_map(lambda x: x + 1, Pair(1, 2)).b
    3
    >>> _deregister_pytree_node(Pair)
    """
    if cls in _registered or (issubclass(cls, (dict, list, tuple)) and cls.__module__ in ("builtins", "collections")):
        raise ValueError(f"{cls} is already registered as pytree node.")
    _registered[cls] = (flatten_fn, unflatten_fn)


def _deregister_pytree_node(cls: type) -> None:
    _registered.pop(cls)


def _children(tree: Any) -> tuple[list[Any], Any] | None:
    if type(tree) in _registered:
        values, context = _registered[type(tree)][0](tree)
        return list(values), context
    if isinstance(tree, (dict, OrderedDict, defaultdict)):
        return list(tree.values()), tuple(tree)
    if isinstance(tree, (tuple, list)):
        return list(tree), None
    return None


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and the form.

    >>> from rushlight.utils._pytree import tree_flatten
    >>> leaves, spec = tree_flatten({"a": 1, "b": (2, [3])})
    >>> leaves, str(spec)
    ([1, 2, 3], "{'a': *, 'b': (*, [*])}")
    """
    found = None if is_leaf is not None and is_leaf(tree) else _children(tree)
    if found is None or type(tree).__name__ == "Size":
        return [tree], LEAF
    values, context = found
    leaves: list[Any] = []
    specs = []
    for value in values:
        part, spec = tree_flatten(value, is_leaf)
        leaves += part
        specs.append(spec)
    return leaves, TreeSpec(type(tree), context, tuple(specs))


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of a form with other leaves. ValueError where their number is wrong.

    >>> from rushlight.utils._pytree import tree_flatten, tree_unflatten
    >>> leaves, spec = tree_flatten([1, {"a": 2}])
    >>> tree_unflatten([3, 4], spec)
    [3, {'a': 4}]
    """
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _built(iter(leaves), treespec)


def _built(leaves: Any, spec: TreeSpec) -> Any:
    kind = spec.type
    if kind is None:
        return next(leaves)
    parts = [_built(leaves, child) for child in spec.children_specs]
    if kind in _registered:
        return _registered[kind][1](parts, spec.context)
    if spec.context is not None:
        made = dict(zip(spec.context, parts, strict=True))
        return made if kind is dict or kind is defaultdict else kind(made)
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with ``func`` of each leaf (and of those of further trees of the same form).

    >>> from rushlight.utils._pytree import tree_map
    >>> tree_map(lambda x: x * 2, {"a": 1, "b": (2, 3)})
    {'a': 2, 'b': (4, 6)}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*row) for row in zip(leaves, *others, strict=True)], spec)


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """:func:`tree_map` of the leaves that are instances of ``kind``; the others stay."""
    return tree_map(lambda one: func(one) if isinstance(one, kind) else one, tree)


def broadcast_prefix(dims: Any, spec: TreeSpec) -> list[Any] | None:
    """The leaves of a tree, each once for every leaf of a larger tree that stands in its place; None where the forms do not fit."""
    if not isinstance(dims, (tuple, list, dict)):
        return [dims] * spec.num_leaves
    children = list(dims.values()) if isinstance(dims, dict) else list(dims)
    if (
        spec.is_leaf()
        or type(dims) is not spec.type
        or len(children) != len(spec.children_specs)
        or isinstance(dims, dict) != (spec.context is not None)
    ):
        return None
    spread: list[Any] = []
    for child, part in zip(children, spec.children_specs, strict=True):
        found = broadcast_prefix(child, part)
        if found is None:
            return None
        spread += found
    return spread
