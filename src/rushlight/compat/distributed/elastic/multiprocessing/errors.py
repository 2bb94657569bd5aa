"""torch.distributed.elastic.multiprocessing.errors: what a program that others launched says of its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["record"]

F = TypeVar("F", bound=Callable[..., Any])


def record(fn: F, error_handler: Any = None) -> F:
    """The function as it is: nobody launched the program, so there is nobody to tell of its errors.

    >>> from rushlight.distributed.elastic.multiprocessing.errors import record
    >>> @record
    ... def main():
    ...     return 3
    >>> main()
    3
    """
    return fn
