"""The Dirichlet distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .exp_family import ExponentialFamily

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Dirichlet"]


class _Dirichlet(torch.autograd.Function):
    """Shares of the whole, whose gradient follows from each share's distribution function."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Tensor:
        x = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        ctx.save_for_forward(x, concentration)
        return x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:
        x, concentration = ctx.saved_tensors
        return _derivative(x, concentration) * (grad - (x * grad).sum(-1, True))

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        x, concentration = ctx.saved_tensors
        moved = _derivative(x, concentration) * tangent
        return moved - x * moved.sum(-1, True)


def _derivative(x: Any, concentration: Any) -> Any:
    """How each concentration moves its own share; the others give way in proportion."""
    return torch._dirichlet_grad(x, concentration, concentration.sum(-1, True).expand_as(concentration))


class Dirichlet(ExponentialFamily):
    """Shares of a whole along the last dimension of ``concentration``. ValueError where that has no dimension.

    >>> import rushlight as torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _parameters = ("concentration",)

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        shape = self.concentration
        return torch.xlogy(shape - 1.0, value).sum(-1) + torch.lgamma(shape.sum(-1)) - torch.lgamma(shape).sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """The first corner, as PyTorch gives it, where all concentrations are below 1."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        is_corner = (self.concentration < 1).all(dim=-1, keepdim=True)
        corner = torch.zeros_like(mode)
        corner[..., 0] = 1.0
        return torch.where(is_corner, corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        shape = self.concentration
        count, total = shape.size(-1), shape.sum(-1)
        log_normalizer = torch.lgamma(shape).sum(-1) - torch.lgamma(total)
        return log_normalizer - (count - total) * torch.digamma(total) - ((shape - 1.0) * torch.digamma(shape)).sum(-1)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
