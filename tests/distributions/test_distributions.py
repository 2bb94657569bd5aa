"""Distributions: densities that integrate to one, moments, divergences by their definition, gradients of samples."""

from __future__ import annotations

import copy
import functools
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy import special as sp

import rushlight as torch
import rushlight.distributions as d
from rushlight.distributions import constraints

INF = math.inf


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def p(value: Any) -> Any:
    return torch.tensor(value, dtype=torch.float64)


# Where each of one dimension lives, for the integrals.
CONTINUOUS: list[tuple[Any, float, float]] = [
    (d.Beta(p(2.0), p(3.5)), 0, 1),
    (d.Cauchy(p(0.5), p(2.0)), -INF, INF),
    (d.Chi2(p(3.0)), 0, INF),
    (d.ContinuousBernoulli(p(0.3)), 0, 1),
    (d.ContinuousBernoulli(p(0.4999)), 0, 1),
    (d.Exponential(p(2.0)), 0, INF),
    (d.FisherSnedecor(p(4.0), p(9.0)), 0, INF),
    (d.Gamma(p(2.5), p(0.5)), 0, INF),
    (d.GeneralizedPareto(p(1.0), p(2.0), p(0.2)), 1, INF),
    (d.GeneralizedPareto(p(1.0), p(2.0), p(-0.5)), 1, 5),
    (d.GeneralizedPareto(p(1.0), p(2.0), p(0.0)), 1, INF),
    (d.Gumbel(p(0.5), p(2.0)), -INF, INF),
    (d.HalfCauchy(p(2.0)), 0, INF),
    (d.HalfNormal(p(2.0)), 0, INF),
    (d.InverseGamma(p(5.0), p(2.0)), 0, INF),
    (d.Kumaraswamy(p(2.0), p(3.0)), 0, 1),
    (d.Laplace(p(0.5), p(2.0)), -INF, INF),
    (d.LogNormal(p(0.5), p(0.4)), 0, INF),
    (d.MixtureSameFamily(d.Categorical(p([0.3, 0.7])), d.Normal(p([-1.0, 2.0]), p([0.5, 1.0]))), -INF, INF),
    (d.Normal(p(0.5), p(2.0)), -INF, INF),
    (d.Pareto(p(1.0), p(5.0)), 1, INF),
    (d.RelaxedBernoulli(p(0.9), p(0.4)), 0, 1),
    (d.StudentT(p(6.0), p(0.5), p(2.0)), -INF, INF),
    (d.TransformedDistribution(d.Normal(p(0.0), p(1.0)), [d.AffineTransform(p(1.0), p(-0.5)), d.SigmoidTransform()]), 0, 1),
    (d.Uniform(p(-1.0), p(3.0)), -1, 3),
    (d.VonMises(p(0.5), p(2.0)), -math.pi, math.pi),
    (d.Weibull(p(2.0), p(1.5)), 0, INF),
]
DISCRETE: list[tuple[Any, int]] = [
    (d.Bernoulli(p(0.3)), 1),
    (d.Binomial(7, p(0.3)), 7),
    (d.Categorical(p([1.0, 2.0, 5.0])), 2),
    (d.Geometric(p(0.3)), 200),
    (d.NegativeBinomial(p(2.5), p(0.4)), 200),
    (d.Poisson(p(4.0)), 100),
]


def named(pair: tuple[Any, ...]) -> str:
    return type(pair[0]).__name__


@functools.cache
def log_prob_at(distribution: Any, x: float) -> float:
    """Asked once: integrals of one distribution look at the same points first."""
    return distribution.log_prob(p(float(x))).item()


def mean_of(function: Callable[[float], float], distribution: Any, low: float, high: float) -> float:
    def weighted(x: float) -> float:
        weight = math.exp(log_prob_at(distribution, x))
        return function(x) * weight if weight else 0.0

    # Open intervals: densities may be infinite, or outside their support, at their ends.
    low, high = np.nextafter(low, INF), np.nextafter(high, -INF)
    return integrate.quad(weighted, low if low > -1e300 else -INF, high if high < 1e300 else INF, limit=400)[0]


