"""torch._C._autograd: saved tensors and version counters."""

from __future__ import annotations

from ..ops.saved_attributes import SavedTensor, make_saved_tensor
from ..tensor import Tensor

__all__ = ["SavedTensor", "_make_saved_tensor", "_unsafe_set_version_counter"]

_make_saved_tensor = make_saved_tensor


def _unsafe_set_version_counter(tensors: tuple[Tensor, ...], versions: tuple[int, ...]) -> None:
    """Sets the version counters of tensors: writes between are forgotten."""
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor._counter[0] = version
