"""The negative binomial distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch
from rushlight.nn.functional import logsigmoid

from . import constraints
from .gamma import Gamma
from .probs_or_logits import ProbsOrLogits
from .utils import broadcast_all, lazy_property

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits):
    """How many successes come before ``total_count`` failures, each try with the same chance.

    >>> import rushlight as torch
    >>> torch.distributions.NegativeBinomial(3.0, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _parameters = ("total_count", "probs", "logits")

    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._require_one(probs, logits)
        if probs is not None:
            self.total_count, self.probs = broadcast_all(total_count, probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Any:
        # The rate is not checked: extreme logits make it 0 or infinite.
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        log_chance = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        log_normalizer = torch.lgamma(1.0 + value) + torch.lgamma(count) - torch.lgamma(count + value)
        # With no failure to wait for, there is one way to have no success.
        log_normalizer = torch.where(count + value == 0.0, torch.zeros_like(log_normalizer), log_normalizer)
        return log_chance - log_normalizer
