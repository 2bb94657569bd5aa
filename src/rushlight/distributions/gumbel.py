"""The Gumbel distribution."""

from __future__ import annotations

import math
from numbers import Number
from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """Of maxima: ``loc - scale * log(-log(u))`` of a uniform u.

    >>> import rushlight as torch
    >>> torch.distributions.Gumbel(0.0, 1.0).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        bounds = torch.finfo(self.loc.dtype)
        if isinstance(loc, Number) and isinstance(scale, Number):
            base = Uniform(bounds.tiny, 1 - bounds.eps, validate_args=validate_args)
        else:
            low = torch.full_like(self.loc, bounds.tiny)
            base = Uniform(low, torch.full_like(self.loc, 1 - bounds.eps), validate_args=validate_args)
        minus = -torch.ones_like(self.scale)
        log_of_minus_log = [ExpTransform().inv, AffineTransform(loc=0, scale=minus), ExpTransform().inv]
        super().__init__(base, [*log_of_minus_log, AffineTransform(loc=loc, scale=-self.scale)], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc = self.loc.expand(batch_shape)
        new.scale = self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
