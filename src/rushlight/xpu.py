"""torch.xpu of a build without it: nothing is available."""

from __future__ import annotations

from .as_torch.missing import module_getattr


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def empty_cache() -> None:
    """Nothing is cached."""


def manual_seed(seed: int) -> None:
    """There is no generator to seed."""


__getattr__ = module_getattr(__name__)
