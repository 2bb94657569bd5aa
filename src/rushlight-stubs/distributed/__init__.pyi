# Written by tools/stubs.py; `make stubs` writes it anew.

from enum import Enum
from typing import Any
from typing import NoReturn

class Backend(str):
    """The name of what carries messages between processes."""
    GLOO: str
    MPI: str
    NCCL: str
    UCC: str
    UNDEFINED: str
    def __init__(self, name: str) -> None: ...
class GroupMember:
    """Marks of groups that this process is in, or not."""
    WORLD: ProcessGroup | None
    NON_GROUP_MEMBER: int
class ProcessGroup:
    """A group of processes: there is none, so nothing is one. For annotations."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class ReduceOp(Enum):
    """What reductions over processes are called."""
    AVG = ...
    BAND = ...
    BOR = ...
    BXOR = ...
    MAX = ...
    MIN = ...
    PRODUCT = ...
    SUM = ...
    def __init__(self, value: Any) -> None: ...
def all_gather(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises ValueError: there is no group of processes."""
    ...
all_gather_into_tensor = all_gather
all_gather_object = all_gather
all_reduce = all_gather
all_to_all = all_gather
barrier = all_gather
broadcast = all_gather
broadcast_object_list = all_gather
destroy_process_group = all_gather
gather = all_gather
gather_object = all_gather
get_backend = all_gather
get_global_rank = all_gather
get_group_rank = all_gather
get_process_group_ranks = all_gather
get_rank = all_gather
get_world_size = all_gather
group = GroupMember
def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError: rushlight runs in one process."""
    ...
irecv = all_gather
def is_available() -> bool:
    """False: a program runs in one process."""
    ...
is_gloo_available = is_initialized
def is_initialized() -> bool: ...
is_mpi_available = is_initialized
is_nccl_available = is_initialized
is_torchelastic_launched = is_initialized
is_ucc_available = is_initialized
isend = all_gather
monitored_barrier = all_gather
new_group = all_gather
recv = all_gather
reduce = all_gather
reduce_scatter = all_gather
reduce_scatter_tensor = all_gather
scatter = all_gather
send = all_gather
