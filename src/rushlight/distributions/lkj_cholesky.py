"""The LKJ distribution of correlation matrices, by their Cholesky factors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of ``dim`` x ``dim`` correlation matrices, of density proportional to det ** (concentration - 1).

    All correlation matrices are as likely at a concentration of 1, those near the identity likelier above. After
    Lewandowski, Kurowicka and Joe (2009), drawn row by row, the onion method. ValueError for ``dim`` below 2.

    >>> import rushlight as torch
    >>> factor = torch.distributions.LKJCholesky(3, 0.5).sample()
    >>> torch.allclose((factor @ factor.mT).diagonal(), torch.ones(3))
    True
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The square of how far a row leaves the axis of its own.
        before = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        before = torch.cat([before.new_zeros(1), before])
        along = before + 0.5
        across = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * before
        self._beta = Beta(along, across)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        shape = torch.Size(batch_shape)
        new = self._get_checked_instance(LKJCholesky, _instance)
        new.dim = self.dim
        new.concentration = self.concentration.expand(shape)
        new._beta = self._beta.expand(shape + (self.dim,))
        return self._expanded(new, shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        square = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        normal = torch.randn(shape, dtype=square.dtype, device=square.device).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :] = 0.0
        rows = square.sqrt() * direction
        left = (1 - (rows**2).sum(-1)).clamp(min=torch.finfo(rows.dtype).tiny).sqrt()
        return rows + torch.diag_embed(left)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        strength, others = self.concentration, self.dim - 1
        order = torch.arange(2, self.dim + 1, device=strength.device)
        order = 2 * (strength - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        alpha = strength + 0.5 * others
        log_normalizer = 0.5 * others * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, others) - alpha.lgamma() * others
        return unnormalized - log_normalizer
