"""torch.signal: window functions."""

from rushlight.base.missing_names import lazy_names

from . import windows

__all__ = ["windows"]
__getattr__, __dir__ = lazy_names(__name__)
