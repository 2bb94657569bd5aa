# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight._inner import _IntegerGreaterThan
from rushlight.distributions.exp_family import ExponentialFamily
from typing import Any

class Poisson(ExponentialFamily):
    """How often something happens in a unit of time that happens at a ``rate``."""
    rate: Any
    def __init__(self, rate: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def log_prob(self, value: Any) -> Any: ...
    @property
    def mean(self) -> Any: ...
    @property
    def mode(self) -> Any: ...
    def sample(self, sample_shape: Any = ()) -> Any: ...
    support: _IntegerGreaterThan
    @property
    def variance(self) -> Any: ...
