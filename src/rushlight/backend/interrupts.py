"""Ctrl-C held back while something would be left half done: a step of an optimizer, an array that several threads write.

PyTorch does such things in C++, where Python's handlers of signals do not run either.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from ..base.arguments import code_of


def held(function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(*arguments)``; the handler of a Ctrl-C that comes meanwhile runs when that is done.

    Only the main thread runs handlers: in others nothing is held, as nothing interrupts them.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    came: dict[int, tuple[Any, ...]] = {}  # the first one
    signal.signal(signal.SIGINT, lambda *which: came.setdefault(signal.SIGINT, which))
    try:
        return function(*arguments)
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came.pop(signal.SIGINT))  # not kept: its frame leads to this one, and such a cycle holds what it knows


def came_by_a_signal(error: BaseException) -> bool:
    """Whether a handler of a signal raised an error: then it is the program's, whatever ran when the signal came."""
    codes = {code_of(signal.getsignal(number)) for number in signal.valid_signals()}
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code in codes:
            return True
        step = step.tb_next
    return False
