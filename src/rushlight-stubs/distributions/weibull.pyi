# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.distributions.constraints import greater_than
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any

class Weibull(TransformedDistribution):
    """``scale`` times a power of an exponential number; times of failure, rarer or more frequent with age."""
    scale: Any
    concentration: Any
    concentration_reciprocal: Any
    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Any: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Any: ...
    @property
    def mean(self) -> Any: ...
    @property
    def mode(self) -> Any: ...
    support: greater_than
    @property
    def variance(self) -> Any: ...
