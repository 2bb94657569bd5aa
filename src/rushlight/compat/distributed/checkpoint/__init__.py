"""torch.distributed.checkpoint: states of programs in several processes. Of one process :func:`torch.save` keeps the state."""

from __future__ import annotations

from .. import init_process_group

__all__ = ["load", "save"]

save = load = init_process_group
