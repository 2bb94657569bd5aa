"""torch.distributed.checkpoint.default_planner: what of a state is saved and loaded. All of it, by name."""

from __future__ import annotations

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class SavePlanner:
    """Says what is saved."""


class LoadPlanner:
    """Says what is loaded. ``allow_partial_load``: names that a checkpoint lacks stay as they are."""

    allow_partial_load = False


class DefaultSavePlanner(SavePlanner):
    """Saves everything; the arguments say how PyTorch would share the work out."""

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict


class DefaultLoadPlanner(LoadPlanner):
    """Loads everything that the state names.

    >>> from rushlight.distributed.checkpoint import DefaultLoadPlanner
    >>> DefaultLoadPlanner(allow_partial_load=True).allow_partial_load
    True
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:
        self.flatten_state_dict, self.allow_partial_load = flatten_state_dict, allow_partial_load
