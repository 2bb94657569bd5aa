# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _CorrCholesky
from rushlight.distributions.distribution import Distribution
from typing import Any
from typing import Self

class LKJCholesky(Distribution):
    """Cholesky factors of ``dim`` x ``dim`` correlation matrices, of density proportional to det ** (concentration - 1)."""
    dim: int
    concentration: Any
    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    def log_prob(self, value: Any) -> Tensor: ...
    def sample(self, sample_shape: Any = ()) -> Tensor: ...
    support: _CorrCholesky
