"""torch.profiler.itt: marks for Intel's tracing tool, which rushlight does not feed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    """Whether marks go anywhere: they do not.

    >>> from rushlight.profiler import itt
    >>> itt.is_available()
    False
    """
    return False


def _fail(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def range_push(msg: str) -> NoReturn:
    """Opens a range: RuntimeError, for there is no tool."""
    _fail()


def range_pop() -> NoReturn:
    """Closes a range: RuntimeError, for there is no tool."""
    _fail()


def mark(msg: str) -> NoReturn:
    """Marks a moment: RuntimeError, for there is no tool."""
    _fail()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range for a block: RuntimeError, for there is no tool."""
    range_push(msg.format(*args, **kwargs))
    yield
