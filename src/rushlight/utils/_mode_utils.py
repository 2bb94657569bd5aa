"""torch.utils._mode_utils: switching ``__torch_dispatch__`` off."""

from ..overrides.torch_dispatch import no_dispatch

__all__ = ["no_dispatch"]
