# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from multiprocessing.context import AuthenticationError as _AuthenticationError
from multiprocessing.context import BufferTooShort as _BufferTooShort
from multiprocessing.context import Process as _Process
from multiprocessing.context import ProcessError as _ProcessError
from multiprocessing.context import TimeoutError as _TimeoutError
from rushlight._inner import ProcessException
from typing import Any
from typing import TypeAlias

def Array(typecode_or_type: Any, size_or_initializer: Any, *, lock: Any = True) -> Any:
    """Returns a synchronized shared array"""
    ...
AuthenticationError: TypeAlias = _AuthenticationError
def Barrier(parties: Any, action: Any = None, timeout: Any = None) -> Any:
    """Returns a barrier object"""
    ...
def BoundedSemaphore(value: Any = 1) -> Any:
    """Returns a bounded semaphore object"""
    ...
BufferTooShort: TypeAlias = _BufferTooShort
def Condition(lock: Any = None) -> Any:
    """Returns a condition object"""
    ...
def Event() -> Any:
    """Returns an event object"""
    ...
def JoinableQueue(maxsize: Any = 0) -> Any:
    """Returns a queue object"""
    ...
def Lock() -> Any:
    """Returns a non-recursive lock object"""
    ...
def Manager() -> Any:
    """Returns a manager associated with a running server process"""
    ...
def Pipe(duplex: Any = True) -> Any:
    """Returns two connection object connected by a pipe"""
    ...
def Pool(processes: Any = None, initializer: Any = None, initargs: Any = (), maxtasksperchild: Any = None) -> Any:
    """Returns a process pool object"""
    ...
Process: TypeAlias = _Process
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
ProcessError: TypeAlias = _ProcessError
class ProcessExitedException(ProcessException):
    """It ended with another exit code than 0."""
    exit_code: int
    signal_name: str | None
    def __init__(self, msg: str, error_index: int, pid: int, exit_code: int, signal_name: str | None = None) -> None: ...
class ProcessRaisedException(ProcessException):
    """It raised an exception, whose traceback is in the message."""
def Queue(maxsize: Any = 0) -> Any:
    """Returns a queue object"""
    ...
def RLock() -> Any:
    """Returns a recursive lock object"""
    ...
def RawArray(typecode_or_type: Any, size_or_initializer: Any) -> Any:
    """Returns a shared array"""
    ...
def RawValue(typecode_or_type: Any, *args: Any) -> Any:
    """Returns a shared object"""
    ...
def Semaphore(value: Any = 1) -> Any:
    """Returns a semaphore object"""
    ...
def SimpleQueue() -> Any:
    """Returns a queue object"""
    ...
TimeoutError: TypeAlias = _TimeoutError
def Value(typecode_or_type: Any, *args: Any, lock: Any = True) -> Any:
    """Returns a synchronized shared object"""
    ...
def active_children() -> Any:
    """Return list of process objects corresponding to live child processes"""
    ...
def allow_connection_pickling() -> Any:
    """Install support for sending connections and sockets between processes"""
    ...
def cpu_count() -> Any:
    """Returns the number of CPUs in the system"""
    ...
def current_process() -> Any:
    """Return process object representing the current process"""
    ...
def freeze_support() -> Any:
    """Check whether this is a fake forked process in a frozen executable. If so then run code specified by commandline and exit."""
    ...
def get_all_sharing_strategies() -> set[str]:
    """The ways in which tensors get to other processes: as bytes, under a name that PyTorch knows."""
    ...
def get_all_start_methods() -> Any: ...
def get_context(method: Any = None) -> Any: ...
def get_logger() -> Any:
    """Return package logger -- if it does not already exist then it is created."""
    ...
def get_sharing_strategy() -> str:
    """How shared memory goes to other processes."""
    ...
def get_start_method(allow_none: Any = False) -> Any: ...
def log_to_stderr(level: Any = None) -> Any:
    """Turn on logging and add a handler which prints to stderr"""
    ...
def parent_process() -> Any:
    """Return process object representing the parent process"""
    ...
def set_executable(executable: Any) -> Any:
    """Sets the path to a python.exe or pythonw.exe binary used to run child processes instead of sys.executable when using the 'spawn' start method. Useful for people embedding Python."""
    ...
def set_forkserver_preload(module_names: Any) -> Any:
    """Set list of module names to try to load in forkserver process. This is really just a hint."""
    ...
def set_sharing_strategy(new_strategy: str) -> None:
    """Takes PyTorch's names; tensors are copied with any."""
    ...
def set_start_method(method: Any, force: Any = False) -> Any: ...
def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = 'spawn') -> ProcessContext | None:
    """Runs ``fn(index, *args)`` in ``nprocs`` new processes. ProcessRaisedException where one of them fails."""
    ...
def start_processes(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = 'spawn') -> ProcessContext | None:
    """Runs ``fn(index, *args)`` in ``nprocs`` processes; waits for them unless ``join`` is False."""
    ...
