# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import _Real
from rushlight.distributions.constraints import interval
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class LogitRelaxedBernoulli(ProbsOrLogits):
    """The log odds of a :class:`RelaxedBernoulli` number: logistic noise about the logits, over ``temperature``."""
    temperature: Any
    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def log_prob(self, value: Any) -> Tensor: ...
    def rsample(self, sample_shape: Any = ()) -> Tensor: ...
    support: _Real
class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1: near either end at a low ``temperature``, near one half at a high one."""
    base_dist: Any
    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def logits(self) -> Tensor: ...
    @property
    def probs(self) -> Tensor: ...
    support: interval
    @property
    def temperature(self) -> Tensor: ...
