"""The multinomial distribution."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

if TYPE_CHECKING:
    from ..base.size import Size
    from ..tensor import Tensor

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of several things comes in ``total_count`` draws, by weights along the last dimension.

    NotImplementedError unless ``total_count`` is a number.

    >>> import rushlight as torch
    >>> torch.distributions.Multinomial(4, torch.tensor([1.0, 3.0])).mean
    tensor([1., 3.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, Number):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.param_shape
        super().__init__(self._categorical.batch_shape, shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        shape = torch.Size(batch_shape)
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(shape)
        new._binomial = self._binomial.expand(shape + self._event_shape)
        return self._expanded(new, shape)

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = torch.Size(sample_shape)
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + shape).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(shape))
        counts.scatter_add_(-1, drawn, torch.ones_like(drawn))
        return counts.type_as(self.probs)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = torch.where((value == 0) & (logits == -torch.inf), torch.zeros_like(logits), logits)
        log_ways = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return log_ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        count = torch.tensor(float(self.total_count), dtype=self.probs.dtype)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        chances = torch.exp(self._binomial.log_prob(counts))
        log_factorials = (chances * torch.lgamma(counts + 1)).sum([0, -1])
        return count * self._categorical.entropy() - torch.lgamma(count + 1) + log_factorials
