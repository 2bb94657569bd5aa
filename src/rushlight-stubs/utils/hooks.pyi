# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from typing import Any
from rushlight.autograd.graph import RemovableHandle as RemovableHandle

def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a hook that may get lost when its tensor is saved: saving does not warn of it."""
    ...
def warn_if_has_hooks(tensor: Any) -> None:
    """Warns of each hook of a tensor that saving loses, unless it is marked with :func:`unserializable_hook`."""
    ...
