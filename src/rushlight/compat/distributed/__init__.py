"""torch.distributed of a build without it: one process, no groups; what would need one says so."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from rushlight.base.missing_names import lazy_names


def is_available() -> bool:
    """False: a program runs in one process.

    >>> import rushlight as torch
    >>> torch.distributed.is_available() and torch.distributed.is_initialized()
    False
    """
    return False


def is_initialized() -> bool:
    return False


is_nccl_available = is_gloo_available = is_mpi_available = is_ucc_available = is_torchelastic_launched = is_initialized


class ProcessGroup:
    """A group of processes: there is none, so nothing is one. For annotations."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_group()


class ReduceOp(Enum):
    """What reductions over processes are called."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


class Backend(str):
    """The name of what carries messages between processes."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    MPI = "mpi"
    UCC = "ucc"

    def __new__(cls, name: str) -> Backend:
        return str.__new__(cls, name.lower())


class GroupMember:
    """Marks of groups that this process is in, or not."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100


group = GroupMember


def _no_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises ValueError: there is no group of processes."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError: rushlight runs in one process."""
    raise RuntimeError("rushlight has no torch.distributed: a program runs in one process")


get_rank = get_world_size = get_backend = barrier = new_group = destroy_process_group = _no_group
all_reduce = all_gather = all_gather_object = all_gather_into_tensor = broadcast = broadcast_object_list = _no_group
reduce = reduce_scatter = reduce_scatter_tensor = scatter = gather = gather_object = all_to_all = send = recv = _no_group
isend = irecv = monitored_barrier = get_process_group_ranks = get_global_rank = get_group_rank = _no_group

__getattr__, __dir__ = lazy_names(__name__, frozenset({"checkpoint", "device_mesh", "fsdp", "tensor"}))
