"""torch.utils.hooks: the handles that registering a hook returns."""

from ..autograd.graph import RemovableHandle

__all__ = ["RemovableHandle"]
