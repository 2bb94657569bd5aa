"""torch.distributed.checkpoint.planner: the kinds of planners."""

from __future__ import annotations

from .default_planner import LoadPlanner, SavePlanner

__all__ = ["LoadPlanner", "SavePlanner"]
