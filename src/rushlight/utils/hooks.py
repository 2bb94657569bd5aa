"""torch.utils.hooks: the handles that registering a hook returns, and what is said of hooks that a file does not keep."""

from __future__ import annotations

from ..autograd.handles import RemovableHandle
from ..autograd.hooks import unserializable_hook, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
