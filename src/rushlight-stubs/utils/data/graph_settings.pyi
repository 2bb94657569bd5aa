# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.random import Generator
from typing import Any
from typing import TypeVar

_Pipe = TypeVar('_Pipe')

def apply_random_seed(datapipe: _Pipe, rng: Generator) -> _Pipe:
    """Gives each pipe that draws numbers a seed of the generator's."""
    ...
def apply_sharding(datapipe: _Pipe, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> _Pipe:
    """Tells each pipe that shards how many parts there are, and which is its own."""
    ...
def apply_shuffle_seed(datapipe: _Pipe, rng: Any) -> _Pipe:
    """:func:`apply_random_seed` under its older name."""
    ...
def apply_shuffle_settings(datapipe: _Pipe, shuffle: bool | None = None) -> _Pipe:
    """Switches the shuffling of each pipe that shuffles on or off; None leaves it."""
    ...
def get_all_graph_pipes(graph: dict[int, tuple[object, Any]]) -> list[Any]:
    """Every pipe of a graph, once."""
    ...
