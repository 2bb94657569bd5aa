"""How many threads there are for kernels and for BLAS.

Kernels made of many products do them on one thread of BLAS. Its threads are for one large product: woken for
every small one they cost more than they save (measured: 32 products of 4 MFLOP took 7 ms with them, 2 ms without).
They also wait for each other in a loop: where another program holds one of the processors, a product on all of them
waits for its turn there (measured: 24 ms instead of 0.13).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from .. import kernels
from . import openblas


def _processors() -> int:
    """What OMP_NUM_THREADS says, as for PyTorch and BLAS; else the processors that this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Limit:
    """How many threads a kernel may use, the caller's own among them."""

    def __init__(self) -> None:
        self.size = _processors()
        kernels.set_threads(self.size)


_limit = _Limit()


def limit() -> int:
    """How many threads a kernel may use."""
    return _limit.size


def set_limit(count: int) -> None:
    """Lets a kernel use at most ``count`` threads, the caller's own among them; BLAS likewise."""
    _limit.size = count
    kernels.set_threads(count)
    _blas.set(count)


def parts(length: int, count: int) -> list[slice]:
    """At most so many parts of a length, all but the last of one size; none of nothing."""
    each = max(1, -(-length // count))
    return [slice(start, start + each) for start in range(0, length, each)]


@dataclass(frozen=True, slots=True)
class _Count:
    """The thread count of a BLAS: how to read it and how to set it."""

    get: Callable[[], int]
    set: Callable[[int], object]


def _counts() -> list[_Count]:
    """Those of the OpenBLAS in NumPy's own wheel, or of whatever threadpoolctl finds, if that is installed."""
    found = _openblas()
    if found is not None:
        return [found]
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return []
    controllers = ThreadpoolController().select(user_api="blas").lib_controllers
    return [_Count(each.get_num_threads, each.set_num_threads) for each in controllers]


def _openblas() -> _Count | None:
    get, set = openblas.function("openblas_get_num_threads"), openblas.function("openblas_set_num_threads")
    return None if get is None or set is None else _Count(get, set)


class _Blas:
    """A BLAS has one thread count for the whole process: the first to lower it restores it when the last is done."""

    def __init__(self) -> None:
        self.known: list[_Count] | None = None
        self.usual: list[int] = []
        self.forget()

    def forget(self) -> None:
        """After a fork no other thread is inside."""
        self.lock = threading.Lock()
        self.users = 0
        self.lowered = False
        self._restore()

    def counts(self) -> list[_Count]:
        if self.known is None:
            self.known = _counts()
        return self.known

    def enter(self, most: int) -> None:
        with self.lock:
            if not self.users:
                self.usual = []
                for each in self.counts():
                    usual = each.get()
                    self.usual.append(usual)
                    if usual > most:
                        each.set(most)
                        self.lowered = True
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.lowered and not self.users:
                self.lowered = False
                self._restore()

    def _restore(self) -> None:
        for each, usual in zip(self.known or (), self.usual, strict=False):
            each.set(usual)

    def set(self, count: int) -> None:
        """At once, or as soon as nobody needs fewer."""
        with self.lock:
            if self.users:
                self.lowered = True
            else:
                for each in self.counts():
                    each.set(count)
            self.usual = [count] * len(self.counts())


_blas = _Blas()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_blas.forget)


class blas_threads:
    """Matrix products inside run on at most so many threads; with a BLAS that cannot be told, nothing changes."""

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        self.most = most

    def __enter__(self) -> None:
        _blas.enter(self.most)

    def __exit__(self, *error: object) -> None:
        _blas.leave()
