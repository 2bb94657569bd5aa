"""torch.utils.dlpack: memory shared with other libraries."""

from __future__ import annotations

from ..backend.dlpack import DLDeviceType
from ..tensors.creation.interop import from_dlpack, to_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]
