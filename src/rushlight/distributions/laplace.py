"""The Laplace distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Exponential on both sides of ``loc``, with mean distance ``scale``.

    >>> import rushlight as torch
    >>> torch.distributions.Laplace(0.0, 1.0).log_prob(torch.tensor(0.0))
    tensor(-0.6931)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parameters = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        eps = torch.finfo(self.loc.dtype).eps
        # The open interval (-1, 1): the logarithm of 0 stays out.
        u = self.loc.new_empty(shape).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * torch.expm1(-distance.abs() / self.scale)

    def icdf(self, value: Any) -> Tensor:
        from_middle = value - 0.5
        return self.loc - self.scale * from_middle.sign() * torch.log1p(-2 * from_middle.abs())

    def entropy(self) -> Tensor:
        return 1 + torch.log(2 * self.scale)
