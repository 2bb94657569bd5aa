"""Trees of tuples, lists, dicts and their like: taken apart into leaves, and put together again.

A node is of one of these very classes (or a named tuple), not of a subclass; everything else is a leaf, None too.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Any, NamedTuple

from .return_types import Results
from .size import Size

__all__ = [
    "SUPPORTED_NODES",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "is_namedtuple_instance",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]

PyTree = Any
IsLeaf = Callable[[Any], bool] | None


# What leads from a node to one of its children.


@dataclass(frozen=True)
class SequenceKey:
    """A place in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """A field of a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


class NodeDef(NamedTuple):
    """How nodes of one kind come apart into children and a context, are made again, and what leads to the children."""

    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[list[Any], Any], Any]
    keys: Callable[[Any], list[Any]] | None
    written_as: str | None = None  # its name and its context in JSON, as users have registered them
    write_context: Callable[[object], object] | None = None
    read_context: Callable[[object], object] | None = None


def _places(tree: Any) -> list[Any]:
    return [SequenceKey(index) for index in range(len(tree))]


def _entries(tree: Any) -> list[Any]:
    return [MappingKey(key) for key in tree]


def _fields(tree: Any) -> list[Any]:
    return [GetAttrKey(name) for name in tree._fields]


def _of_mapping(tree: Any) -> tuple[list[Any], Any]:
    return list(tree.values()), list(tree)


SUPPORTED_NODES: dict[Any, NodeDef] = {
    list: NodeDef(lambda tree: (tree, None), lambda parts, _: list(parts), _places),
    tuple: NodeDef(lambda tree: (list(tree), None), lambda parts, _: tuple(parts), _places),
    Size: NodeDef(lambda tree: (list(tree), None), lambda parts, _: tuple(parts), _places),
    dict: NodeDef(_of_mapping, lambda parts, keys: dict(zip(keys, parts, strict=True)), _entries),
    OrderedDict: NodeDef(_of_mapping, lambda parts, keys: OrderedDict(zip(keys, parts, strict=True)), _entries),
    defaultdict: NodeDef(
        lambda tree: (list(tree.values()), [tree.default_factory, list(tree)]),
        lambda parts, context: defaultdict(context[0], zip(context[1], parts, strict=True)),
        _entries,
    ),
    deque: NodeDef(lambda tree: (list(tree), tree.maxlen), lambda parts, length: deque(parts, maxlen=length), _places),
    namedtuple: NodeDef(lambda tree: (list(tree), type(tree)), lambda parts, kind: kind(*parts), _fields),
}
BUILT_IN = frozenset(SUPPORTED_NODES)


def _kind_of(tree: Any) -> Any:
    """The key of a node's kind, None for a leaf."""
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if not issubclass(cls, tuple):
        return None
    if issubclass(cls, Results):
        SUPPORTED_NODES[cls] = NodeDef(lambda tree: (list(tree), None), lambda parts, _: cls(*parts), _fields)
        return cls
    return namedtuple if hasattr(cls, "_fields") else None


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[list[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
    **more: Any,
) -> None:
    """Makes instances of a class nodes of trees: ``flatten_fn`` gives (children, context), ``unflatten_fn(children, context)``
    makes one, ``flatten_with_keys_fn`` gives pairs of a key and a child. ValueError for a class that is registered already.

    >>> from rushlight.base.pytree import _deregister_pytree_node, register_pytree_node, tree_map
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda pair: ([pair.a, pair.b], None), lambda parts, _: Pair(*parts))
    >>> tree_map(lambda x: x + 1, Pair(1, 2)).b
    3
    >>> _deregister_pytree_node(Pair)
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    with_keys = flatten_with_keys_fn
    keys = None if with_keys is None else lambda tree: [key for key, _ in with_keys(tree)[0]]
    write, read = more.get("to_dumpable_context"), more.get("from_dumpable_context")
    if (write is None) != (read is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn, keys, serialized_type_name, write, read)


def _deregister_pytree_node(cls: type) -> None:
    if cls not in BUILT_IN:
        SUPPORTED_NODES.pop(cls)


@dataclass(frozen=True, repr=False)
class TreeSpec:
    """The form of a tree: the kind of its top, what that kind needs to be made again, and its children. A leaf has kind None."""

    type: Any
    context: Any
    children_specs: tuple[TreeSpec, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "children_specs", tuple(self.children_specs))

    @property
    def num_leaves(self) -> int:
        return 1 if self.type is None else sum(child.num_leaves for child in self.children_specs)

    @property
    def num_nodes(self) -> int:
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self) -> int:
        return len(self.children_specs)

    def is_leaf(self) -> bool:
        return self.type is None

    def child(self, index: int) -> TreeSpec:
        return self.children_specs[index]

    def unflatten(self, leaves: Any) -> Any:
        """:func:`tree_unflatten`."""
        return tree_unflatten(leaves, self)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of a tree that stand where this form has leaves. ValueError where the forms do not fit."""
        if self.type is None:
            return [tree]
        kind = _kind_of(tree)
        is_mapping = self.type in (dict, OrderedDict, defaultdict)
        if kind is not self.type and not (is_mapping and kind in (dict, OrderedDict, defaultdict)):
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(children) != len(self.children_specs) and not is_mapping:
            raise ValueError(f"Node arity mismatch; expected {len(self.children_specs)}, but got {len(children)}.")
        if is_mapping:
            expected = self.context[1] if self.type is defaultdict else self.context
            if set(expected) != set(tree):
                missing, extra = set(expected) - set(tree), set(tree) - set(expected)
                said = "".join(f"; {word} key(s): {keys}" for word, keys in (("missing", missing), ("extra", extra)) if keys)
                raise ValueError(f"Node keys mismatch{said}.")
            children = [tree[key] for key in expected]
        elif context != self.context and kind is not deque:
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, but got {context!r}."
            )
        return [part for child, spec in zip(children, self.children_specs, strict=True) for part in spec.flatten_up_to(child)]

    def __hash__(self) -> int:
        return hash((self.type, repr(self.context), self.children_specs))

    def __repr__(self) -> str:
        return self._text(2)

    def _text(self, indent: int) -> str:
        if self.type is None:
            return "*"
        children = (",\n" + " " * indent).join(child._text(indent + 2) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"


class LeafSpec(TreeSpec):
    """The form of a leaf."""

    def __init__(self) -> None:
        super().__init__(None, None)


LEAF: TreeSpec = LeafSpec()


def _get_node_type(tree: Any) -> Any:
    """What says of which kind a tree's top is: its class, or ``namedtuple``."""
    return _kind_of(tree) or type(tree)


def is_namedtuple_instance(obj: object) -> bool:
    """Whether an object is of a class that ``namedtuple`` made."""
    return _kind_of(obj) is namedtuple


def is_structseq_instance(obj: object) -> bool:
    """Whether an object is a tuple whose class names its places and cannot be derived from: a result of several tensors, say.

    >>> import time
    >>> import rushlight as torch
    >>> from rushlight.base.pytree import is_structseq_instance
    >>> is_structseq_instance(torch.max(torch.eye(2), 0)), is_structseq_instance(time.localtime()), is_structseq_instance((1,))
    (True, True, False)
    """
    return isinstance(obj, Results) or (isinstance(obj, tuple) and hasattr(type(obj), "n_sequence_fields"))


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a tree is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _kind_of(tree) is None


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves from left to right, and the form. ``is_leaf`` says of which nodes not to look into.

    >>> from rushlight.base.pytree import tree_flatten
    >>> leaves, spec = tree_flatten({"a": 1, "b": (2, [3])})
    >>> leaves, spec.num_leaves, spec.child(1)
    ([1, 2, 3], 3, TreeSpec(tuple, None, [*,
      TreeSpec(list, None, [*])]))
    """
    leaves: list[Any] = []
    return leaves, _gather(tree, is_leaf, leaves)


def _gather(tree: Any, is_leaf: IsLeaf, leaves: list[Any]) -> TreeSpec:
    kind = _kind_of(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return LEAF
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, tuple([_gather(child, is_leaf, leaves) for child in children]))


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves from left to right, one by one."""
    kind = _kind_of(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        yield tree
    else:
        for child in SUPPORTED_NODES[kind].flatten_fn(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves from left to right."""
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The form of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of a form with other leaves. ValueError where their number is wrong.

    >>> from rushlight.base.pytree import tree_flatten, tree_unflatten
    >>> leaves, spec = tree_flatten([1, {"a": 2}])
    >>> tree_unflatten([3, 4], spec)
    [3, {'a': 4}]
    """
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _built(iter(leaves), treespec)


def _built(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    return SUPPORTED_NODES[spec.type].unflatten_fn([_built(leaves, child) for child in spec.children_specs], spec.context)


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree with ``func`` of each leaf, and of what stands in its place in further trees. ValueError where they do not fit.

    >>> from rushlight.base.pytree import tree_map
    >>> tree_map(lambda x: x * 2, {"a": 1, "b": (2, 3)})
    {'a': 2, 'b': (4, 6)}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    rows = zip(leaves, *(spec.flatten_up_to(rest) for rest in rests), strict=True)
    return _built(iter([func(*row) for row in rows]), spec)


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls ``func`` as :func:`tree_map` does, and returns the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _chosen(which: Any) -> Callable[[Any], bool]:
    """A test of leaves: whether they are of a type, of one of several, or what a function says."""
    if isinstance(which, (type, tuple, UnionType)):
        return lambda one: isinstance(one, which)
    if callable(which):
        return which  # type: ignore[no-any-return]
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def tree_map_only(which: Any, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """:func:`tree_map` of the leaves of a type (or several), or for which ``which`` is true; the others stay."""
    wanted = _chosen(which)
    return tree_map(lambda one: func(one) if wanted(one) else one, tree, is_leaf=is_leaf)


def tree_map_only_(which: Any, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls ``func`` as :func:`tree_map_only` does, and returns the tree itself."""
    tree_map_only(which, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether ``pred`` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether ``pred`` holds for one of the leaves."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(which: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether ``pred`` holds for all leaves of a type."""
    return all(map(pred, filter(_chosen(which), tree_iter(tree, is_leaf))))


def tree_any_only(which: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether ``pred`` holds for one of the leaves of a type."""
    return any(map(pred, filter(_chosen(which), tree_iter(tree, is_leaf))))


# Where the leaves are.


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves, each behind the keys that lead to it."""
    kind = _kind_of(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        return [((), tree)]
    keys = SUPPORTED_NODES[kind].keys
    if keys is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument.")
    return [
        ((key, *path), leaf)
        for key, child in zip(keys(tree), SUPPORTED_NODES[kind].flatten_fn(tree)[0], strict=True)
        for path, leaf in tree_leaves_with_path(child, is_leaf)
    ]


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """:func:`tree_leaves_with_path`, and the form.

    >>> from rushlight.base.pytree import keystr, tree_flatten_with_path
    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, (2,)]})[0]]
    [("['a'][0]", 1), ("['a'][1][0]", 2)]
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """:func:`tree_map` with the keys that lead to a leaf as first argument."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    rows = zip(found, *(spec.flatten_up_to(rest) for rest in rests), strict=True)
    return _built(iter([func(path, leaf, *others) for (path, leaf), *others in rows]), spec)


def keystr(path: tuple[Any, ...]) -> str:
    """Keys that lead to a leaf, as Python would spell them."""
    return "".join(str(key) for key in path)


def key_get(tree: Any, path: tuple[Any, ...]) -> Any:
    """What keys lead to."""
    for key in path:
        tree = key.get(tree)
    return tree


def broadcast_prefix(dims: Any, spec: TreeSpec) -> list[Any] | None:
    """The leaves of a tree, each once for every leaf of a larger tree that stands in its place; None where the forms do not fit."""
    kind = _kind_of(dims)
    if kind is None:
        return [dims] * spec.num_leaves
    children, context = SUPPORTED_NODES[kind].flatten_fn(dims)
    if kind is not spec.type or len(children) != len(spec.children_specs) or context != spec.context:
        return None
    spread: list[Any] = []
    for child, part in zip(children, spec.children_specs, strict=True):
        found = broadcast_prefix(child, part)
        if found is None:
            return None
        spread += found
    return spread


for _name in __all__:
    if getattr(globals()[_name], "__module__", None) == __name__:
        globals()[_name].__module__ = __name__.replace("base.pytree", "utils._pytree")  # where pickles find it
