# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _Real
from rushlight.distributions.distribution import Distribution
from typing import Any
from typing import Self

class StudentT(Distribution):
    """About ``loc`` with ``scale``, with tails the heavier the fewer degrees of freedom ``df``."""
    df: Any
    loc: Any
    scale: Any
    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def entropy(self) -> Tensor: ...
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def mean(self) -> Tensor:
        """nan up to 1 degree of freedom."""
        ...
    @property
    def mode(self) -> Tensor: ...
    def rsample(self, sample_shape: Any = ()) -> Tensor: ...
    support: _Real
    @property
    def variance(self) -> Tensor:
        """Infinite up to 2 degrees of freedom, nan up to 1."""
        ...
