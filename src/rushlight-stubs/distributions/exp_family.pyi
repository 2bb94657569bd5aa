# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.distribution import Distribution

class ExponentialFamily(Distribution):
    """A density of the form ``exp(<t(x), theta> - F(theta) + k(x))``."""
    def entropy(self) -> Tensor: ...
