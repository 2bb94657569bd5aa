"""Random numbers in tests: the same ones for each call, and none taken from the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..random import get_rng_state, manual_seed, set_rng_state


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """Leaves the random stream as it was before the block.

    >>> import rushlight as torch
    >>> from rushlight.testing._utils import freeze_rng_state
    >>> with freeze_rng_state():
    ...     x = torch.rand(2)
    >>> torch.equal(x, torch.rand(2))
    True
    """
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What ``op`` gives with a fixed seed."""
    with freeze_rng_state():
        manual_seed(42)
        return op(*args, **kwargs)
