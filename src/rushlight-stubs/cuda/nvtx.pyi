# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from typing import Any
from typing import NoReturn

def mark(*args: Any, **kwargs: Any) -> NoReturn:
    """RuntimeError: there is no CUDA."""
    ...
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """RuntimeError on entering: there is no CUDA."""
    ...
range_pop = mark
range_push = mark
