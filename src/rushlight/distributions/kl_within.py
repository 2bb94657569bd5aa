"""Kullback-Leibler divergences between distributions of one family."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.nn.functional import softplus

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .kl import infinite_where, kl_divergence, register_kl
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal, log_det, squared_length
from .multivariate_normal import MultivariateNormal, squared_lengths
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import euler_constant, sum_rightmost


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones = torch.where(p.probs == 0, 0.0, infinite_where(q.probs == 0, ones))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros = torch.where(p.probs == 1, 0.0, infinite_where(q.probs == 1, zeros))
    return ones + zeros


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    total_p = p.concentration1 + p.concentration0
    total_q = q.concentration1 + q.concentration0
    normalizer_p = total_p.lgamma() - p.concentration1.lgamma() - p.concentration0.lgamma()
    normalizer_q = total_q.lgamma() - q.concentration1.lgamma() - q.concentration0.lgamma()
    return (
        normalizer_p
        - normalizer_q
        + (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
        + (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
        + (total_q - total_p) * torch.digamma(total_p)
    )


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return infinite_where(p.total_count > q.total_count, p.total_count * of_one)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms = infinite_where(q.probs == 0, terms)
    return torch.where(p.probs == 0, 0.0, terms).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    distance = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return distance.log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    of_p = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    of_q = q._cont_bern_log_norm() + torch.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + of_p - of_q


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    normalizers = total_p.lgamma() - total_q.lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    mean_log = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return normalizers + ((p.concentration - q.concentration) * mean_log).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Any:
    """A Bregman divergence of the log normalizer. NotImplementedError for two families."""
    if type(p) is not type(q):
        raise NotImplementedError(
            # The gap is PyTorch's: its sentence goes on after the indentation of the next line.
            "The cross KL-divergence between different exponential families cannot                             be computed using "
            "Bregman divergences"
        )
    of_p = [parameter.detach().requires_grad_() for parameter in p._natural_params]
    of_q = q._natural_params
    normalizer = p._log_normalizer(*of_p)
    slopes = torch.autograd.grad(normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*of_q) - normalizer
    for one, other, slope in zip(of_p, of_q, slopes, strict=True):
        result = result - sum_rightmost((other - one) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    return (
        q.concentration * (p.rate / q.rate).log()
        + torch.lgamma(q.concentration)
        - torch.lgamma(p.concentration)
        + (p.concentration - q.concentration) * torch.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    shift = (q.loc - p.loc) / q.scale
    mean_exp = torch.exp(shift + (1 + ratio).lgamma())
    return -ratio.log() - shift + ratio * euler_constant + mean_exp - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return infinite_where(p.support.lower_bound < q.support.lower_bound, result)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return infinite_where((q.low > p.low) | (q.high < p.high), result)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    """That of the bases, where both go through equal transforms; else NotImplementedError."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# Multivariate normal: half of log det ratio, the trace of q's inverse times p's covariance, the distance of the means.


def _require_one_size(p: Any, q: Any, names: str) -> None:
    if p.event_shape != q.event_shape:
        gap = " " * 26  # as PyTorch's sentence has it
        raise ValueError(f"KL-divergence between two {names} with{gap}different event shapes cannot be computed")


def _squared_norm(factor: Any, matrix: Any) -> Any:
    """The trace of M^-1 X X^T for M = L L^T given by ``factor`` L, and ``matrix`` X."""
    batch = torch.broadcast_shapes(factor.shape[:-2], matrix.shape[:-2])
    factor = factor.expand((*batch, *factor.shape[-2:]))
    matrix = matrix.expand((*batch, *matrix.shape[-2:]))
    return torch.linalg.solve_triangular(factor, matrix, upper=False).pow(2).sum((-2, -1))


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p: Any, q: Any) -> Any:
    _require_one_size(p, q, "Multivariate Normals")
    trace = _squared_norm(q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril)
    distance = squared_lengths(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_to_low_rank(p: Any, q: Any) -> Any:
    _require_one_size(p, q, "(Low Rank) Multivariate Normals")
    spread = log_det(q._unbroadcasted_cov_diag, q._capacitance_tril) - 2 * p._half_log_det()
    trace = _trace_by_woodbury(q, [p._unbroadcasted_scale_tril])
    return 0.5 * (spread + trace + _distance_to_low_rank(p, q) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_to_multivariate(p: Any, q: Any) -> Any:
    _require_one_size(p, q, "(Low Rank) Multivariate Normals")
    spread = 2 * q._half_log_det() - log_det(p._unbroadcasted_cov_diag, p._capacitance_tril)
    parts = (p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    trace = sum(_squared_norm(q._unbroadcasted_scale_tril, part) for part in parts)
    distance = squared_lengths(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return 0.5 * (spread + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: Any, q: Any) -> Any:
    _require_one_size(p, q, "Low Rank Multivariate Normals")
    spread = log_det(q._unbroadcasted_cov_diag, q._capacitance_tril)
    spread = spread - log_det(p._unbroadcasted_cov_diag, p._capacitance_tril)
    parts = [p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())]
    return 0.5 * (spread + _trace_by_woodbury(q, parts) + _distance_to_low_rank(p, q) - p.event_shape[0])


def _trace_by_woodbury(q: Any, parts: list[Any]) -> Any:
    """The trace of q's inverse covariance times the sum of X X^T over ``parts`` X."""
    diagonal = q._unbroadcasted_cov_diag
    weighted = q._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
    root = diagonal.sqrt().unsqueeze(-1)
    total: Any = 0
    for part in parts:
        total = total + (part / root).pow(2).sum((-2, -1)) - _squared_norm(q._capacitance_tril, weighted @ part)
    return total


def _distance_to_low_rank(p: Any, q: Any) -> Any:
    return squared_length(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q.loc - p.loc, q._capacitance_tril)
