"""torch.distributed.fsdp: modules cut up over processes, by name; there is one process, so none can be made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from rushlight import dtype, nn

from .. import get_rank

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictType",
    "fully_shard",
]


class ShardingStrategy(Enum):
    """What is cut up."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class BackwardPrefetch(Enum):
    """When the next parameters are fetched."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class StateDictType(Enum):
    """In what form states are saved."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclass
class MixedPrecision:
    """The dtypes of parameters, of sums over processes and of buffers."""

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    buffer_dtype: dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of parameters, of sums over processes and of outputs."""

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Whether parameters rest on the CPU."""

    offload_params: bool = False


@dataclass
class OffloadPolicy:
    """Nothing rests elsewhere."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters rest on the CPU."""

    pin_memory: bool = True


@dataclass
class FullStateDictConfig:
    """A whole state."""

    offload_to_cpu: bool = False
    rank0_only: bool = False


@dataclass
class ShardedStateDictConfig:
    """A state in parts."""

    offload_to_cpu: bool = False
    _use_dtensor: bool = False


@dataclass
class FullOptimStateDictConfig:
    """An optimizer's whole state."""

    offload_to_cpu: bool = False
    rank0_only: bool = False


@dataclass
class ShardedOptimStateDictConfig:
    """An optimizer's state in parts."""

    offload_to_cpu: bool = False
    _use_dtensor: bool = False


class FullyShardedDataParallel(nn.Module):
    """A module cut up over processes. Libraries ask whether theirs is one: none is. ValueError where one is to be made."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()
        get_rank()


class FSDPModule:
    """What :func:`fully_shard` makes of a module. Libraries ask whether theirs is one: none is."""


fully_shard = get_rank
