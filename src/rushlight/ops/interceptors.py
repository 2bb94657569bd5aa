"""What several that only look on at ops have in common."""

from __future__ import annotations

from typing import Any

from ..autograd.interpreters import Interpreter, stack
from ..autograd.modes import special
from . import dispatch
from .table import Op


def run_below(op: Op, args: tuple[Any, ...], interpreter: Interpreter) -> Any:
    """What ``op`` gives without this interpreter, which looks on: by its short way where nobody else does."""
    if special.active == 1:
        left = False
        try:  # in lines that call nothing: an interrupt comes before both or after
            with special.lock:
                special.active, left = special.active - 1, True
            return op.call(*args)
        finally:
            if left:
                with special.lock:
                    special.active += 1
    return dispatch.run(op, args, 1, stack.below(interpreter))
