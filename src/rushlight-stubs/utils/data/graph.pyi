# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

def traverse(datapipe: Any, only_datapipe: bool | None = None) -> dict[int, tuple[Any, Any]]:
    """:func:`traverse_dps` under its older name."""
    ...
def traverse_dps(datapipe: Any) -> dict[int, tuple[Any, Any]]:
    """``{id(pipe): (pipe, the same of those that it holds)}``."""
    ...
