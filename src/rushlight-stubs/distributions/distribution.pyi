# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Size
from rushlight import Tensor
from rushlight.distributions.constraints import Constraint
from typing import Any
from typing import Self

class Distribution:
    """A family of distributions over tensors."""
    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None: ...
    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Where each parameter may lie."""
        ...
    @property
    def batch_shape(self) -> Size:
        """The shape of the distributions that this is, side by side."""
        ...
    def cdf(self, value: Any) -> Tensor:
        """The probability of at most ``value``."""
        ...
    def entropy(self) -> Tensor:
        """The entropy of each distribution of the batch."""
        ...
    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along the first dimension; ``expand`` over the batch, or not."""
        ...
    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """The same distribution with parameters expanded to ``batch_shape``, without copying them."""
        ...
    has_enumerate_support: bool
    has_rsample: bool
    def icdf(self, value: Any) -> Tensor:
        """The inverse of :meth:`cdf`."""
        ...
    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density, or of the probability, at ``value``. ValueError outside the support."""
        ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        ...
    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Values that have a gradient with regard to the parameters, where ``has_rsample``."""
        ...
    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Values of shape ``sample_shape + batch_shape + event_shape``, cut off from the parameters."""
        ...
    def sample_n(self, n: int) -> Tensor:
        """``n`` values: the older way to write ``sample((n,))``."""
        ...
    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check their parameters and values. ValueError unless a bool."""
        ...
    @property
    def stddev(self) -> Tensor: ...
    @property
    def support(self) -> Constraint:
        """Where values lie."""
        ...
    @property
    def variance(self) -> Tensor: ...
