# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _IntegerGreaterThan
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from typing import Any

class NegativeBinomial(ProbsOrLogits):
    """How many successes come before ``total_count`` failures, each try with the same chance."""
    total_count: Any
    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None: ...
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