@pytest.mark.parametrize("case", CONTINUOUS, ids=named)
def test_density_moments_entropy(case: tuple[Any, float, float]) -> None:
    distribution = case[0]
    assert mean_of(lambda x: 1.0, *case) == pytest.approx(1, rel=1e-6)
    if type(distribution).__name__ in ("RelaxedBernoulli", "TransformedDistribution"):
        return
    if math.isfinite(distribution.mean) and not isinstance(distribution, d.VonMises):
        mean = distribution.mean.item()
        assert mean_of(lambda x: x, *case) == pytest.approx(mean, rel=1e-5)
        assert mean_of(lambda x: (x - mean) ** 2, *case) == pytest.approx(distribution.variance.item(), rel=1e-4)
    if not isinstance(distribution, d.FisherSnedecor | d.MixtureSameFamily | d.VonMises):
        surprise = mean_of(lambda x: -log_prob_at(distribution, x), *case)
        assert surprise == pytest.approx(distribution.entropy().item(), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("case", DISCRETE, ids=named)
def test_chances_moments_entropy(case: tuple[Any, int]) -> None:
    distribution, last = case
    counts = torch.arange(last + 1.0)
    chances = distribution.log_prob(counts).exp()
    assert chances.sum().item() == pytest.approx(1, rel=1e-9)
    if not isinstance(distribution, d.Categorical):
        mean = distribution.mean
        assert (chances * counts).sum().item() == pytest.approx(mean.item(), rel=1e-6)
        assert (chances * (counts - mean) ** 2).sum().item() == pytest.approx(distribution.variance.item(), rel=1e-6)
    if not isinstance(distribution, d.NegativeBinomial | d.Poisson):
        assert -torch.xlogy(chances, chances).sum().item() == pytest.approx(distribution.entropy().item(), rel=1e-6)


@pytest.mark.parametrize("case", [*CONTINUOUS, *DISCRETE], ids=named)
def test_samples_come_from_the_density(case: tuple[Any, ...]) -> None:
    """The samples' log_prob has the mean that it should, and every sample is within the support."""
    distribution = case[0]
    torch.manual_seed(0)
    samples = distribution.sample((4000,))
    assert samples.shape == (4000, *distribution.batch_shape, *distribution.event_shape)
    assert distribution.support.check(samples).all()
    log_prob = distribution.log_prob(samples)
    if len(case) == 3:
        expected = mean_of(lambda x: log_prob_at(distribution, x), *case)
    else:
        every = distribution.log_prob(torch.arange(case[1] + 1.0))
        expected = torch.where(every > -50, every.exp() * every, 0.0).sum().item()
    assert log_prob.mean().item() == pytest.approx(expected, abs=5 * log_prob.std().item() / math.sqrt(4000) + 1e-9)


WITH_ICDF = [case for case in CONTINUOUS if type(case[0]).__name__ not in (
    "Beta", "Chi2", "FisherSnedecor", "Gamma", "InverseGamma", "MixtureSameFamily", "RelaxedBernoulli", "StudentT", "VonMises",
)]  # fmt: skip


@pytest.mark.parametrize("case", WITH_ICDF, ids=named)
def test_cdf(case: tuple[Any, float, float]) -> None:
    """Its inverse inverts it, and its slope is the density."""
    distribution = case[0]
    levels = p([0.01, 0.3, 0.6, 0.77, 0.99])
    x = distribution.icdf(levels).requires_grad_()
    level = distribution.cdf(x)
    np.testing.assert_allclose(level.detach().numpy(), levels.numpy(), rtol=1e-7)
    (slope,) = torch.autograd.grad(level.sum(), x)
    # About a chance of one half a continuous Bernoulli distribution is taken for uniform.
    rtol = 3e-4 if isinstance(distribution, d.ContinuousBernoulli) else 1e-6
    np.testing.assert_allclose(slope.numpy(), distribution.log_prob(x).exp().detach().numpy(), rtol=rtol)


def test_cdf_of_gammas_and_mixtures() -> None:
    x = torch.linspace(0.1, 5, 7)
    np.testing.assert_allclose(d.Gamma(p(2.5), p(0.5)).cdf(x).numpy(), sp.gammainc(2.5, 0.5 * x.numpy()), rtol=1e-12)
    np.testing.assert_allclose(d.InverseGamma(p(2.5), p(0.5)).cdf(x).numpy(), sp.gammaincc(2.5, 0.5 / x.numpy()), rtol=1e-9)
    mixture = d.MixtureSameFamily(d.Categorical(p([0.3, 0.7])), d.Normal(p([-1.0, 2.0]), p([0.5, 1.0])))
    expected = 0.3 * sp.ndtr((x.numpy() + 1) / 0.5) + 0.7 * sp.ndtr(x.numpy() - 2)
    np.testing.assert_allclose(mixture.cdf(x).numpy(), expected, rtol=1e-12)


# Divergences.

ONE_DIMENSION = {
    d.Beta: (d.Beta(p(2.0), p(3.5)), 0, 1),
    d.Cauchy: (d.Cauchy(p(0.5), p(2.0)), -INF, INF),
    d.ContinuousBernoulli: (d.ContinuousBernoulli(p(0.3)), 0, 1),
    d.Exponential: (d.Exponential(p(2.0)), 0, INF),
    d.Gamma: (d.Gamma(p(2.5), p(1.5)), 0, INF),
    d.Gumbel: (d.Gumbel(p(0.5), p(1.0)), -INF, INF),
    d.HalfNormal: (d.HalfNormal(p(2.0)), 0, INF),
    d.Laplace: (d.Laplace(p(0.5), p(0.7)), -30, 30),
    d.Normal: (d.Normal(p(0.5), p(1.5)), -20, 20),
    d.Pareto: (d.Pareto(p(1.0), p(5.0)), 1, INF),
    d.Uniform: (d.Uniform(p(0.2), p(0.9)), 0.2, 0.9),
}
OTHERS = {
    d.Beta: d.Beta(p(1.5), p(0.9)),
    d.Cauchy: d.Cauchy(p(1.5), p(1.0)),
    d.ContinuousBernoulli: d.ContinuousBernoulli(p(0.8)),
    d.Exponential: d.Exponential(p(0.7)),
    d.Gamma: d.Gamma(p(1.2), p(0.7)),
    d.Gumbel: d.Gumbel(p(-0.5), p(2.0)),
    d.HalfNormal: d.HalfNormal(p(1.0)),
    d.Laplace: d.Laplace(p(0.0), p(1.5)),
    d.Normal: d.Normal(p(-0.5), p(2.5)),
    d.Pareto: d.Pareto(p(0.1), p(2.0)),
    d.Uniform: d.Uniform(p(-1.0), p(2.0)),
}
PAIRS = [pair for pair in d.kl._KL_REGISTRY if pair[0] in ONE_DIMENSION and pair[1] in OTHERS]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].__name__}-{pair[1].__name__}")
def test_divergence_is_the_mean_log_ratio(pair: tuple[type, type]) -> None:
    (one, low, high), other = ONE_DIMENSION[pair[0]], OTHERS[pair[1]]
    divergence = d.kl_divergence(one, other).item()
    if math.isinf(divergence):
        # Some values of the one are impossible for the other.
        torch.manual_seed(0)
        assert not other.support.check(one.sample((1000,))).all()
        return

    def log_ratio(x: float) -> float:
        return log_prob_at(one, x) - log_prob_at(other, x)

    assert mean_of(log_ratio, one, low, high) == pytest.approx(divergence, rel=1e-5)
    assert divergence > 0


