"""What several that only look on at ops have in common."""

from __future__ import annotations

import threading
from typing import Any

from ..autograd.interpreters import Interpreter, stack
from ..autograd.modes import special
from . import dispatch
from .table import Op


def run_below(op: Op, args: tuple[Any, ...], interpreter: Interpreter) -> Any:
    """What ``op`` gives without this interpreter, which looks on: by its short way where nobody else does, nor another thread,
    whose ops would not be seen meanwhile."""
    marks = tuple(special.active)
    if len(marks) == 1 and threading.active_count() == 1:
        try:
            special.active.discard(marks[0])
            return op.call(*args)
        finally:
            special.active.add(marks[0])
    return dispatch.run(op, args, 1, stack.below(interpreter))
