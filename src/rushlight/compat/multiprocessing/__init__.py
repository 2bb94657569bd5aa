"""torch.multiprocessing: Python's multiprocessing. Tensors go to other processes as copies, unless `share_memory_` was said."""

from __future__ import annotations

import multiprocessing
import sys
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from multiprocessing import get_context
from typing import Any

from rushlight.base.missing_names import lazy_names

__all__ = [*multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy", "spawn",
           "start_processes"]  # fmt: skip


class ProcessException(Exception):
    """A process of :func:`spawn` failed."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid


class ProcessRaisedException(ProcessException):
    """It raised an exception, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """It ended with another exit code than 0."""

    def __init__(self, msg: str, error_index: int, pid: int, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, pid)
        self.exit_code, self.signal_name = exit_code, signal_name


class ProcessContext:
    """The processes that :func:`spawn` started."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes = processes
        self._errors = errors

    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits for the processes; True when all are done. Where one failed the others are ended and its error is raised."""
        running = {process.sentinel: index for index, process in enumerate(self.processes) if process.is_alive()}
        ended = multiprocessing.connection.wait(list(running), timeout) if running else []
        for sentinel in ended:
            self.processes[running[sentinel]].join()
        failed = [index for index, process in enumerate(self.processes) if process.exitcode not in (None, 0)]
        if not failed:
            return not any(process.is_alive() for process in self.processes)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()
        index = failed[0]
        process = self.processes[index]
        if not self._errors[index].empty():
            text = f"\n\n-- Process {index} terminated with the following error:\n{self._errors[index].get()}"
            raise ProcessRaisedException(text, index, process.pid)
        message = f"process {index} terminated with exit code {process.exitcode}"
        raise ProcessExitedException(message, index, process.pid, process.exitcode)


def _run(function: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        errors.put(traceback.format_exc())
        sys.exit(1)


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Runs ``fn(index, *args)`` in ``nprocs`` processes; waits for them unless ``join`` is False."""
    context: Any = get_context(start_method)
    processes, errors = [], []
    for index in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, index, args, queue), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(queue)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:  # fmt: skip
    """Runs ``fn(index, *args)`` in ``nprocs`` new processes. ProcessRaisedException where one of them fails."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def get_all_sharing_strategies() -> set[str]:
    """The ways in which tensors get to other processes: as bytes, under a name that PyTorch knows."""
    return {"file_system"}


def get_sharing_strategy() -> str:
    """How shared memory goes to other processes."""
    return "file_system"


def set_sharing_strategy(new_strategy: str) -> None:
    """Takes PyTorch's names; tensors are copied with any."""
    if new_strategy not in ("file_system", "file_descriptor"):
        raise AssertionError(f"{new_strategy!r} is no sharing strategy")


__getattr__, __dir__ = lazy_names(__name__)
