# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import greater_than
from rushlight.distributions.distribution import Distribution
from typing import Any
from typing import Self

class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each over its degrees of freedom."""
    df1: Any
    df2: Any
    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def mean(self) -> Tensor:
        """nan up to 2 degrees of freedom below."""
        ...
    @property
    def mode(self) -> Tensor:
        """nan up to 2 degrees of freedom above."""
        ...
    def rsample(self, sample_shape: Any = ()) -> Tensor: ...
    support: greater_than
    @property
    def variance(self) -> Tensor:
        """nan up to 4 degrees of freedom below."""
        ...
