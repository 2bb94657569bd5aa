"""torch.backends.opt_einsum: ``einsum`` contracts from left to right, as PyTorch does without that package."""

from __future__ import annotations

from typing import Any

__all__ = ["enabled", "get_opt_einsum", "is_available", "strategy"]

enabled = False
strategy: str | None = None


def is_available() -> bool:
    return False


def get_opt_einsum() -> Any:
    """None: the package is not used."""
