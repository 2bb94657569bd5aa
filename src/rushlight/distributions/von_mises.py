"""The von Mises distribution."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["VonMises"]


# Modified Bessel functions of order 0 and 1 to seven digits: Abramowitz and Stegun, 9.8.1 to 9.8.4. Coefficients from the
# constant one on, in (x / 3.75)**2 below 3.75, in 3.75 / x above.
_NEAR = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_FAR = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (
        0.39894228,
        -0.3988024e-1,
        -0.362018e-2,
        0.163801e-2,
        -0.1031555e-1,
        0.2282967e-1,
        -0.2895312e-1,
        0.1787654e-1,
        -0.420059e-2,
    ),
)


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    return reduce(lambda total, coefficient: coefficient + x * total, reversed(coefficients))


def log_bessel(x: Any, order: int) -> Tensor:
    """The logarithm of the modified Bessel function of order 0 or 1, for x above 0."""
    near = _polynomial((x / 3.75) ** 2, _NEAR[order])
    near = x.abs().log() + near.log() if order else near.log()
    far = x - 0.5 * x.log() + _polynomial(3.75 / x, _FAR[order]).log()
    return torch.where(x < 3.75, near, far)


class VonMises(Distribution):
    """An angle about ``loc``, in radians, the closer to it the greater ``concentration``: a normal distribution on a circle.

    >>> import rushlight as torch
    >>> torch.distributions.VonMises(torch.tensor(0.0), torch.tensor(4.0)).variance
    tensor(0.1365)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    _parameters = ("loc", "concentration")

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        strength = self.concentration
        return strength * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel(strength, 0)

    @lazy_property
    def _loc(self) -> Any:
        return self.loc.to(torch.double)

    @lazy_property
    def _concentration(self) -> Any:
        return self.concentration.to(torch.double)

    @lazy_property
    def _proposal_r(self) -> Any:
        """The parameter of the wrapped Cauchy numbers among which samples are chosen."""
        strength = self._concentration
        tau = 1 + (1 + 4 * strength**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * strength)
        # rho cancels where the concentration is small; the series is exact enough there
        return torch.where(strength < 1e-5, 1 / strength + strength, (1 + rho**2) / (2 * rho))

    @torch.no_grad()
    def sample(self, sample_shape: Any = ()) -> Tensor:
        """By rejection, after Best and Fisher, "Efficient simulation of the von Mises distribution" (1979), in float64."""
        shape = self._extended_shape(sample_shape)
        loc, strength, r = self._loc, self._concentration, self._proposal_r
        angle = torch.empty(shape, dtype=loc.dtype, device=loc.device)
        done = torch.zeros(shape, dtype=torch.bool, device=loc.device)
        while not done.all():
            u1, u2, u3 = torch.rand((3, *shape), dtype=loc.dtype, device=loc.device).unbind()
            z = torch.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = strength * (r - f)
            accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
            if accept.any():
                angle = torch.where(accept, (u3 - 0.5).sign() * f.acos(), angle)
                done = done | accept
        return ((angle + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> Tensor:
        """Of the angle on the circle."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """Of the angle on the circle: between 0 and 1."""
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()
