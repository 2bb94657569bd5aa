"""torch.cpu: the one device there is."""

from __future__ import annotations

from typing import Any

from .missing import module_getattr


def is_available() -> bool:
    return True


def device_count() -> int:
    return 1


def current_device() -> str:
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Every operation is done when it returns."""


__getattr__ = module_getattr(__name__)
