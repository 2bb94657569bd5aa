# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable

def name_methods(classes: Iterable[type]) -> None:
    """Gives each class the methods that it shares with others under its own name."""
    ...
