"""The Weibull distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``scale`` times a power of an exponential number; times of failure, rarer or more frequent with age.

    >>> import rushlight as torch
    >>> torch.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        power = PowerTransform(exponent=self.concentration_reciprocal)
        super().__init__(base, [power, AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        new.base_dist = self.base_dist.expand(batch_shape)
        power = PowerTransform(exponent=new.concentration_reciprocal)
        new.transforms = [power, AffineTransform(loc=0, scale=new.scale)]
        return self._expanded(new, torch.Size(batch_shape))

    def _moment(self, order: int) -> Any:
        """The mean of a power of the value over ``scale``."""
        return torch.exp(torch.lgamma(1 + order * self.concentration_reciprocal))

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1)

    @property
    def mode(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return self.scale * ((self.concentration - 1) / self.concentration) ** inverse

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (self._moment(2) - self._moment(1) ** 2)

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torch.log(self.scale * inverse) + 1