MULTIVARIATE = [
    d.MultivariateNormal(p([1.0, 2.0]), p([[2.0, 0.5], [0.5, 1.0]])),
    d.MultivariateNormal(p([0.0, 1.0]), precision_matrix=p([[1.0, 0.3], [0.3, 2.0]])),
    d.LowRankMultivariateNormal(p([1.0, 0.0]), p([[1.0], [0.5]]), p([1.0, 0.5])),
    d.LowRankMultivariateNormal(p([0.0, 0.0]), p([[1.0, 0.2], [0.5, -1.0]]), p([0.5, 2.0])),
]


@pytest.mark.parametrize("one", MULTIVARIATE)
def test_multivariate_normals(one: Any) -> None:
    covariance = one.covariance_matrix
    np.testing.assert_allclose((one.scale_tril @ one.scale_tril.mT).numpy(), covariance.numpy(), atol=1e-12)
    np.testing.assert_allclose((one.precision_matrix @ covariance).numpy(), np.eye(2), atol=1e-12)
    np.testing.assert_allclose(one.variance.numpy(), np.diag(covariance.numpy()))
    x = p([[0.3, -1.0], [2.0, 0.5]])
    away = (x - one.mean).numpy()
    expected = -0.5 * np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance.numpy()), away)
    expected -= 0.5 * np.linalg.slogdet(2 * np.pi * covariance.numpy())[1]
    np.testing.assert_allclose(one.log_prob(x).numpy(), expected, rtol=1e-10)
    for other in MULTIVARIATE:
        inverse = np.linalg.inv(other.covariance_matrix.numpy())
        gap = (other.mean - one.mean).numpy()
        expected = np.trace(inverse @ covariance.numpy()) + gap @ inverse @ gap - 2
        expected -= np.linalg.slogdet(covariance.numpy())[1] + np.linalg.slogdet(inverse)[1]
        assert d.kl_divergence(one, other).item() == pytest.approx(expected / 2, abs=1e-10)
    torch.manual_seed(0)
    sample = one.rsample((20000,))
    np.testing.assert_allclose(np.cov(sample.numpy().T), covariance.numpy(), atol=0.08)


