"""Nested states as flat ones: each leaf by the path that leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from rushlight import Tensor

Value = Any  # what a state holds
State = dict[str, Value]
Path = tuple[Value, ...]  # the keys and places that lead to a leaf


def leaves(value: Value, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """What mappings hold, and lists that hold a mapping or a tensor somewhere; other lists and all tuples are leaves themselves.

    >>> list(leaves({"a": [{"b": 1}], "c": [1, 2]}))
    [(('a', 0, 'b'), 1), (('c',), [1, 2])]
    """
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list) and _has_parts(value):
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place))
    else:
        yield path, value


def _has_parts(value: list[Value]) -> bool:
    return any(isinstance(one, (Mapping, Tensor)) or (isinstance(one, list) and _has_parts(one)) for one in value)


def name_of(path: Path) -> str:
    """The name under which a leaf is kept.

    >>> name_of(("model", 0, "weight"))
    'model.0.weight'
    """
    return ".".join(map(str, path))


def put(state: Value, path: Path, value: Value) -> None:
    """Sets a leaf; mappings and lists on the way to it that are not there are made.

    >>> state = {}
    >>> put(state, ("a", 0, "b"), 1)
    >>> state
    {'a': [{'b': 1}]}
    """
    for key, behind in pairwise(path):
        fresh: Value = [] if isinstance(behind, int) else {}
        if isinstance(state, list):
            state.extend([None] * (key + 1 - len(state)))
            state[key] = fresh if state[key] is None else state[key]
            state = state[key]
        else:
            state = state.setdefault(key, fresh)
    if isinstance(state, list):
        state.extend([None] * (path[-1] + 1 - len(state)))
    state[path[-1]] = value
