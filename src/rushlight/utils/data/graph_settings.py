"""torch.utils.data.graph_settings: seeds, shuffling and sharding for all pipes of data that hang together."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

import rushlight as torch

from .graph import Graph, traverse_dps

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings", "get_all_graph_pipes"]

_Pipe = TypeVar("_Pipe")


def get_all_graph_pipes(graph: Graph) -> list[Any]:
    """Every pipe of a graph, once.

    >>> from rushlight.utils.data.graph_settings import get_all_graph_pipes
    >>> get_all_graph_pipes({1: ("outer", {2: ("inner", {})}), 2: ("inner", {})})
    ['outer', 'inner']
    """
    found: dict[int, Any] = {}
    waiting = [graph]
    while waiting:
        for key, (pipe, inner) in waiting.pop().items():
            found.setdefault(key, pipe)
            waiting.append(inner)
    return list(found.values())


def _has(pipe: Any, *names: str) -> bool:
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def apply_sharding(datapipe: _Pipe, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> _Pipe:
    """Tells each pipe that shards how many parts there are, and which is its own."""
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "apply_sharding"):
            wanted = inspect.signature(pipe.apply_sharding).parameters
            more = {} if sharding_group is None or len(wanted) < 3 else {"sharding_group": sharding_group}
            pipe.apply_sharding(num_of_instances, instance_id, **more)
    return datapipe


def apply_shuffle_settings(datapipe: _Pipe, shuffle: bool | None = None) -> _Pipe:
    """Switches the shuffling of each pipe that shuffles on or off; None leaves it."""
    if shuffle is None:
        return datapipe
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "set_shuffle", "set_seed"):
            pipe.set_shuffle(shuffle)
    return datapipe


def apply_shuffle_seed(datapipe: _Pipe, rng: Any) -> _Pipe:
    """:func:`apply_random_seed` under its older name."""
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: _Pipe, rng: torch.Generator) -> _Pipe:
    """Gives each pipe that draws numbers a seed of the generator's."""
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "set_seed"):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe
