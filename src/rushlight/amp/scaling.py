"""What gradient scalers are made of: the two functions of theirs that PyTorch has as operators, and the state of an optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import rushlight as torch

from ..tensor import Tensor


class OptState(Enum):
    """How far an optimizer is within a scaler's round."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiplies gradients in place with ``inv_scale``; ``found_inf`` becomes 1 where one is inf or nan.

    >>> import rushlight as torch
    >>> gradients, found = [torch.tensor([2.0, 4.0]), torch.tensor([float("inf")])], torch.zeros(1)
    >>> torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, torch.tensor([0.5]))
    >>> gradients, found
    ([tensor([1., 2.]), tensor([inf])], tensor([1.]))
    """
    with torch.no_grad():
        for gradient in self:
            if not bool(torch.isfinite(gradient).all()):
                found_inf.fill_(1)
            gradient.mul_(float(inv_scale))  # a number: not rounded to the dtype of the gradients


def _amp_update_scale_(
    self: Tensor,
    growth_tracker: Tensor,
    found_inf: Tensor,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Tensor:
    """The next scale, in place: smaller after inf or nan, larger after ``growth_interval`` rounds without.

    >>> import rushlight as torch
    >>> scale, rounds = torch.tensor([4.0]), torch.tensor([1], dtype=torch.int32)
    >>> torch._amp_update_scale_(scale, rounds, torch.zeros(1), 2.0, 0.5, 2), rounds
    (tensor([8.]), tensor([0], dtype=torch.int32))
    """
    with torch.no_grad():
        if bool(found_inf):
            self.mul_(scale_backoff_factor)
            growth_tracker.fill_(0)
            return self
        rounds = int(growth_tracker) + 1
        if rounds == growth_interval:
            grown = self * scale_growth_factor
            if bool(torch.isfinite(grown).all()):
                self.copy_(grown)
            rounds = 0
        growth_tracker.fill_(rounds)
    return self
