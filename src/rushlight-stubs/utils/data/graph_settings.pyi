# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.random import Generator
from typing import Any

def apply_random_seed(datapipe: Any, rng: Generator) -> Any:
    """Gives each pipe that draws numbers a seed of the generator's."""
    ...
def apply_sharding(datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> Any:
    """Tells each pipe that shards how many parts there are, and which is its own."""
    ...
def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """:func:`apply_random_seed` under its older name."""
    ...
def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Switches the shuffling of each pipe that shuffles on or off; None leaves it."""
    ...
def get_all_graph_pipes(graph: dict[int, tuple[object, Any]]) -> list[Any]:
    """Every pipe of a graph, once."""
    ...
