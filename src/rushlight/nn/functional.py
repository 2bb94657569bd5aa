"""torch.nn.functional: the functions of neural networks, served from the op table."""

from ..base.missing_names import lazy_names
from . import grad as grad

__getattr__, __dir__ = lazy_names(__name__)
