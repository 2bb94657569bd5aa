# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.distributions.distribution import Distribution
from typing import Any

class ProbsOrLogits(Distribution):
    """``probs`` and ``logits``, of one event each (``_is_binary``) or along the last dimension."""
    @property
    def logits(self) -> Any: ...
    @property
    def param_shape(self) -> Any: ...
    @property
    def probs(self) -> Any: ...
