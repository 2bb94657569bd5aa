"""Backward passes within backward passes, as deep as memory allows: where the stack of a thread has filled up, the next pass
runs in another thread, whose stack is empty, while this one waits."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..base.thread_state import carried_states


def stack_is_filling() -> bool:
    """Whether more than half of the frames that Python allows are in use, or many: C's stack has its limit, too."""
    left = min(sys.getrecursionlimit() // 2, 1000)
    frame: Any = sys._getframe()
    while frame is not None:
        left -= 1
        if not left:
            return True
        frame = frame.f_back
    return False


def elsewhere(function: Callable[[], None]) -> None:
    """Calls ``function`` in a thread of its own, with this thread's modes, and waits for it; raises what it raises."""
    carried = [(state, dict(vars(state))) for state in carried_states]
    errors: list[BaseException] = []

    def run() -> None:
        for state, values in carried:
            vars(state).update(values)
        try:
            function()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors.pop()
