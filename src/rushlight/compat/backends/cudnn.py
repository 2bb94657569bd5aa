"""torch.backends.cudnn: not available; its switches can be set and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

enabled = True
benchmark = deterministic = False
allow_tf32 = True
benchmark_limit = 10


def is_available() -> bool:
    return False


def version() -> None:
    """None: there is no cuDNN."""


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """The switches for a ``with`` block.

    >>> import rushlight as torch
    >>> with torch.backends.cudnn.flags(enabled=False):
    ...     torch.backends.cudnn.enabled
    False
    >>> torch.backends.cudnn.enabled
    True
    """
    own = globals()
    wanted: dict[str, object] = {
        "enabled": enabled,
        "benchmark": benchmark,
        "benchmark_limit": benchmark_limit,
        "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }
    before = {name: own[name] for name in wanted}
    own.update(wanted)
    try:
        yield
    finally:
        own.update(before)
