# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Size
from rushlight import Tensor
from rushlight.distributions.distribution import Distribution

class ProbsOrLogits(Distribution):
    """``probs`` and ``logits``, of one event each (``_is_binary``) or along the last dimension."""
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
    @property
    def probs(self) -> Tensor: ...
