"""torch.distributed.tensor: how tensors lie over processes. There is one process; placements are values, no tensor is shared out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from rushlight import Tensor

from .. import get_rank
from ..device_mesh import DeviceMesh as DeviceMesh
from ..device_mesh import init_device_mesh as init_device_mesh

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]


class Placement:
    """How a tensor lies along one dimension of a mesh.

    >>> from rushlight.distributed.tensor import Replicate, Shard
    >>> Shard(0).is_shard(), Shard(0) == Shard(1), Replicate().is_replicate()
    (True, False, True)
    """

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether it is cut up, along ``dim`` if that is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether every process has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self) -> bool:
        """Whether the processes' tensors are still to be added, or the like."""
        return isinstance(self, Partial)


@dataclass(frozen=True)
class Shard(Placement):
    """Cut up along a dimension."""

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Whole in every process."""


@dataclass(frozen=True)
class Partial(Placement):
    """To be reduced over the processes."""

    reduce_op: str = "sum"


class DTensor(Tensor):
    """A tensor that is shared out. Libraries ask whether theirs is one: none is."""

    @staticmethod
    def from_local(*args: object, **kwargs: object) -> NoReturn:
        """ValueError: there is no group of processes."""
        get_rank()


distribute_tensor = distribute_module = get_rank
