# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any
from typing import Generic
from typing import TypeVar

_T = TypeVar('_T')

class Future(Generic[_T]):
    """A result that another thread sets."""
    def __init__(self, *, devices: Any = None) -> None: ...
    def add_done_callback(self, callback: Callable[[Future[Any]], Any]) -> None:
        """Has the callback called with this future when it is done."""
        ...
    def done(self) -> bool:
        """Whether there is a result or an error."""
        ...
    def set_exception(self, result: BaseException) -> None:
        """Gives an error instead of a result."""
        ...
    def set_result(self, result: Any) -> None:
        """Gives the result. RuntimeError where there is one already."""
        ...
    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        """A future of what the callback makes of this one."""
        ...
    def value(self) -> _T:
        """The result. RuntimeError where there is none yet."""
        ...
    def wait(self) -> _T:
        """The result, once it is there; raises the error that was set instead."""
        ...
def collect_all(futures: list[Future[Any]]) -> Future[Any]:
    """A future of the list of futures, done when all are."""
    ...
def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The results of all."""
    ...
