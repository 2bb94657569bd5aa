"""torch.signal: window functions."""

from ..as_torch.missing import module_getattr
from . import windows

__all__ = ["windows"]
__getattr__ = module_getattr(__name__)