# Gradients of samples.


@pytest.mark.parametrize("shape", [0.02, 0.5, 1.0, 3.0, 40.0, 900.0, 3e4])
def test_gamma_samples_move_along_their_quantile(shape: float) -> None:
    torch.manual_seed(0)
    concentration = torch.full((200,), shape, requires_grad=True)
    sample = d.Gamma(concentration, 1.0).rsample()
    (slope,) = torch.autograd.grad(sample.sum(), concentration)
    step = 1e-5 * shape
    x = sample.detach().numpy()
    level, rest = sp.gammainc(shape, x), sp.gammaincc(shape, x)
    by_level = (sp.gammaincinv(shape + step, level) - sp.gammaincinv(shape - step, level)) / (2 * step)
    by_rest = (sp.gammainccinv(shape + step, rest) - sp.gammainccinv(shape - step, rest)) / (2 * step)
    ordinary = x > 1e-250
    expected = np.where(level < 0.5, by_level, by_rest)
    np.testing.assert_allclose(slope.numpy()[ordinary], expected[ordinary], rtol=2e-5)


@pytest.mark.parametrize("shapes", [(0.5, 2.0), (1.0, 1.0), (3.0, 0.2), (40.0, 7.0), (200.0, 1.0), (700.0, 900.0)])
def test_beta_samples_move_along_their_quantile(shapes: tuple[float, float]) -> None:
    torch.manual_seed(0)
    parameters = [torch.full((100,), shape, requires_grad=True) for shape in shapes]
    sample = d.Beta(*parameters).rsample()
    slopes = torch.autograd.grad(sample.sum(), parameters)
    x = sample.detach().numpy()
    level, rest = sp.betainc(*shapes, x), sp.betaincc(*shapes, x)
    for place, slope in enumerate(slopes):
        step = 1e-5 * shapes[place]
        up, down = list(shapes), list(shapes)
        up[place] += step
        down[place] -= step
        by_level = (sp.betaincinv(*up, level) - sp.betaincinv(*down, level)) / (2 * step)
        by_rest = (sp.betainccinv(*up, rest) - sp.betainccinv(*down, rest)) / (2 * step)
        expected = np.where(level < 0.5, by_level, by_rest)
        np.testing.assert_allclose(slope.numpy(), expected, rtol=1e-4, atol=1e-9)


def test_dirichlet_gradient_of_a_mean() -> None:
    torch.manual_seed(0)
    concentration = p([0.7, 2.0, 4.0]).requires_grad_()
    samples = d.Dirichlet(concentration).rsample((20000,))
    weights = p([1.0, -2.0, 0.5])
    (estimate,) = torch.autograd.grad((samples * weights).sum(-1).mean(), concentration)
    (exact,) = torch.autograd.grad((d.Dirichlet(concentration).mean * weights).sum(), concentration)
    np.testing.assert_allclose(estimate.numpy(), exact.numpy(), atol=0.02)


@pytest.mark.parametrize("family", [d.Dirichlet, lambda c: d.Gamma(c, c), lambda c: d.Beta(c, 2.0), d.Chi2])
def test_samples_move_forward_as_they_do_backward(family: Callable[[Any], Any]) -> None:
    def sample(concentration: Any) -> Any:
        torch.manual_seed(0)
        return family(concentration).rsample()

    concentration, direction = p([0.5, 2.0, 4.0]), p([1.0, -0.5, 0.3])
    _, tangent = torch.func.jvp(sample, (concentration,), (direction,))
    jacobian = torch.autograd.functional.jacobian(sample, concentration)
    np.testing.assert_allclose(tangent.numpy(), (jacobian @ direction).numpy(), rtol=1e-12)
    assert tangent.abs().min() > 0


