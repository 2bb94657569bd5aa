# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.distributions.constraints import greater_than
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class LogNormal(TransformedDistribution):
    """Numbers whose logarithm is normal about ``loc`` with deviation ``scale``."""
    base_dist: Any
    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def loc(self) -> Tensor: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    @property
    def scale(self) -> Tensor: ...
    support: greater_than
    @property
    def variance(self) -> Tensor: ...
