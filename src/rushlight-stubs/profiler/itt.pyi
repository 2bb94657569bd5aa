# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from typing import Any
from typing import NoReturn

def is_available() -> bool:
    """Whether marks go anywhere: they do not."""
    ...
def mark(msg: str) -> NoReturn:
    """Marks a moment: RuntimeError, for there is no tool."""
    ...
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range for a block: RuntimeError, for there is no tool."""
    ...
def range_pop() -> NoReturn:
    """Closes a range: RuntimeError, for there is no tool."""
    ...
def range_push(msg: str) -> NoReturn:
    """Opens a range: RuntimeError, for there is no tool."""
    ...
