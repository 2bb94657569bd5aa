"""torch.nn.utils: what is done to parameters and gradients."""

from ...missing import module_getattr
from . import rnn

__getattr__ = module_getattr(__name__)
