"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import broadcast_all, standard_normal

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """About ``loc`` with ``scale``, with tails the heavier the fewer degrees of freedom ``df``.

    >>> import rushlight as torch
    >>> torch.distributions.StudentT(4.0).variance
    tensor(2.)
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new = self._get_checked_instance(StudentT, _instance)
        for name in ("df", "loc", "scale", "_chi2"):
            setattr(new, name, getattr(self, name).expand(batch_shape))
        return self._expanded(new, torch.Size(batch_shape))

    @property
    def mean(self) -> Tensor:
        """nan up to 1 degree of freedom."""
        return torch.where(self.df > 1, self.loc, torch.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Infinite up to 2 degrees of freedom, nan up to 1."""
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        result = torch.where(self.df > 2, finite, torch.inf)
        return torch.where(self.df > 1, result, torch.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        normal = standard_normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * normal * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1.0)
        log_normalizer = self.scale.log() + 0.5 * (self.df.log() + math.log(math.pi)) + half.lgamma() - next_half.lgamma()
        return -next_half * torch.log1p(y**2.0 / self.df) - log_normalizer

    def entropy(self) -> Tensor:
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = half.lgamma() + math.lgamma(0.5) - next_half.lgamma()
        spread = next_half * (next_half.digamma() - half.digamma())
        return self.scale.log() + spread + 0.5 * self.df.log() + log_beta