def test_straight_through() -> None:
    torch.manual_seed(0)
    logits = p([0.3, -1.0, 0.5]).requires_grad_()
    sample = d.OneHotCategoricalStraightThrough(logits=logits).rsample()
    assert sorted(sample.tolist()) == [0, 0, 1]
    (slope,) = torch.autograd.grad((sample * p([1.0, 2.0, 3.0])).sum(), logits)
    (expected,) = torch.autograd.grad((torch.softmax(logits, -1) * p([1.0, 2.0, 3.0])).sum(), logits)
    np.testing.assert_allclose(slope.numpy(), expected.numpy())


# Shapes, checks, copies.


def test_shapes() -> None:
    normal = d.Normal(torch.zeros(3, 1), torch.ones(2))
    assert (normal.batch_shape, normal.event_shape) == ((3, 2), ())
    assert normal.expand((5, 3, 2)).sample((7,)).shape == (7, 5, 3, 2)
    independent = d.Independent(normal, 1)
    assert (independent.batch_shape, independent.event_shape) == ((3,), (2,))
    assert independent.log_prob(torch.zeros(4, 3, 2)).shape == (4, 3)
    assert independent.entropy().shape == (3,)
    multinomial = d.Multinomial(5, torch.ones(2, 4))
    torch.manual_seed(0)
    assert multinomial.sample((6,)).sum(-1).eq(5).all()
    wishart = d.Wishart(p([3.5, 9.0]), torch.eye(3))
    with pytest.warns(UserWarning, match="Singular sample detected"):  # as PyTorch's, whatever is drawn
        assert wishart.sample((2,)).shape == (2, 2, 3, 3)
    factors = d.LKJCholesky(4, 2.0).sample((100,))
    np.testing.assert_allclose((factors @ factors.mT).diagonal(dim1=-2, dim2=-1).numpy(), 1, rtol=1e-12)
    assert d.kl_divergence(normal, d.Normal(0.0, 1.0)).shape == (3, 2)


def test_validation_can_be_turned_off() -> None:
    with pytest.raises(ValueError, match="Expected parameter scale"):
        d.Normal(0.0, -1.0)
    outside = p(-1.0)
    with pytest.raises(ValueError, match="to be within the support"):
        d.Exponential(1.0).log_prob(outside)
    assert d.Normal(0.0, -1.0, validate_args=False).scale == -1
    assert d.Exponential(1.0, validate_args=False).log_prob(outside) == 1
    try:
        d.Distribution.set_default_validate_args(False)
        assert d.Exponential(1.0).log_prob(outside) == 1
    finally:
        d.Distribution.set_default_validate_args(True)


def test_a_family_of_ones_own() -> None:
    class Triangular(d.Distribution):
        arg_constraints = {"width": constraints.positive}  # noqa: RUF012

        def __init__(self, width: Any, validate_args: bool | None = None) -> None:
            self.width = width
            super().__init__(width.shape, validate_args=validate_args)

        @constraints.dependent_property(is_discrete=False, event_dim=0)
        def support(self) -> Any:
            return constraints.interval(-self.width, self.width)

        def log_prob(self, value: Any) -> Any:
            if self._validate_args:
                self._validate_sample(value)
            return ((1 - (value / self.width).abs()) / self.width).log()

    triangular = Triangular(p([1.0, 2.0]))
    assert repr(triangular) == "Triangular(width: torch.Size([2]))"
    np.testing.assert_allclose(triangular.log_prob(p([0.0, 1.0])).numpy(), np.log([1, 0.25]))
    with pytest.raises(ValueError, match="within the support"):
        triangular.log_prob(p([1.5, 1.5]))
    with pytest.raises(ValueError, match="Expected parameter width"):
        Triangular(p([0.0]))
    with pytest.raises(NotImplementedError):
        triangular.expand((3, 2))

    @d.register_kl(Triangular, Triangular)
    def divergence(one: Any, other: Any) -> Any:
        return one.width - other.width

    assert d.kl_divergence(triangular, Triangular(p([0.5, 0.5]))).tolist() == [0.5, 1.5]


