"""torch.special: special functions, served from the op table."""

from rushlight.base.missing_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
