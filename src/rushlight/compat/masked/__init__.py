"""torch.masked: reductions and normalizations under a mask, served from the op table, and tensors that carry their mask."""

import sys

from rushlight.base.missing_names import lazy_names

_ops = sys.modules[__name__]  # the examples of PyTorch's docstrings say torch.masked._ops.sum
# When first asked for: that the class exists makes every op look for subclasses.
_OF_MASKED_TENSORS = dict.fromkeys(("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"), "maskedtensor")
__getattr__, __dir__ = lazy_names(__name__, frozenset({"maskedtensor"}), _OF_MASKED_TENSORS)
