"""Going through a DataLoader whose batches are made by worker processes.

Each worker has a pipe for its tasks and one for its answers, and is alone in holding the other ends: when it dies, however it
dies, its answers end; when this process dies, its tasks end.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .answers import BATCH, END, RESUMED, Answer
from .iteration import _BaseDataLoaderIter
from .worker import RESUME, Work, run_worker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_SECONDS_TO_END = 5.0  # then a worker that is busy is ended by force

# This process's ends of all pipes: a worker made by fork has copies, which it closes.
_own_ends: weakref.WeakSet[Connection] = weakref.WeakSet()
_making = threading.RLock()  # or a worker of another thread's loader would hold the ends that are meant for this one


@contextlib.contextmanager
def _interrupts_later() -> Iterator[set[int | signal.Signals] | None]:
    """Ctrl-C waits, here and in processes that begin meanwhile; gives the signals that waited before, None where none can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield None
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """A worker process and its two pipes."""

    def __init__(self, context: Any, work: Work) -> None:
        with _making:
            task_reader, self.tasks = context.Pipe(duplex=False)
            self.answers, answer_writer = context.Pipe(duplex=False)
            _own_ends.update((self.tasks, self.answers))
            inherited = list(_own_ends) if context.get_start_method() == "fork" else []
            with _interrupts_later() as mask:
                given = (work, task_reader, answer_writer, inherited, mask)
                self.process = context.Process(target=run_worker, args=given, daemon=True)
                self.process.start()
            task_reader.close()
            answer_writer.close()
        self.outstanding = 0
        self.is_active = True  # False once its part of an iterable dataset has ended

    def ask(self, number: int, indices: Any = None) -> None:
        self.outstanding += 1
        try:
            self.tasks.send((number, indices))
        except OSError:  # it is dead: whoever waits for its answer hears of it
            return

    def dismiss(self) -> None:
        """Tells it to end, without waiting."""
        try:
            if os.name == "posix":
                os.set_blocking(self.tasks.fileno(), False)
            self.tasks.send(None)
        except OSError:  # it is dead, or so far behind that the end of its tasks must do
            pass
        with _making:
            _own_ends.difference_update((self.tasks, self.answers))
        self.tasks.close()
        self.answers.close()

    def why_it_died(self) -> RuntimeError | None:
        self.process.join(_SECONDS_TO_END)  # its answers have ended, it has not quite: others may have the processor
        code, pid = self.process.exitcode, self.process.pid
        if not code:
            return None
        if code < 0:
            return RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(-code)}. ")
        return RuntimeError(
            f"DataLoader worker (pid(s) {pid}) exited unexpectedly with exit code {code}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace."
        )


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches are asked of the workers in turn, ``prefetch_factor`` of each ahead, and given in the order of the tasks."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if not loader.prefetch_factor > 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._ahead = int(loader.prefetch_factor * self._num_workers)
        self._prefetch_factor = loader.prefetch_factor
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent_workers = loader.persistent_workers
        self._failure: str | None = None
        self._owners: list[_Worker] = []
        self._shutdown_workers = weakref.finalize(self, _end, self._owners, os.getpid())
        context = loader.multiprocessing_context or multiprocessing
        fetcher = self._fetcher_maker(loader)
        for place in range(self._num_workers):
            work = Work(
                fetcher, self._is_iterable, self._dataset, loader.worker_init_fn, place, self._num_workers, self._base_seed
            )
            self._owners.append(_Worker(context, work))
        self._start()

    @property
    def _workers(self) -> list[Any]:
        """The processes."""
        return [owner.process for owner in self._owners]

    @property
    def _is_usable(self) -> bool:
        """Whether the workers can go on to another pass."""
        return self._shutdown_workers.alive

    def _start(self) -> None:
        self._tasks: dict[int, _Worker] = {}  # those without an answer, or whose answer nobody took, and whose they are
        self._arrived: dict[int, Answer] = {}
        self._numbers = itertools.count()
        self._turns = itertools.cycle(self._owners)
        for owner in self._owners:
            owner.outstanding, owner.is_active = 0, True
        for _ in range(self._ahead):
            self._ask()

    def _reset(self, loader: Any) -> None:
        """Begins again with the same workers, once each has left what it was at."""
        super()._reset(loader)
        waiting = set(self._owners)
        for owner in self._owners:
            owner.ask(RESUME)
        while waiting:
            owner, answer = self._receive()
            if answer.kind == RESUMED:
                waiting.discard(owner)
        self._start()

    def _ask(self) -> None:
        """Gives the sampler's next indices to the worker whose turn it is."""
        if not any(map(self._may_be_asked, self._owners)):
            return
        try:
            indices = next(self._sampler_iter)
        except StopIteration:
            return
        owner = next(filter(self._may_be_asked, self._turns))
        number = next(self._numbers)
        owner.ask(number, indices)
        self._tasks[number] = owner

    def _may_be_asked(self, owner: _Worker) -> bool:
        return owner.is_active and (self._in_order or owner.outstanding < self._prefetch_factor)

    def _next_data(self) -> Any:
        if self._failure is not None:
            raise RuntimeError(self._failure)
        while self._tasks:
            number = next(iter(self._tasks if self._in_order else self._arrived), None)
            answer = None if number is None else self._arrived.pop(number, None)
            if number is None or answer is None:
                self._take_in()
                continue
            self._tasks.pop(number).outstanding -= 1
            self._ask()
            return _opened(answer)
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _take_in(self) -> None:
        owner, answer = self._receive()
        if answer.kind != END:
            self._arrived[answer.number] = answer
            return
        owner.is_active = False
        for left in [one for one, whose in self._tasks.items() if whose is owner and one not in self._arrived]:
            del self._tasks[left]
        self._ask()

    def _receive(self) -> tuple[_Worker, Answer]:
        """Waits for an answer of any worker."""
        by_end: dict[Any, _Worker] = {}
        for owner in self._owners:
            by_end[owner.answers] = by_end[owner.process.sentinel] = owner
        try:
            ready: list[Any] = multiprocessing.connection.wait(list(by_end), self._timeout or None)
            dead = [by_end[end] for end in ready]
            for pipe in ready:
                if not isinstance(pipe, int):  # an answer comes before news of a death
                    dead = [by_end[pipe]]
                    return by_end[pipe], Answer.receive(pipe)
        except (EOFError, OSError):
            pass
        except BaseException:  # an interrupt, after which nobody knows how much of an answer was read
            self._fail("DataLoader was interrupted while it waited for its workers")
            raise
        if not dead:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        causes = [owner.why_it_died() for owner in dead]
        text = f"DataLoader worker (pid(s) {', '.join(str(owner.process.pid) for owner in dead)}) exited unexpectedly"
        self._fail(text)
        raise RuntimeError(text) from next((cause for cause in causes if cause is not None), None)

    def _fail(self, text: str) -> None:
        self._failure = text
        self._shutdown_workers()


def _opened(answer: Answer) -> Any:
    """The batch, or raises the error, that a worker sent."""
    value = answer.value()
    if answer.kind == BATCH:
        return value
    if isinstance(value, str):
        raise RuntimeError(value)
    value.reraise()


def _end(owners: list[_Worker], pid: int) -> None:
    """Ends the workers, unless this process is a fork of the one whose they are."""
    if os.getpid() != pid:
        return
    for owner in owners:
        owner.dismiss()
    latest = time.monotonic() + _SECONDS_TO_END
    for owner in owners:
        owner.process.join(max(0.0, latest - time.monotonic()))
        if owner.process.is_alive():
            owner.process.terminate()
            owner.process.join()
