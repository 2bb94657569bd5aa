"""torch._C._autograd: saved tensors, version counters, and questions to the running pass."""

from __future__ import annotations

from rushlight.autograd import modes
from rushlight.autograd.saved_attributes import SavedTensor, make_saved_tensor
from rushlight.tensor import Tensor

__all__ = [
    "SavedTensor",
    "_get_current_graph_task_keep_graph",
    "_make_saved_tensor",
    "_saved_tensors_hooks_is_enabled",
    "_unsafe_set_version_counter",
]

_make_saved_tensor = make_saved_tensor


def _unsafe_set_version_counter(tensors: tuple[Tensor, ...], versions: tuple[int, ...]) -> None:
    """Sets the version counters of tensors: writes between are forgotten."""
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor._counter[0] = version


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether saved-tensor hooks may be set now."""
    return modes.state.saved_hooks_refusal is None


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the backward pass that is running keeps the graph."""
    task = modes.state.task
    return task is None or task.keep_graph
