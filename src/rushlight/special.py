"""torch.special: special functions, served from the op table."""

from .as_torch.missing import module_getattr

__getattr__ = module_getattr(__name__)
