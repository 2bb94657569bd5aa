# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight._inner import ProcessException
from typing import Any
from multiprocessing import Array as Array
from multiprocessing import AuthenticationError as AuthenticationError
from multiprocessing import Barrier as Barrier
from multiprocessing import BoundedSemaphore as BoundedSemaphore
from multiprocessing import BufferTooShort as BufferTooShort
from multiprocessing import Condition as Condition
from multiprocessing import Event as Event
from multiprocessing import JoinableQueue as JoinableQueue
from multiprocessing import Lock as Lock
from multiprocessing import Manager as Manager
from multiprocessing import Pipe as Pipe
from multiprocessing import Pool as Pool
from multiprocessing import Process as Process
from multiprocessing import ProcessError as ProcessError
from multiprocessing import Queue as Queue
from multiprocessing import RLock as RLock
from multiprocessing import RawArray as RawArray
from multiprocessing import RawValue as RawValue
from multiprocessing import Semaphore as Semaphore
from multiprocessing import SimpleQueue as SimpleQueue
from multiprocessing import TimeoutError as TimeoutError
from multiprocessing import Value as Value
from multiprocessing import active_children as active_children
from multiprocessing import allow_connection_pickling as allow_connection_pickling
from multiprocessing import cpu_count as cpu_count
from multiprocessing import current_process as current_process
from multiprocessing import freeze_support as freeze_support
from multiprocessing import get_all_start_methods as get_all_start_methods
from multiprocessing import get_context as get_context
from multiprocessing import get_logger as get_logger
from multiprocessing import get_start_method as get_start_method
from multiprocessing import log_to_stderr as log_to_stderr
from multiprocessing import parent_process as parent_process
from multiprocessing import set_executable as set_executable
from multiprocessing import set_forkserver_preload as set_forkserver_preload
from multiprocessing import set_start_method as set_start_method

class ProcessContext:
    """The processes that :func:`spawn` started."""
    processes: list[Any]
    def __init__(self, processes: list[Any], errors: list[Any]) -> None: ...
    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits for the processes; True when all are done. Where one failed the others are ended and its error is raised."""
        ...
    def pids(self) -> list[int]:
        """The ids of the processes."""
        ...
class ProcessExitedException(ProcessException):
    """It ended with another exit code than 0."""
    exit_code: int
    signal_name: str | None
    def __init__(self, msg: str, error_index: int, pid: int, exit_code: int, signal_name: str | None = None) -> None: ...
class ProcessRaisedException(ProcessException):
    """It raised an exception, whose traceback is in the message."""
def get_all_sharing_strategies() -> set[str]:
    """The ways in which tensors get to other processes: as bytes, under a name that PyTorch knows."""
    ...
def get_sharing_strategy() -> str:
    """How shared memory goes to other processes."""
    ...
def set_sharing_strategy(new_strategy: str) -> None:
    """Takes PyTorch's names; tensors are copied with any."""
    ...
def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = 'spawn') -> ProcessContext | None:
    """Runs ``fn(index, *args)`` in ``nprocs`` new processes. ProcessRaisedException where one of them fails."""
    ...
def start_processes(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = 'spawn') -> ProcessContext | None:
    """Runs ``fn(index, *args)`` in ``nprocs`` processes; waits for them unless ``join`` is False."""
    ...
