"""functorch.einops: ``rearrange``."""

from rushlight.func.rearranging import rearrange

__all__ = ["rearrange"]
