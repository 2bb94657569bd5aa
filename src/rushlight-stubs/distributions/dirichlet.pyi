# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight._inner import _Simplex
from rushlight.distributions.exp_family import ExponentialFamily
from typing import Any

class Dirichlet(ExponentialFamily):
    """Shares of a whole along the last dimension of ``concentration``. ValueError where that has no dimension."""
    concentration: Any
    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Any: ...
    has_rsample: bool
    def log_prob(self, value: Any) -> Any: ...
    @property
    def mean(self) -> Any: ...
    @property
    def mode(self) -> Any:
        """The first corner, as PyTorch gives it, where all concentrations are below 1."""
        ...
    def rsample(self, sample_shape: Any = ()) -> Any: ...
    support: _Simplex
    @property
    def variance(self) -> Any: ...
