"""torch.nn.functional: the functions of neural networks, served from the op table."""

from ..as_torch.missing import module_getattr

__getattr__ = module_getattr(__name__)
