"""torch.nn.functional: the functions of neural networks, served from the op table."""

from ..as_torch.missing import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
