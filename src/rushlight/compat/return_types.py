"""torch.return_types: the named tuples that ops with several results return."""

from __future__ import annotations

from rushlight.base import return_types


def __getattr__(name: str) -> object:
    return getattr(return_types, name)


def __dir__() -> list[str]:
    return dir(return_types)
