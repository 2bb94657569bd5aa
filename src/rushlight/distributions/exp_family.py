"""Exponential families: entropy by differentiating the log normalizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch

from .distribution import Distribution

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A density of the form ``exp(<t(x), theta> - F(theta) + k(x))``.

    A family says ``_natural_params`` (theta), ``_log_normalizer`` (F) and ``_mean_carrier_measure`` (the mean of k). Where k is
    known, the entropy and Kullback-Leibler divergences within the family follow from the derivative of F.
    """

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        carrier = self._mean_carrier_measure
        parameters = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        slopes = torch.autograd.grad(normalizer.sum(), parameters, create_graph=True)
        result = normalizer - carrier
        for parameter, slope in zip(parameters, slopes, strict=True):
            result = result - (parameter * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
