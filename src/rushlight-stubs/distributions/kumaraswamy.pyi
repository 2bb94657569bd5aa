# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import interval
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class Kumaraswamy(TransformedDistribution):
    """On [0, 1], much like a beta distribution, with a distribution function in closed form."""
    concentration1: Any
    concentration0: Any
    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor:
        """nan, as PyTorch gives it for every concentration."""
        ...
    support: interval
    @property
    def variance(self) -> Tensor: ...
