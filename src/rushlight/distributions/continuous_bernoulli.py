"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import rushlight as torch
from rushlight.nn.functional import binary_cross_entropy_with_logits

from . import constraints
from .exp_family import ExponentialFamily
from .probs_or_logits import ProbsOrLogits
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """On [0, 1] with a density proportional to ``probs**x * (1 - probs)**(1 - x)``.

    Its formulas divide 0 by 0 at probs = 1/2; between the limits ``lims`` a power series about that stands for them.

    >>> import rushlight as torch
    >>> torch.distributions.ContinuousBernoulli(0.5).log_prob(torch.tensor(0.3))
    tensor(0.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    _fixed = ("_lims",)
    _parameters = ("probs", "logits")

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._require_one(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self) -> Any:
        low, high = self._lims
        return (self.probs <= low) | (self.probs > high)

    def _cut_probs(self) -> Any:
        """Probabilities at which the formulas hold: those within the limits become the lower one."""
        return torch.where(self._outside_unstable_region(), self.probs, torch.full_like(self.probs, self._lims[0]))

    def _log_odds_against(self, p: Any) -> Any:
        return torch.log1p(-p) - torch.log(p)

    def _cont_bern_log_norm(self) -> Any:
        """The logarithm of what makes the density's integral 1."""
        p = self._cut_probs()
        is_low = p <= 0.5
        low = torch.where(is_low, p, torch.zeros_like(p))
        high = torch.where(is_low, torch.ones_like(p), p)
        log_gap = torch.where(is_low, torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0))
        exact = torch.log(torch.abs(self._log_odds_against(p))) - log_gap
        x = (self.probs - 0.5) ** 2
        near = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, near)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        exact = p / (2.0 * p - 1.0) + 1.0 / self._log_odds_against(p)
        x = self.probs - 0.5
        near = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x
        return torch.where(self._outside_unstable_region(), exact, near)

    @property
    def stddev(self) -> Tensor:
        return torch.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        exact = p * (p - 1.0) / (1.0 - 2.0 * p) ** 2 + 1.0 / self._log_odds_against(p) ** 2
        x = (self.probs - 0.5) ** 2
        near = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, near)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        exact = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._outside_unstable_region(), exact, value)
        at_least = torch.where(value <= 0.0, torch.zeros_like(inside), inside)
        return torch.where(value >= 1.0, torch.ones_like(inside), at_least)

    def icdf(self, value: Any) -> Tensor:
        p = self._cut_probs()
        exact = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / -self._log_odds_against(p)
        return torch.where(self._outside_unstable_region(), exact, value)

    def entropy(self) -> Tensor:
        against = torch.log1p(-self.probs)
        return self.mean * (against - torch.log(self.probs)) - self._cont_bern_log_norm() - against

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        low, high = (limit - 0.5 for limit in self._lims)
        is_outside = (x <= low) | (x > high)
        cut = torch.where(is_outside, x, torch.full_like(x, low))
        exact = torch.log(torch.abs(torch.special.expm1(cut))) - torch.log(torch.abs(cut))
        near = 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0
        return torch.where(is_outside, exact, near)
