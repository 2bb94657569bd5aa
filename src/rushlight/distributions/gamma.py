"""The gamma distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Sums of ``concentration`` exponential numbers of a ``rate``, for any number of them above 0.

    >>> import rushlight as torch
    >>> gamma = torch.distributions.Gamma(3.0, 2.0)
    >>> gamma.mean, gamma.variance
    (tensor(1.5000), tensor(0.7500))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _parameters = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = torch._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)  # the value itself, past its history
        return value

    def log_prob(self, value: Any) -> Tensor:
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        shape, rate = self.concentration, self.rate
        return torch.xlogy(shape, rate) + torch.xlogy(shape - 1, value) - rate * value - torch.lgamma(shape)

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - torch.log(self.rate) + torch.lgamma(shape) + (1.0 - shape) * torch.digamma(shape)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
