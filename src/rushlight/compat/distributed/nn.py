"""torch.distributed.nn: messages between processes that gradients go through. There is one process, so each is an error."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names

from . import all_gather, all_reduce, all_to_all, broadcast, gather, reduce, reduce_scatter, scatter

__all__ = ["all_gather", "all_reduce", "all_to_all", "broadcast", "gather", "reduce", "reduce_scatter", "scatter"]

__getattr__, __dir__ = lazy_names(__name__)
