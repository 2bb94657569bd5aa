"""The geometric distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch
from rushlight.nn.functional import binary_cross_entropy_with_logits

from . import constraints
from .probs_or_logits import ProbsOrLogits
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits):
    """How many failures come before the first success, each try with the same chance.

    >>> import rushlight as torch
    >>> torch.distributions.Geometric(torch.tensor([0.25])).mean
    tensor([3.])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _parameters = ("probs", "logits")

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._require_one(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            is_positive = value > 0
            if not is_positive.all():
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to be positive but found invalid values:\n{value[~is_positive]}"
                )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            u = self.probs.new_empty(shape).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        # A sure success: 0 * log(0) is 0 here.
        failing = torch.where((probs == 1) & (value == 0), torch.zeros_like(probs), probs)
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
