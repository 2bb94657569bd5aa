"""torch.masked: reductions and normalizations under a mask, served from the op table."""

import sys

from rushlight.base.missing_names import lazy_names

_ops = sys.modules[__name__]  # the examples of PyTorch's docstrings say torch.masked._ops.sum
__getattr__, __dir__ = lazy_names(__name__)
