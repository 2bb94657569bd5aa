# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

def traverse(datapipe: object, only_datapipe: bool | None = None) -> dict[int, tuple[object, Any]]:
    """:func:`traverse_dps` under its older name."""
    ...
def traverse_dps(datapipe: object) -> dict[int, tuple[object, Any]]:
    """``{id(pipe): (pipe, the same of those that it holds)}``."""
    ...
