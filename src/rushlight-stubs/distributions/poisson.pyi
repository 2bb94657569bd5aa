# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _IntegerGreaterThan
from rushlight.distributions.exp_family import ExponentialFamily
from typing import Any

class Poisson(ExponentialFamily):
    """How often something happens in a unit of time that happens at a ``rate``."""
    rate: Any
    def __init__(self, rate: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    def sample(self, sample_shape: Any = ()) -> Tensor: ...
    support: _IntegerGreaterThan
    @property
    def variance(self) -> Tensor: ...
