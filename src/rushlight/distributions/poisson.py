"""The Poisson distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """How often something happens in a unit of time that happens at a ``rate``.

    >>> import rushlight as torch
    >>> torch.distributions.Poisson(2.0).log_prob(torch.tensor(0.0))
    tensor(-2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _parameters = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (torch.log(self.rate),)

    def _log_normalizer(self, x: Any) -> Any:
        return torch.exp(x)
