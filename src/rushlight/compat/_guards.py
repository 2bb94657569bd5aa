"""torch._guards: what PyTorch's compiler knows while it traces; here there are no tensors without numbers to be traced with."""

from __future__ import annotations

from typing import Any

__all__ = ["active_fake_mode", "detect_fake_mode"]


def active_fake_mode() -> None:
    """The mode in which tensors have no numbers: none is on.

    >>> import rushlight as torch
    >>> torch._guards.active_fake_mode() is None
    True
    """


def detect_fake_mode(inputs: Any = None) -> None:
    """The mode that tensors without numbers among ``inputs`` are of: none is."""
