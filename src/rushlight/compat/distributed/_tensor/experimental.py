"""torch.distributed._tensor.experimental: a context in which plain tensors count as shared out."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

__all__ = ["implicit_replication"]


def implicit_replication() -> AbstractContextManager[None]:
    """Changes nothing: no tensor is shared out."""
    return nullcontext()
