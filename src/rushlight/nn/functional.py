"""torch.nn.functional: the functions of neural networks, served from the op table."""

from ..base.missing import lazy_names
from . import grad as grad

__getattr__, __dir__ = lazy_names(__name__)
