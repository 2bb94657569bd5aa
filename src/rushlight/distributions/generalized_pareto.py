"""The generalized Pareto distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """What lies above a threshold ``loc``: tails as heavy as ``concentration`` says, bounded where that is below 0.

    >>> import rushlight as torch
    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _parameters = ("loc", "scale", "concentration")

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        u = torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.icdf(u)

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _is_exponential(self) -> Any:
        return torch.isclose(self.concentration, torch.zeros_like(self.concentration))

    def _divisor(self) -> Any:
        """The concentration, or 1 where the exponential distribution is its limit."""
        return torch.where(self._is_exponential(), torch.ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z, k = self._z(value), self._divisor()
        return torch.where(self._is_exponential(), -z, -(1 + 1 / k) * torch.log1p(k * z)) - torch.log(self.scale)

    def log_survival_function(self, value: Any) -> Tensor:
        """The logarithm of the probability of more than ``value``."""
        if self._validate_args:
            self._validate_sample(value)
        z, k = self._z(value), self._divisor()
        return torch.where(self._is_exponential(), -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value: Any) -> Tensor:
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Tensor:
        k = self._divisor()
        log_survival = torch.log1p(-value)
        z = torch.where(self._is_exponential(), -log_survival, torch.expm1(-k * log_survival) / k)
        return self.loc + self.scale * z

    @property
    def mean(self) -> Tensor:
        """nan from a concentration of 1 on."""
        k = self.concentration
        return torch.where(k < 1, self.loc + self.scale / (1 - k), torch.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """nan from a concentration of 1/2 on."""
        k = self.concentration
        return torch.where(k < 0.5, self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)), torch.nan)

    def entropy(self) -> Tensor:
        return torch.log(self.scale) + self.concentration + 1

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        k = self.concentration
        end = torch.where(k < 0, self.loc - self.scale / k, torch.full_like(k, torch.inf))
        return constraints.interval(self.loc, end)
