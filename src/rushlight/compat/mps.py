"""torch.mps of a build without it: nothing is available."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names


def is_available() -> bool:
    return False


def _is_in_bad_fork() -> bool:
    """Whether this process was forked from one that used a GPU; asked before generators are seeded."""
    return False


def device_count() -> int:
    return 0


def empty_cache() -> None:
    """Nothing is cached."""


def manual_seed(seed: int) -> None:
    """There is no generator to seed."""


__getattr__, __dir__ = lazy_names(__name__)
