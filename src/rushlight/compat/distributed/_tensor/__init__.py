"""torch.distributed._tensor: what ``torch.distributed.tensor`` was called before."""

from __future__ import annotations

from ..tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_module, distribute_tensor

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]
