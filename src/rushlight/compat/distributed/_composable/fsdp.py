"""torch.distributed._composable.fsdp: the older name of a part of ``torch.distributed.fsdp``."""

from __future__ import annotations

from ..fsdp import FSDPModule, fully_shard

__all__ = ["FSDPModule", "fully_shard"]
