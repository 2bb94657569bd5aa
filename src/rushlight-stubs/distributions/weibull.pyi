# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import greater_than
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class Weibull(TransformedDistribution):
    """``scale`` times a power of an exponential number; times of failure, rarer or more frequent with age."""
    scale: Any
    concentration: Any
    concentration_reciprocal: Any
    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    support: greater_than
    @property
    def variance(self) -> Tensor: ...
