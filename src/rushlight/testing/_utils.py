"""torch.testing._utils: the random state kept over a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rushlight as torch

__all__ = ["freeze_rng_state", "wrapper_set_seed"]


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """What is drawn inside leaves no trace behind.

    >>> import rushlight as torch
    >>> from rushlight.testing._utils import freeze_rng_state
    >>> before = torch.get_rng_state()
    >>> with freeze_rng_state():
    ...     _ = torch.rand(3)
    >>> torch.equal(torch.get_rng_state(), before)
    True
    """
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``op(*args, **kwargs)`` with the seed 42, whatever was drawn before."""
    with freeze_rng_state():
        torch.manual_seed(42)
        return op(*args, **kwargs)
