# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import Constraint
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class Pareto(TransformedDistribution):
    """From ``scale`` on, falling with the power ``alpha``."""
    scale: Any
    alpha: Any
    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    @property
    def support(self) -> Constraint: ...
    @property
    def variance(self) -> Tensor: ...
