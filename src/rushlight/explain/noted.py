"""Noting what happens: one thread at a time, and never to the harm of the program."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

noting = threading.RLock()  # held while something is noted: threads of the program take turns


def quietly(method: Callable[..., Any]) -> Callable[..., Any]:
    """What observes must not disturb: an error here is none of the program's."""

    @functools.wraps(method)
    def call(self: Any, *args: Any) -> Any:
        try:
            with noting:
                return method(self, *args)
        except Exception as error:
            self.failures.append(f"{method.__name__}: {type(error).__name__}: {error}")
            return None

    return call
