"""torch.accelerator: there is none."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator."""


__getattr__, __dir__ = lazy_names(__name__)
