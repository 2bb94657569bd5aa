"""torch.accelerator: there is none."""

from __future__ import annotations

from .as_torch.missing import module_getattr


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


__getattr__ = module_getattr(__name__)
