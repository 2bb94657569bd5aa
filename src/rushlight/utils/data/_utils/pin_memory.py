"""Batches in memory that an accelerator reads faster: there is none, so each tensor says what its own method says."""

from __future__ import annotations

from typing import Any

from ....tensor import Tensor
from ..._pytree import tree_map

__all__ = ["pin_memory"]


def pin_memory(data: Any, device: Any = None) -> Any:
    """The batch with its tensors pinned; an object with a method of that name does it itself."""
    if not isinstance(data, Tensor) and hasattr(data, "pin_memory"):
        return data.pin_memory()
    return tree_map(lambda one: one.pin_memory() if isinstance(one, Tensor) else one, data)
