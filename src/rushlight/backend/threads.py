"""Threads for kernels made of many NumPy calls: the calls release the lock, so parts of a batch run side by side.

The parts do their matrix products on one BLAS thread each. BLAS's own threads are for one large product: woken for
every small one they cost more than they save (measured: 32 products of 4 MFLOP took 7 ms with them, 2 ms without).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from .numpy import Array, Shape

Item = TypeVar("Item")

_KEPT_BYTES = 16 << 20  # per buffer and thread; a larger one is given back after use


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Pool:
    """Worker threads, made when first needed and again after a fork. They never end: idle ones cost nothing."""

    def __init__(self) -> None:
        self.size = _processors()
        self.forget()

    def forget(self) -> None:
        self.lock = threading.Lock()
        self.started = 0
        self.tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def run(self, task: Callable[[], None], times: int) -> None:
        """Has ``task`` run ``times`` times, each on a thread of its own, some time soon."""
        with self.lock:
            while self.started < times:
                self.started += 1
                threading.Thread(target=_serve, args=(self.tasks,), name="rushlight", daemon=True).start()
        for _ in range(times):
            self.tasks.put(task)


def _serve(tasks: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        tasks.get()()


_pool = _Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.forget)


def limit() -> int:
    """How many threads a kernel may use."""
    return _pool.size


def set_limit(count: int) -> None:
    """Lets a kernel use at most ``count`` threads, the caller's own among them."""
    _pool.size = count


def share(work: Callable[[Item], None], items: Sequence[Item], count: int) -> None:
    """Calls ``work`` on each item, on up to ``count`` threads; an exception of any of them is raised here.

    The caller works too, and waits for items in work only: a thread that wakes late does not hold it up.
    """
    with one_blas_thread(), np.errstate(all="ignore"):
        if count <= 1 or len(items) <= 1:
            for item in items:
                work(item)
            return
        waiting = deque(items)
        finished: SimpleQueue[BaseException | None] = SimpleQueue()

        def help_out() -> None:
            with np.errstate(all="ignore"):
                for item in _taken(waiting):
                    failure: BaseException | None = None
                    try:
                        work(item)
                    except BaseException as error:
                        failure = error
                    finished.put(failure)

        _pool.run(help_out, min(count, len(items)) - 1)
        own, failures = 0, []
        try:
            for item in _taken(waiting):
                own += 1
                work(item)
        finally:
            # After an exception the rest is not worth doing.
            left = sum(1 for _ in _taken(waiting))
            for _ in range(len(items) - own - left):
                failure = finished.get()
                if failure is not None:
                    failures.append(failure)
        if failures:
            raise failures[0]


def _taken(waiting: deque[Item]) -> Iterator[Item]:
    """Items until there are none left, each for one thread only."""
    while True:
        try:
            item = waiting.popleft()
        except IndexError:
            return
        yield item


class _Buffers(threading.local):
    def __init__(self) -> None:
        self.kept: dict[str, Array] = {}


_buffers = _Buffers()


def scratch(name: str, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """Uninitialised memory of this thread, valid until the thread asks for ``name`` again. Saves page faults."""
    nbytes = dtype.itemsize
    for size in shape:
        nbytes *= size
    memory = _buffers.kept.get(name)
    if memory is None or memory.nbytes < nbytes:
        memory = np.empty(nbytes, np.uint8)
        if nbytes <= _KEPT_BYTES:
            _buffers.kept[name] = memory
    return np.ndarray(shape, dtype, memory)


def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """The thread count of the OpenBLAS inside NumPy's own wheel: how to read it and how to set it."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for prefix, suffix in (
                ("scipy_openblas", "64_"),
                ("scipy_openblas", ""),
                ("openblas", "64_"),
                ("openblas", ""),
            ):
                with contextlib.suppress(AttributeError):
                    return (
                        getattr(library, f"{prefix}_get_num_threads{suffix}"),
                        getattr(library, f"{prefix}_set_num_threads{suffix}"),
                    )
    return None


class _BlasThreads:
    """OpenBLAS has one thread count for the whole process: the first to lower it restores it when the last is done."""

    def __init__(self) -> None:
        self.functions: tuple[Callable[[], int], Callable[[int], None]] | None = None
        self.looked = False
        self.lock = threading.Lock()
        self.users = 0
        self.count = 1

    def enter(self) -> None:
        with self.lock:
            if not self.looked:
                self.looked, self.functions = True, _openblas()
            if self.functions is not None:
                if self.users == 0:
                    self.count = self.functions[0]()
                    if self.count != 1:
                        self.functions[1](1)
                self.users += 1

    def leave(self) -> None:
        with self.lock:
            if self.functions is not None:
                self.users -= 1
                if self.users == 0 and self.count != 1:
                    self.functions[1](self.count)


_blas = _BlasThreads()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products inside run on the calling thread; with another BLAS than NumPy's wheel has, nothing changes."""
    _blas.enter()
    try:
        yield
    finally:
        _blas.leave()
