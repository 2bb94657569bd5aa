# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from rushlight.utils.data.sampler import Sampler
from typing import Any

class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th number of a dataset's samples, from the ``rank``-th on."""
    dataset: Any
    num_replicas: int | None
    rank: int | None
    epoch: int
    drop_last: bool
    num_samples: Any
    total_size: Any
    shuffle: bool
    seed: int
    def __init__(self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0, drop_last: bool = False) -> None: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    def set_epoch(self, epoch: int) -> None:
        """Says which pass comes next, so that each shuffles in another way."""
        ...
