"""torch.nn: so far its functions."""

from ..missing import module_getattr
from . import functional

__getattr__ = module_getattr(__name__)
__all__ = ["functional"]
