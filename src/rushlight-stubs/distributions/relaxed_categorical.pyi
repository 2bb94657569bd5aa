# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Size
from rushlight import Tensor
from rushlight._inner import _Simplex
from rushlight.distributions.constraints import independent
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transformed_distribution import TransformedDistribution
from typing import Any
from typing import Self

class ExpRelaxedCategorical(Distribution):
    """The logarithm of a :class:`RelaxedOneHotCategorical` point: Gumbel noise about the logits, over ``temperature``."""
    temperature: Any
    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    def log_prob(self, value: Any) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
    @property
    def probs(self) -> Tensor: ...
    def rsample(self, sample_shape: Any = ()) -> Tensor: ...
    support: independent
class RelaxedOneHotCategorical(TransformedDistribution):
    """Points of a simplex: near its corners at a low ``temperature``, near its middle at a high one."""
    base_dist: Any
    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None: ...
    arg_constraints: dict[Any, Any]
    def expand(self, batch_shape: Any, _instance: Any = None) -> Self: ...
    has_rsample: bool
    @property
    def logits(self) -> Tensor: ...
    @property
    def probs(self) -> Tensor: ...
    support: _Simplex
    @property
    def temperature(self) -> Tensor: ...
