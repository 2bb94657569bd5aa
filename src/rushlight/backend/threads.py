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
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
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
    """Worker threads, made when first needed and again after a fork."""

    def __init__(self) -> None:
        self.size = _processors()
        self.lock = threading.Lock()
        self.executor: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], None]) -> Future[None]:
        with self.lock:
            if self.executor is None:
                self.executor = ThreadPoolExecutor(max(1, self.size - 1), thread_name_prefix="rushlight")
            return self.executor.submit(work)

    def forget(self) -> None:
        self.lock = threading.Lock()
        self.executor = None


_pool = _Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.forget)


def limit() -> int:
    """How many threads a kernel may use."""
    return _pool.size


def set_limit(count: int) -> None:
    """Lets a kernel use at most ``count`` threads, the caller's own among them."""
    with _pool.lock:
        executor, _pool.executor = _pool.executor, None
        _pool.size = count
    if executor is not None:
        executor.shutdown(wait=False)


def share(work: Callable[[Item], None], items: Sequence[Item], count: int) -> None:
    """Calls ``work`` on each item, on up to ``count`` threads; an exception of any of them is raised here."""
    with one_blas_thread():
        if count <= 1 or len(items) <= 1:
            with np.errstate(all="ignore"):
                for item in items:
                    work(item)
            return
        queue = deque(items)

        def drain() -> None:
            with np.errstate(all="ignore"):
                while queue:
                    try:
                        item = queue.popleft()
                    except IndexError:  # another thread took the last one
                        return
                    work(item)

        others = [_pool.submit(drain) for _ in range(min(count, len(items)) - 1)]
        try:
            drain()
        finally:
            queue.clear()  # after an exception the rest is not worth doing
            wait(others)
        for other in others:
            other.result()


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
