"""torch.distributed.rpc of a build without it: calls between processes, of which there is one."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names

from . import is_available

__all__ = ["is_available"]

__getattr__, __dir__ = lazy_names(__name__)
