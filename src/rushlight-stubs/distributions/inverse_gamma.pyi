# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import greater_than
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class InverseGamma(TransformedDistribution):
    """One over a gamma number."""
    base_dist: Any
    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    @property
    def concentration(self) -> Tensor: ...
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def mean(self) -> Tensor:
        """Infinite up to a concentration of 1."""
        ...
    @property
    def mode(self) -> Tensor: ...
    @property
    def rate(self) -> Tensor: ...
    support: greater_than
    @property
    def variance(self) -> Tensor:
        """Infinite up to a concentration of 2."""
        ...
