# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _Simplex
from rushlight.distributions.exp_family import ExponentialFamily
from typing import Any

class Dirichlet(ExponentialFamily):
    """Shares of a whole along the last dimension of ``concentration``. ValueError where that has no dimension."""
    concentration: Any
    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    has_rsample: bool
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor:
        """The first corner, as PyTorch gives it, where all concentrations are below 1."""
        ...
    def rsample(self, sample_shape: Any = ()) -> Tensor: ...
    support: _Simplex
    @property
    def variance(self) -> Tensor: ...
