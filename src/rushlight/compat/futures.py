"""torch.futures: results that may come later, from other threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from rushlight.base.device import device as Device
from rushlight.base.missing_names import lazy_names

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A result that another thread sets.

    >>> import rushlight as torch
    >>> future = torch.futures.Future()
    >>> later = future.then(lambda done: done.value() + 1)
    >>> future.set_result(1)
    >>> later.wait()
    2
    """

    def __init__(self, *, devices: Any = None) -> None:
        for one in () if devices is None else devices:
            where = Device(one)
            if where.index is None:
                raise ValueError(f"Expected devices to have indices, got {where}")
            raise RuntimeError(f"PyTorch is not linked with support for {where.type} devices")
        self._condition = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[Any]], Any]] = []

    def done(self) -> bool:
        """Whether there is a result or an error."""
        return self._done

    def wait(self) -> T:
        """The result, once it is there; raises the error that was set instead."""
        with self._condition:
            while not self._done:
                self._condition.wait()
        return self.value()

    def value(self) -> T:
        """The result. RuntimeError where there is none yet."""
        if not self._done:
            raise RuntimeError("the future has no value yet: wait for it")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: Any) -> None:
        """Gives the result. RuntimeError where there is one already."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Gives an error instead of a result."""
        self._finish(None, result)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        with self._condition:
            if self._done:
                raise RuntimeError("the future is finished already")
            self._value, self._error, self._done = value, error, True
            self._condition.notify_all()
        for callback in self._callbacks:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[Any]], Any]) -> None:
        """Has the callback called with this future when it is done."""
        with self._condition:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        """A future of what the callback makes of this one."""
        result: Future[Any] = Future()

        def run(done: Future[Any]) -> None:
            try:
                result.set_result(callback(done))
            except Exception as error:
                result.set_exception(error)

        self.add_done_callback(run)
        return result


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of all."""
    return [future.wait() for future in futures]


def collect_all(futures: list[Future[Any]]) -> Future[Any]:
    """A future of the list of futures, done when all are."""
    result: Future[Any] = Future()
    left = [len(futures)]
    lock = threading.Lock()

    def one_more(_: Future[Any]) -> None:
        with lock:
            left[0] -= 1
            is_last = left[0] == 0
        if is_last:
            result.set_result(futures)

    for future in futures:
        future.add_done_callback(one_more)
    if not futures:
        result.set_result(futures)
    return result


__getattr__, __dir__ = lazy_names(__name__)
