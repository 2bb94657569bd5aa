"""Mixtures of one family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import rushlight as torch

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A component drawn from ``mixture_distribution``, then a value from that component of ``component_distribution``.

    ``component_distribution`` has the components along its last batch dimension; ValueError where shapes do not fit.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Categorical, MixtureSameFamily, Normal
    >>> weights = Categorical(torch.tensor([0.5, 0.5]))
    >>> mixture = MixtureSameFamily(weights, Normal(torch.tensor([-1.0, 1.0]), torch.tensor([1.0, 1.0])))
    >>> mixture.mean, mixture.variance
    (tensor(0.), tensor(2.))
    """

    arg_constraints: dict[str, Any] = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixture_batch = mixture_distribution.batch_shape
        component_batch = component_distribution.batch_shape[:-1]
        for one, other in zip(reversed(mixture_batch), reversed(component_batch), strict=False):
            if one != 1 and other != 1 and one != other:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_batch}) is not compatible with "
                    f"`component_distribution.batch_shape`({component_batch})"
                )
        components = mixture_distribution.logits.shape[-1]
        available = component_distribution.batch_shape[-1]
        if components is not None and available is not None and components != available:
            raise ValueError(
                f"`mixture_distribution component` ({components}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({available})"
            )
        self._num_component = components
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape=component_batch, event_shape=event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        shape = torch.Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand(shape + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(shape)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        return self._expanded(new, shape)

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        return self._component_distribution

    @property
    def _dim(self) -> int:
        """The dimension of the components, before those of an event."""
        return -1 - self._event_ndims

    @property
    def mean(self) -> Tensor:
        weights = self._pad_mixture_dimensions(self._mixture_distribution.probs)
        return (weights * self._component_distribution.mean).sum(self._dim)

    @property
    def variance(self) -> Tensor:
        """What the components vary by, and what their means do."""
        weights = self._pad_mixture_dimensions(self._mixture_distribution.probs)
        within = (weights * self._component_distribution.variance).sum(self._dim)
        between = (weights * (self._component_distribution.mean - self._pad(self.mean)).pow(2.0)).sum(self._dim)
        return within + between

    def cdf(self, x: Any) -> Tensor:
        each = self._component_distribution.cdf(self._pad(x))
        return (each * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        each = self._component_distribution.log_prob(self._pad(x))
        weights = torch.log_softmax(self._mixture_distribution.logits, dim=-1)
        return torch.logsumexp(each + weights, dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            values = self._component_distribution.sample(sample_shape)
            dim = len(torch.Size(sample_shape)) + len(self._batch_shape)
            place = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            place = place.expand(chosen.shape + (1,) + self._event_shape)
            return values.gather(dim, place).squeeze(dim)

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(self._dim)

    def _pad_mixture_dimensions(self, x: Any) -> Any:
        """Weights with dimensions of size 1 for what the components have more."""
        missing = len(self._batch_shape) - len(self._mixture_distribution.batch_shape)
        weights_batch = x.shape[:-1]
        return x.reshape((1,) * missing + weights_batch + x.shape[-1:] + (1,) * self._event_ndims)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
