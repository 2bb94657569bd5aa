"""What several that only look on at ops have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.modes import special
from . import dispatch
from .table import Op


def run_below(op: Op, args: tuple[Any, ...], interceptor: Callable[[Op, tuple[Any, ...]], Any]) -> Any:
    """What ``op`` gives without this interceptor, which looks on: by its short way where nobody else does."""
    if special.active == 1:
        special.leave()
        try:
            return op.call(*args)
        finally:
            special.enter()
    return dispatch.run(op, args, 1, dispatch.interceptors[dispatch.interceptors.index(interceptor) + 1 :])
