"""What ``backward`` did, on the program itself: ``rushlight.explain()`` records a block, ``rushlight.explain(out)`` reads a graph."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .story import Story

__all__ = ["Story"]


class _Explain(ModuleType):
    """The module can be called: it is the function, and the room of what shows recordings."""

    def __call__(self, out: Any = None, gradient: Any = None, *, full: bool = False) -> Story:
        return Story(full) if out is None else Story(full).read(out, gradient)


sys.modules[__name__].__class__ = _Explain
