"""What a worker process of a DataLoader does: it gets tasks, and sends back batches.

A task is ``(number, indices)``. An answer (answers.py) is pickled as soon as it is there, so that an error in that is an
answer too, and a thread sends it, so that the next batch does not wait for the last to be read.
"""

from __future__ import annotations

import random
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ....random import manual_seed
from ....tensors.runtime import set_num_threads
from .answers import BATCH, END, ERROR, RESUMED, Answer

if TYPE_CHECKING:  # where processes cannot be made, as in a browser, batches are made without
    from multiprocessing.connection import Connection

RESUME = -1  # in place of a task's number


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What :func:`get_worker_info` gives. ``dataset`` is this process's own copy; the other fields are numbers."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker process of a :class:`DataLoader` this is: its ``id`` among ``num_workers``, its ``seed``, its ``dataset``.

    None in any other process.

    >>> from rushlight.utils.data import DataLoader, IterableDataset, get_worker_info
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         worker = get_worker_info()
    ...         return iter(range(6)) if worker is None else iter(range(worker.id, 6, worker.num_workers))
    >>> list(DataLoader(Count(), batch_size=3))
    [tensor([0, 1, 2]), tensor([3, 4, 5])]
    """
    return _worker_info


class ExceptionWrapper:
    """An exception as it goes to another process: its type and its traceback as text."""

    def __init__(self, error: BaseException, where: str) -> None:
        self.exc_type = type(error)
        text = "".join(traceback.format_exception(error))
        head = "Traceback (most recent call last):\n"  # left out where all frames are rushlight's, which a program does not see
        self.exc_msg = text if text.lstrip(" +|").startswith(("Traceback", "Exception Group")) else head + text
        self.where = where

    @property
    def text(self) -> str:
        return f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"

    def reraise(self) -> NoReturn:
        """Raises an exception of that type, or RuntimeError where the type wants more than a message."""
        kind: Any = self.exc_type
        if kind is KeyError:
            raise KeyError(_KeyText(self.text))
        try:
            error = kind(message=self.text) if getattr(kind, "message", None) else kind(self.text)
        except Exception:
            raise RuntimeError(self.text) from None
        raise error


class _KeyText(str):
    """KeyError shows the repr of its argument: here that is the text itself, with its lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass
class Work:
    """All that a worker has to know."""

    make_fetcher: Callable[[], Any]
    is_iterable: bool
    dataset: Any
    worker_init_fn: Callable[[int], Any] | None
    id: int
    num_workers: int
    base_seed: int


def run_worker(
    work: Work, tasks: Connection, answers: Connection, inherited: list[Connection], mask: set[int | signal.Signals] | None
) -> None:
    """The main function of a worker process, in which Ctrl-C has waited.

    ``inherited``  ends of pipes that are other processes' to hold
    ``mask``       the signals that go on waiting
    """
    try:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for other in inherited:
            other.close()
        _serve(work, tasks, _Sender(answers, work.id))
    except (EOFError, KeyboardInterrupt):  # the loader's process is gone, or gets the interrupt too and says so
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Sender:
    """Pickles answers, and sends them from a thread."""

    def __init__(self, answers: Connection, worker_id: int) -> None:
        self._answers = answers
        self._where = f"in DataLoader worker process {worker_id}"
        self._queue: SimpleQueue[Answer] = SimpleQueue()
        threading.Thread(target=self._send, name="answers", daemon=True).start()

    def _send(self) -> None:
        try:
            while True:
                self._queue.get().send(self._answers)
        except OSError:  # nobody reads them any more
            return

    def put(self, kind: int, number: int, value: Any = None) -> None:
        try:
            answer = Answer.of(kind, number, value)
        except Exception as error:
            self.put_error(number, error)
        else:
            self._queue.put(answer)

    def put_error(self, number: int, error: Exception) -> None:
        wrapper = ExceptionWrapper(error, self._where)
        try:
            answer = Answer.of(ERROR, number, wrapper)
        except Exception:  # its type is known to this process only
            answer = Answer.of(ERROR, number, wrapper.text)
        self._queue.put(answer)


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """The four words that NumPy's generator of a worker begins with; other loaders take them from here."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(word) for word in np.random.SeedSequence(words).generate_state(4)]


def _serve(work: Work, tasks: Connection, sender: _Sender) -> None:
    global _worker_info
    seed = work.base_seed + work.id
    set_num_threads(1)
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(_generate_state(work.base_seed, work.id))
    _worker_info = WorkerInfo(work.id, work.num_workers, seed, work.dataset)
    fetcher: Any = None
    failure: Exception | None = None
    try:
        if work.worker_init_fn is not None:
            work.worker_init_fn(work.id)
        fetcher = work.make_fetcher()
    except Exception as error:
        failure = error
    ended = False
    for number, indices in _all(tasks):
        if number == RESUME:
            try:
                fetcher, failure, ended = work.make_fetcher(), None, False
            except Exception as error:
                failure = error
            sender.put(RESUMED, number)
        elif failure is not None:
            sender.put_error(number, failure)
        elif not ended:  # what was asked for beyond the end is not waited for
            try:
                batch = fetcher.fetch(indices)
            except Exception as error:
                ended = work.is_iterable and isinstance(error, StopIteration)
                if ended:
                    sender.put(END, number)
                else:
                    sender.put_error(number, error)
            else:
                sender.put(BATCH, number, batch)
                del batch


def _all(tasks: Connection) -> Iterator[tuple[int, Any]]:
    """Tasks in turn, until None comes, which is heeded before those that it overtakes."""
    waiting: deque[tuple[int, Any]] = deque()
    while True:
        while not waiting or tasks.poll():
            task = tasks.recv()
            if task is None:
                return
            waiting.append(task)
        yield waiting.popleft()
