"""Kullback-Leibler divergences between different families: minus p's entropy, minus the mean under p of q's log density.

That mean needs only some moments of p: of x, of its square, of log(x), of exp(-t x).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight as torch

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import Gumbel
from .kl import infinite, infinite_where, register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform
from .utils import euler_constant

MeanLogDensity = Callable[[Any, Any], Any]


# Moments of p.


def _mean_log(p: Any) -> Any:
    """The mean of log(x)."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Gamma):
        return p.concentration.digamma() - p.rate.log()
    if isinstance(p, Exponential):
        return -p.rate.log() - euler_constant
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return _mean_log_between(p.low, p.high)


def _mean_log_between(low: Any, high: Any) -> Any:
    """The mean of log(x) of a uniform x."""
    return (torch.xlogy(high, high) - torch.xlogy(low, low)) / (high - low) - 1


def _mean_exp(p: Any, t: Any) -> Any:
    """The mean of exp(-t x)."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate + t)
    if isinstance(p, Gamma):
        return (1 + t / p.rate).pow(-p.concentration)
    if isinstance(p, Normal):
        return torch.exp(0.5 * (t * p.scale).pow(2) - t * p.loc)
    return (torch.exp(-t * p.low) - torch.exp(-t * p.high)) / (t * (p.high - p.low))


# The mean under p of the log density of q.


def _of_exponential(p: Any, q: Any) -> Any:
    return q.rate.log() - q.rate * p.mean


def _of_gamma(p: Any, q: Any) -> Any:
    log_normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    return (q.concentration - 1) * _mean_log(p) - q.rate * p.mean - log_normalizer


def _of_normal(p: Any, q: Any) -> Any:
    square = p.variance + (p.mean - q.loc).pow(2)
    return -0.5 * (square / q.scale.pow(2) + math.log(2 * math.pi)) - q.scale.log()


def _laplace_and_normal(p: Laplace, q: Normal) -> torch.Tensor:
    """Written out in PyTorch's order, which half precision shows."""
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    entropy = 0.5 * torch.log(2 * ratio / math.pi)
    square = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return ratio - entropy + square / variance - 1


def _normal_and_laplace(p: Normal, q: Laplace) -> torch.Tensor:
    """The same the other way round."""
    apart = p.loc - q.loc
    z = apart / p.scale
    near = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2))
    far = apart * torch.erf(math.sqrt(0.5) * z)
    return -torch.log(p.scale / q.scale) + (near + far) / q.scale - 0.5 * (1 + math.log(math.pi / 2))


def _of_continuous_bernoulli(p: Any, q: Any) -> Any:
    return p.mean * q.logits + torch.log1p(-q.probs) + q._cont_bern_log_norm()


def _of_uniform(p: Any, q: Any) -> Any:
    return -(q.high - q.low).log()


def _of_pareto(p: Any, q: Any) -> Any:
    return q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p)


def _of_gumbel(p: Any, q: Any) -> Any:
    t = q.scale.reciprocal()
    return (q.loc - p.mean) * t - torch.exp(q.loc * t) * _mean_exp(p, t) - q.scale.log()


def _of_beta(p: Any, q: Any) -> Any:
    """For a uniform p."""
    log_normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    of_share = (q.concentration1 - 1) * _mean_log_between(p.low, p.high)
    of_rest = (q.concentration0 - 1) * _mean_log_between(1 - p.high, 1 - p.low)
    return of_share + of_rest - log_normalizer


def _of_poisson(p: Any, q: Any) -> Any:
    """For a p of zeros and ones, whose factorials are 1."""
    return p.probs * q.rate.log() - q.rate


# Pairs.


def _register(type_p: type, type_q: type, mean_log_density: MeanLogDensity, outside: MeanLogDensity | None = None) -> None:
    """``outside``: where values of p lie outside the support of q."""

    @register_kl(type_p, type_q)
    def divergence(p: Any, q: Any) -> Any:
        result = -p.entropy() - mean_log_density(p, q)
        return result if outside is None else infinite_where(outside(p, q), result)


def _is_below_zero(p: Any, q: Any) -> Any:
    return p.low < 0


def _is_outside_unit(p: Any, q: Any) -> Any:
    return (p.high > 1) | (p.low < 0)


_register(Bernoulli, Poisson, _of_poisson)
_type: type
for _type in (Beta, ContinuousBernoulli, Gamma, Pareto):
    _register(_type, Exponential, _of_exponential)
for _type in (Beta, Exponential, Pareto):
    _register(_type, Gamma, _of_gamma)
for _type in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Pareto, Uniform):
    _register(_type, Normal, _of_normal)
register_kl(Laplace, Normal)(_laplace_and_normal)
for _type in (Exponential, Gamma, Normal, Uniform):
    _register(_type, Gumbel, _of_gumbel)
_register(Beta, Uniform, _of_uniform, lambda p, q: (q.high < 1) | (q.low > 0))
# Infinite also where both cover the same, as PyTorch has it.
_register(ContinuousBernoulli, Uniform, _of_uniform, lambda p, q: (q.high <= 1) | (q.low >= 0))
_register(Beta, ContinuousBernoulli, _of_continuous_bernoulli)
register_kl(Normal, Laplace)(_normal_and_laplace)
_register(Uniform, Beta, _of_beta, _is_outside_unit)
_register(Uniform, ContinuousBernoulli, _of_continuous_bernoulli, _is_outside_unit)
_register(Uniform, Exponential, _of_exponential, _is_below_zero)
_register(Uniform, Gamma, _of_gamma, _is_below_zero)
_register(Uniform, Pareto, _of_pareto, lambda p, q: p.low < q.scale)

# Where values of p lie outside the support of q whatever the parameters.
for _type_p, _types_q in {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}.items():
    for _type_q in _types_q:
        register_kl(_type_p, _type_q)(lambda p, q: infinite(p))
