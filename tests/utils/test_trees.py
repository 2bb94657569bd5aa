"""Trees of tuples, lists, dicts and their like."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

import pytest

import rushlight as torch
from rushlight.utils import _pytree as trees

Pair = namedtuple("Pair", "first second")


class Rows(list):  # type: ignore[type-arg]
    pass


def example() -> dict[str, Any]:
    return {
        "a": 1,
        "b": (2, [3, None]),
        "c": Pair(4, OrderedDict(x=5)),
        "d": deque([6, 7], maxlen=3),
        "e": defaultdict(int, y=8),
    }


def test_there_and_back() -> None:
    leaves, spec = trees.tree_flatten(example())
    assert leaves == [1, 2, 3, None, 4, 5, 6, 7, 8] == trees.tree_leaves(example()) and spec.num_leaves == 9
    again = trees.tree_unflatten(leaves, spec)
    assert again == example() and again["d"].maxlen == 3 and again["e"].default_factory is int and type(again["c"]) is Pair
    with pytest.raises(ValueError, match="`leaves` has length 1 but the spec refers to a pytree that holds 9 items"):
        spec.unflatten([1])
    assert spec == trees.tree_structure(again) and hash(spec) == hash(trees.tree_structure(again))
    assert trees.tree_structure([1]) != trees.tree_structure((1,))


@pytest.mark.parametrize("leaf", [None, 3, "ab", Rows([1]), {1, 2}, range(2)])
def test_leaves(leaf: Any) -> None:
    assert trees.tree_flatten(leaf) == ([leaf], trees.LEAF) and trees.tree_is_leaf(leaf)
    assert trees.tree_map(lambda one: (one,), leaf) == (leaf,)


def test_named_results_are_nodes() -> None:
    found = torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
    doubled = trees.tree_map(lambda one: one * 2, found)
    assert type(doubled) is type(found) and doubled.values.tolist() == [6.0, 8.0]
    assert repr(trees.tree_structure(found)) == "TreeSpec(max, None, [*,\n  *])"


def test_maps_of_several_trees() -> None:
    assert trees.tree_map(lambda a, b: (a, b), [1, {"x": 2, "y": 3}], [[4], {"y": 5, "x": 6}]) == [
        (1, [4]),
        {"x": (2, 6), "y": (3, 5)},
    ]
    for other, words in (
        ([1, 2], "Node type mismatch; expected <class 'dict'>, but got <class 'int'>"),
        ([1], "Node arity mismatch; expected 2, but got 1"),
        ((1, {"x": 1}), "Node type mismatch; expected <class 'list'>, but got <class 'tuple'>"),
        ([1, {"y": 1}], r"Node keys mismatch; missing key\(s\): {'x'}; extra key\(s\): {'y'}"),
    ):
        with pytest.raises(ValueError, match=words):
            trees.tree_map(lambda a, b: a, [1, {"x": 2}], other)
    seen: list[Any] = []
    tree = [[1], (2,)]
    assert trees.tree_map_(seen.append, tree) is tree and seen == [1, 2]


def test_chosen_leaves() -> None:
    assert trees.tree_map_only((int, float), lambda one: -one, [1, "a", (2.0,)]) == [-1, "a", (-2.0,)]
    assert trees.tree_map_only(int | float, lambda one: -one, [1, "a", (2.0,)]) == [-1, "a", (-2.0,)]
    assert trees.tree_map_only(lambda one: one == 2, str, [1, (2,)]) == [1, ("2",)]
    assert trees.tree_map_only(tuple, len, [(1, 2), [3]], is_leaf=lambda one: isinstance(one, tuple)) == [2, [3]]
    with pytest.raises(TypeError, match="must be a type, a tuple of types, or a callable"):
        trees.tree_map_only(3, str, [1])
    assert trees.tree_all_only(int, lambda one: one > 0, [1, -1.0, [2]]) and not trees.tree_all(lambda one: one > 0, [1, -1.0])
    assert trees.tree_any(lambda one: one > 1, [1, [2]]) and not trees.tree_any_only(str, bool, [1, [""]])


def test_paths() -> None:
    found = [(trees.keystr(path), leaf) for path, leaf in trees.tree_leaves_with_path({"a": [1, Pair(2, (3,))]})]
    assert found == [("['a'][0]", 1), ("['a'][1].first", 2), ("['a'][1].second[0]", 3)]
    assert trees.tree_map_with_path(lambda path, a, b: trees.key_get([5, [6]], path) + a + b, [1, [2]], [10, [20]]) == [
        16,
        [28],
    ]

    class Node:
        def __init__(self, *parts: Any) -> None:
            self.parts = list(parts)

    trees.register_pytree_node(Node, lambda node: (node.parts, None), lambda parts, _: Node(*parts))
    try:
        with pytest.raises(ValueError, match="already registered"):
            trees.register_pytree_node(Node, lambda node: (node.parts, None), lambda parts, _: Node(*parts))
        with pytest.raises(ValueError, match="flatten_with_keys_fn"):
            trees.tree_leaves_with_path([Node(1)])
    finally:
        trees._deregister_pytree_node(Node)
    assert trees.tree_leaves(Node(1)) != [1]


def test_transforms_take_all_kinds_of_nodes() -> None:
    batch = {"a": deque([torch.ones(2)]), "b": Pair(torch.arange(2.0), 3.0)}
    result = torch.func.vmap(
        lambda tree: deque([tree["a"][0] + tree["b"].first]), in_dims=({"a": deque([0]), "b": Pair(0, None)},)
    )(batch)
    assert type(result) is deque and result[0].tolist() == [1.0, 2.0]
    slope = torch.func.grad(lambda tree: (tree.first * tree.second).sum())(Pair(torch.ones(2), torch.full((2,), 3.0)))
    assert type(slope) is Pair and slope.first.tolist() == [3.0, 3.0]