@pytest.mark.parametrize("case", CONTINUOUS, ids=named)
def test_copies(case: tuple[Any, float, float]) -> None:
    distribution = case[0]
    x = distribution.sample()
    expected = distribution.log_prob(x)
    for twin in (copy.deepcopy(distribution), pickle.loads(pickle.dumps(distribution))):
        assert repr(twin) == repr(distribution)
        assert torch.equal(twin.log_prob(x), expected)


# Transforms.

BIJECTIONS = [
    d.AffineTransform(p([1.0, 2.0, 3.0]), p(-2.0)),
    d.ComposeTransform([d.AffineTransform(0.0, 0.5), d.TanhTransform(), d.AffineTransform(2.0, 1.0), d.PowerTransform(p(3.0))]),
    d.CorrCholeskyTransform(),
    d.CumulativeDistributionTransform(d.Gumbel(p(0.0), p(2.0))),
    d.ExpTransform(),
    d.IndependentTransform(d.SoftplusTransform(), 1),
    d.ReshapeTransform((3,), (3, 1)),
    d.SigmoidTransform(),
    d.StickBreakingTransform(),
]


@pytest.mark.parametrize("transform", BIJECTIONS, ids=lambda transform: type(transform).__name__)
def test_bijections(transform: Any) -> None:
    x = p([0.3, -1.0, 0.8])
    y = transform(x)
    np.testing.assert_allclose(transform.inv(y).numpy(), x.numpy(), atol=1e-9)
    assert transform.codomain.check(y).all()
    assert transform.inverse_shape(transform.forward_shape(x.shape)) == x.shape
    assert tuple(transform.forward_shape(x.shape)) == tuple(y.shape)
    # As many numbers that vary freely come out as went in.
    free = {"CorrCholeskyTransform": lambda y: y[..., [1, 2, 2], [0, 0, 1]], "StickBreakingTransform": lambda y: y[..., :-1]}
    select = free.get(type(transform).__name__, lambda y: y.reshape(-1))
    jacobian = torch.autograd.functional.jacobian(lambda x: select(transform(x)), x)
    expected = np.linalg.slogdet(jacobian.numpy())[1]
    assert transform.log_abs_det_jacobian(x, y).sum().item() == pytest.approx(expected, rel=1e-9)
    backwards = transform.inv.log_abs_det_jacobian(y, x)
    np.testing.assert_allclose(backwards.numpy(), -transform.log_abs_det_jacobian(x, y).numpy(), rtol=1e-12)
    cached = transform.with_cache()
    again = cached(x)
    assert cached.inv(again) is x


@pytest.mark.parametrize(
    "constraint",
    [
        constraints.real,
        constraints.positive,
        constraints.greater_than(2.0),
        constraints.less_than(-1.0),
        constraints.interval(-1.0, 2.0),
        constraints.unit_interval,
        constraints.simplex,
        constraints.corr_cholesky,
        constraints.real_vector,
        constraints.cat([constraints.positive, constraints.interval(0.0, 2.0)], -1, [1, 2]),
        constraints.stack([constraints.positive, constraints.real, constraints.less_than(0.0)], -1),
    ],
    ids=repr,
)
def test_from_unconstrained(constraint: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 3)
    assert constraint.check(d.transform_to(constraint)(x)).all()
    bijection = d.biject_to(constraint)
    y = bijection(x)
    assert constraint.check(y).all()
    np.testing.assert_allclose(bijection.inv(y).numpy(), x.numpy(), atol=1e-7)


@pytest.mark.parametrize("constraint", [constraints.lower_cholesky, constraints.positive_definite], ids=repr)
def test_matrices_from_unconstrained(constraint: Any) -> None:
    torch.manual_seed(0)
    assert constraint.check(d.transform_to(constraint)(torch.randn(5, 3, 3))).all()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_distribution_of_one_number_keeps_its_dtype(dtype):
    loc = torch.tensor(0.5, dtype=dtype)
    for of_one in (
        d.Gumbel(loc, 2.0),
        d.Normal(loc, 2.0),
        d.Laplace(loc, 2.0),
        d.Cauchy(loc, 2.0),
        d.Weibull(loc, 2.0),
        d.Pareto(loc, 2.0),
    ):
        assert of_one.rsample().dtype is dtype
