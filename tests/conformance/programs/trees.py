"""Trees of tuples, lists, dicts and their like: flattened, mapped, compared, and by path."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import torch
from torch.utils import _pytree as trees

Pair = namedtuple("Pair", "first second")
tree = {"a": 1, "b": (2, [3, None]), "c": Pair(4, OrderedDict(x=5)), "d": deque([6, 7], maxlen=3), "e": defaultdict(int, y=8)}
leaves, spec = trees.tree_flatten(tree)
print(leaves)
print(spec, spec.num_leaves, spec.num_nodes, spec.num_children)
print(trees.tree_unflatten(leaves, spec))
print(trees.tree_map_only(int, lambda one: -one, tree))
print([(trees.keystr(path), leaf) for path, leaf in trees.tree_leaves_with_path(tree)])
print(trees.tree_map_with_path(lambda path, leaf: trees.keystr(path), tree))
print(trees.tree_structure(torch.max(torch.ones(2, 2), 0)), trees.tree_structure(torch.Size([1, 2])))
print(trees.tree_flatten([(1, 2), [3]], is_leaf=lambda one: isinstance(one, tuple)))
print(trees.tree_all_only(int, bool, tree), trees.tree_any(lambda one: one is None, tree))
for first, second in (
    ([1], [1, 2]),
    ({"a": 1}, {"b": 1}),
    ((1, 2), [1, 2]),
    ({"a": 1, "b": 2}, {"b": 3, "a": 4}),
    ([1, 2], [[3], 4]),
    (deque([1], maxlen=2), deque([2])),
):
    try:
        print(trees.tree_map(lambda a, b: (a, b), first, second))
    except ValueError as error:
        print(type(error).__name__, error)
try:
    trees.tree_unflatten([1], spec)
except ValueError as error:
    print(error)

# What libraries build kinds of nodes of their own from.
for kind, node in {"list": [1, 2], "tuple": (1, 2), "dict": {"a": 1}, "namedtuple": Pair(1, 2), "deque": deque([1], 3)}.items():
    flatten, unflatten, with_keys = (
        getattr(trees, f"_{kind}_{what}") for what in ("flatten", "unflatten", "flatten_with_keys")
    )
    print(kind, flatten(node), unflatten(*flatten(node)), with_keys(node))
