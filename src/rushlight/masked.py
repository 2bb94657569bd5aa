"""torch.masked: reductions and normalizations under a mask, served from the op table."""

from .missing import module_getattr

__getattr__ = module_getattr(__name__)
