"""The share of one process in a dataset, where several processes train together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import rushlight as torch

from ...random import Generator
from ...tensors.creation.random_tensors import randperm
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th number of a dataset's samples, from the ``rank``-th on.

    All processes shuffle alike, by ``seed`` and the epoch, which :meth:`set_epoch` tells before each pass. All get equally
    many numbers: the first ones come again at the end, or with ``drop_last`` the last ones are left out. ValueError for a
    rank that is out of range, and where ``num_replicas`` or ``rank`` is not given: there is no group of processes to ask.

    >>> from rushlight.utils.data import DistributedSampler
    >>> list(DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None:
            num_replicas = torch.distributed.get_world_size()
        if rank is None:
            rank = torch.distributed.get_rank()
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            order = randperm(size, generator=generator).tolist()
        else:
            order = list(range(size))
        repeated = itertools.cycle(order) if order else iter(())
        return iter(list(itertools.islice(repeated, self.total_size))[self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Says which pass comes next, so that each shuffles in another way."""
        self.epoch = epoch
