"""``torch.compiler.set_stance``: what compiled functions do for now, wherever they were compiled."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Self

from ..base.thread_state import carried

Call = Callable[..., Any]

STANCES = ("default", "eager_then_compile", "aot_eager_then_compile", "force_eager", "eager_on_recompile", "fail_on_recompile")


class Current:
    """What compiled functions of all threads do now."""

    def __init__(self) -> None:
        self.stance = "default"


class Running(threading.local):
    """Whether this thread runs a compiled function, and does not replay it."""

    compiling = False


current, running = Current(), carried(Running())


class set_stance:
    """Sets what compiled functions do, from now on or for the length of a ``with`` block or of a decorated function.

    'default'             they are captured, and replayed
    'force_eager'         they run as they are
    'eager_on_recompile'  what has been captured is replayed, and what has not runs as it is
    'fail_on_recompile'   what has not been captured is a RuntimeError
    The two that end with 'then_compile' are the default here: a function's first call always runs as it is.

    RuntimeError for any other.

    >>> import rushlight as torch
    >>> double = torch.compile(lambda x: x * 2)
    >>> with torch.compiler.set_stance("force_eager"):
    ...     double(torch.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: object = None) -> None:
        if stance not in STANCES:
            raise RuntimeError(f"invalid torch.compile stance {stance!r}; there are {', '.join(STANCES)}")
        self.stance, self.before = stance, current.stance
        current.stance = stance

    def __enter__(self) -> Self:
        current.stance = self.stance
        return self

    def __exit__(self, *error: object) -> None:
        current.stance = self.before

    def __call__(self, function: Call) -> Call:
        current.stance = self.before  # only while the function runs

        @functools.wraps(function)
        def within(*args: object, **kwargs: object) -> object:
            with set_stance(self.stance):
                return function(*args, **kwargs)

        return within
