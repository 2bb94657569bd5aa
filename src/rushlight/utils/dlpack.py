"""torch.utils.dlpack: memory shared with other libraries."""

from ..creation.interop import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
