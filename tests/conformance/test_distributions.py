"""rushlight.distributions against torch.distributions: every family and divergence, error texts, names and signatures."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from distribution_sides import Side, assert_alike, sides

import rushlight

FAMILIES = [
    "Bernoulli(p([0.3, 0.5, 0.9]))",
    "Bernoulli(logits=p([0.3, -2.0]))",
    "Beta(p([0.4, 2.0, 7.0]), p([0.6, 3.0, 0.5]))",
    "Binomial(5, p([0.3, 0.9]))",
    "Binomial(torch.tensor([4.0, 40.0]), logits=p([0.3, -2.0]))",
    "Categorical(p([[0.3, 0.9, 1.0], [2.0, 1.0, 0.5]]))",
    "Categorical(logits=p([0.3, -2.0, 1.0]))",
    "Cauchy(p([0.0, 1.0]), p([1.0, 3.0]))",
    "Chi2(p([0.5, 3.0, 12.0]))",
    "ContinuousBernoulli(p([0.3, 0.4995, 0.9]))",
    "ContinuousBernoulli(logits=p([0.3, -2.0]))",
    "ContinuousBernoulli(logits=p([-60.0, 0.0, 60.0]))",
    "Dirichlet(p([[0.5, 1.0, 4.0], [2.0, 2.0, 9.0]]))",
    "Exponential(p([0.5, 3.0]))",
    "FisherSnedecor(p([3.0, 5.0]), p([6.0, 1.5]))",
    "Gamma(p([0.3, 2.0, 15.0]), p([1.0, 2.0, 0.5]))",
    "GeneralizedPareto(p([0.0, 1.0, 0.5]), p([1.0, 2.0, 1.0]), p([0.3, -0.4, 0.0]))",
    "Geometric(p([0.3, 0.9]))",
    "Geometric(logits=p([0.3, -1.0]))",
    "Gumbel(p([0.3, -1.0]), p([1.0, 2.0]))",
    "Gumbel(p(0.3), p(2.0))",
    "HalfCauchy(p([1.0, 2.0]))",
    "HalfNormal(p([1.0, 2.0]))",
    "Independent(Normal(p([[0.0, 1.0], [2.0, 3.0]]), p([1.0, 2.0])), 1)",
    "Independent(Bernoulli(p([0.3, 0.6])), 0)",
    "InverseGamma(p([1.5, 3.0]), p([1.0, 2.0]))",
    "Kumaraswamy(p([1.5, 3.0]), p([1.0, 0.5]))",
    "LKJCholesky(3, p([1.0, 2.5]))",
    "LKJCholesky(2, p(0.7))",
    "Laplace(p([0.3, -1.0]), p([1.0, 2.0]))",
    "LogNormal(p([0.3, -1.0]), p([1.0, 0.5]))",
    "LogisticNormal(p([0.3, -1.0]), p([1.0, 0.5]))",
    "LowRankMultivariateNormal(p([1.0, 2.0, 3.0]), p([[1.0], [0.5], [-1.0]]), p([1.0, 2.0, 0.5]))",
    "LowRankMultivariateNormal(p([[1.0, 2.0], [0.0, 0.0]]), p([[1.0, 0.2], [0.5, -1.0]]), p([[1.0, 2.0], [0.5, 1.0]]))",
    "MixtureSameFamily(Categorical(p([0.3, 0.7])), Normal(p([0.0, 2.0]), p([1.0, 0.5])))",
    "MixtureSameFamily(Categorical(p([[0.3, 0.7], [1.0, 2.0]])),"
    " Independent(Normal(p([[[0.0, 1.0], [1.0, 2.0]], [[3.0, 0.0], [0.0, 1.0]]]), 1.0), 1))",
    "Multinomial(4, p([0.3, 0.9, 1.0]))",
    "Multinomial(3, logits=p([[0.3, -2.0], [1.0, 1.0]]))",
    "MultivariateNormal(p([1.0, 2.0]), p([[2.0, 0.5], [0.5, 1.0]]))",
    "MultivariateNormal(p([[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "MultivariateNormal(p([1.0, 2.0]), scale_tril=p([[[2.0, 0.0], [0.5, 1.0]], [[1.0, 0.0], [3.0, 2.0]]]))",
    "NegativeBinomial(p([1.5, 4.0]), p([0.3, 0.6]))",
    "NegativeBinomial(torch.tensor(3.0), logits=p([0.3, -1.0]))",
    "Normal(p([0.3, -1.0]), p([1.0, 2.0]))",
    "Normal(p([[0.3], [-1.0]]), p([1.0, 2.0, 3.0]))",
    "OneHotCategorical(p([[0.3, 0.9, 1.0], [2.0, 1.0, 0.5]]))",
    "OneHotCategoricalStraightThrough(logits=p([0.3, -2.0, 1.0]))",
    "Pareto(p([1.0, 2.0]), p([1.5, 4.0]))",
    "Poisson(p([0.3, 4.0, 30.0]))",
    "RelaxedBernoulli(torch.tensor(0.7), p([0.3, 0.9]))",
    "RelaxedBernoulli(p(1.5), logits=p([0.3, -1.0]))",
    "RelaxedOneHotCategorical(torch.tensor(0.7), p([0.3, 0.9, 1.0]))",
    "RelaxedOneHotCategorical(p(1.5), logits=p([[0.3, -1.0], [0.0, 2.0]]))",
    "relaxed_bernoulli.LogitRelaxedBernoulli(torch.tensor(0.7), p([0.3, 0.9]))",
    "relaxed_categorical.ExpRelaxedCategorical(torch.tensor(0.7), logits=p([0.3, 0.9]))",
    "StudentT(p([0.5, 1.5, 4.0]), p([0.0, 1.0, 2.0]), p([1.0, 2.0, 0.5]))",
    "TransformedDistribution(Normal(p([0.3, -1.0]), p([1.0, 2.0])), [AffineTransform(p(1.0), p(-2.0)), SigmoidTransform()])",
    "TransformedDistribution(Normal(p([0.3, -1.0, 0.0, 1.0]), 1.0), ReshapeTransform((4,), (2, 2)))",
    "TransformedDistribution(Uniform(torch.zeros(2), torch.ones(2)), [SigmoidTransform().inv, TanhTransform()])",
    "TransformedDistribution(Normal(p([[0.0], [1.0]]), 1.0), AffineTransform(p([0.0, 1.0, 2.0]), 2.0))",
    "TransformedDistribution(Independent(Normal(p([0.0, 1.0]), 1.0), 1), [ExpTransform(), PowerTransform(torch.tensor(2.0))])",
    "Uniform(p([0.0, -1.0]), p([1.0, 3.0]))",
    "VonMises(p([0.5, -2.0]), p([0.1, 20.0]))",
    "Weibull(p([1.0, 2.0]), p([0.7, 3.0]))",
    "Wishart(p(4.5), p([[2.0, 0.5], [0.5, 1.0]]))",
    "Wishart(p([3.5, 9.0]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "Wishart(p([3.5, 9.0]), scale_tril=p([[2.0, 0.0], [0.5, 1.0]]))",
]
FACTS = (
    "batch_shape event_shape mean mode variance stddev entropy() perplexity() support has_rsample has_enumerate_support"
    " enumerate_support() enumerate_support(expand=False) arg_constraints support.event_dim support.is_discrete"
    " probs logits param_shape scale_tril covariance_matrix precision_matrix df temperature"
).split()
# Drawn gamma numbers: PyTorch approximates how they move with their parameters to three digits.
ROUGH = ("Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "InverseGamma", "StudentT", "Wishart")


def values_of(family: str, dtype: str = "float64") -> tuple[Any, Any]:
    """Equal values within the support, one for each side, drawn by PyTorch."""
    theirs = Side(torch, dtype)
    torch.manual_seed(1)
    value = theirs(f"({family}).sample((3,))")
    return value, rushlight.from_numpy(value.numpy().copy())


@pytest.mark.parametrize("family", FAMILIES)
def test_facts(family: str) -> None:
    for fact in FACTS:
        theirs, ours = sides()
        expected = theirs.outcome(f"({family}).{fact}")
        found = ours.outcome(f"({family}).{fact}")
        if isinstance(expected, tuple) and expected and expected[0] is AttributeError:
            continue
        assert_alike(expected, found, fact)
        if not (isinstance(expected, torch.Tensor) and expected.isnan().all()):
            assert_alike(theirs.gradients(expected), ours.gradients(found), f"gradient of {fact}", 1e-8)
    theirs, ours = sides()
    assert repr(ours(family)) == repr(theirs(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_log_prob(family: str) -> None:
    value, same = values_of(family)
    for method in ("log_prob", "cdf"):
        theirs, ours = sides()
        expected = theirs.outcome(f"({family}).{method}(value)", value=value)
        found = ours.outcome(f"({family}).{method}(value)", value=same)
        assert_alike(expected, found, method, 1e-8)
        assert_alike(theirs.gradients(expected), ours.gradients(found), f"gradient of {method}", 1e-6, 1e-8)


@pytest.mark.parametrize("family", FAMILIES)
def test_log_prob_of_values_with_gradient(family: str) -> None:
    """The gradient for the value, and the gradient of that."""
    value, same = values_of(family)
    results = []
    for side, place in zip(sides(), (value, same), strict=True):
        if not place.is_floating_point():
            return
        place = place.clone().requires_grad_()
        log_prob = side(f"({family}).log_prob(value)", value=place)
        if not log_prob.requires_grad:
            return
        (slope,) = side.torch.autograd.grad(log_prob.sum(), place, create_graph=True, allow_unused=True)
        second = None
        if slope is not None and slope.requires_grad:
            (second,) = side.torch.autograd.grad(slope.sin().sum(), place, allow_unused=True)
        results.append([None if each is None else each.detach() for each in (slope, second)])
    assert_alike(*results, "gradients", 1e-6, 1e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_icdf(family: str) -> None:
    theirs, ours = sides()
    levels = [0.05, 0.3, 0.5, 0.8, 0.99]
    shape = "(-1,) + (1,) * len(d.batch_shape)"
    expected = theirs.outcome(f"(lambda d: d.icdf(torch.tensor({levels}).reshape({shape})))({family})")
    found = ours.outcome(f"(lambda d: d.icdf(torch.tensor({levels}).reshape({shape})))({family})")
    assert_alike(expected, found, "icdf", 1e-8)
    assert_alike(theirs.gradients(expected), ours.gradients(found), "gradient of icdf", 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("family", FAMILIES)
def test_samples_of_a_seed(family: str, dtype: str) -> None:
    rtol, atol = (2e-5, 2e-6) if dtype == "float32" else (1e-9, 1e-10)
    for method in ("sample()", "sample((2, 17))", "rsample()", "rsample((2, 17))"):
        theirs, ours = sides(dtype)
        torch.manual_seed(7)
        rushlight.manual_seed(7)
        expected = theirs.outcome(f"({family}).{method}")
        found = ours.outcome(f"({family}).{method}")
        assert_alike(expected, found, method, rtol, atol)
        if dtype == "float64":
            rough = any(name in family for name in ROUGH)
            gradients = theirs.gradients(expected), ours.gradients(found)
            if any("inplace operation" in str(gradient) for gradient in gradients[0]):
                continue  # PyTorch has spoilt its own graph
            assert_alike(*gradients, f"gradient of {method}", 2e-3 if rough else 1e-7, 2e-3 if rough else 1e-8)
    assert rushlight.rand(3).tolist() == torch.rand(3).tolist(), "as many numbers drawn"


@pytest.mark.parametrize("family", FAMILIES)
def test_expand(family: str) -> None:
    value, same = values_of(family)
    theirs, ours = sides()
    for shape in ("(3,) + d.batch_shape", "[2, 3] + list(d.batch_shape)"):
        expand = f"(lambda d: d.expand({shape}))({family})"
        expected, found = theirs(expand), ours(expand)
        assert repr(found) == repr(expected)
        for name in ("batch_shape", "event_shape"):
            assert tuple(getattr(found, name)) == tuple(getattr(expected, name))
        names = {"d": expected, "value": value}, {"d": found, "value": same}
        torch.manual_seed(3)
        rushlight.manual_seed(3)
        for fact in ("log_prob(value)", "mean", "variance", "entropy()", "support", "sample((2,))"):
            outcomes = theirs.outcome(f"d.{fact}", **names[0]), ours.outcome(f"d.{fact}", **names[1])
            if not (isinstance(outcomes[0], tuple) and outcomes[0][0] is AttributeError):  # PyTorch's own oversight
                assert_alike(*outcomes, fact, 1e-8)


# Errors.

ERRORS = """
Normal(0.0, -1.0)
Normal(torch.zeros(2), torch.tensor([1.0, math.nan]))
Normal("a", 1.0)
Normal(torch.zeros(2), torch.ones(3))
Normal(0.0, 1.0).log_prob(3)
Normal(0.0, 1.0).log_prob(torch.tensor(math.nan))
Normal(0.0, 1.0).cdf(torch.tensor(math.nan))
Normal(torch.zeros(3), torch.ones(3)).log_prob(torch.zeros(2))
Normal(0.0, 1.0).enumerate_support()
Distribution.set_default_validate_args(3)
Distribution(validate_args=False).support
Distribution(validate_args=False).expand((2,))
Distribution(validate_args=False).sample()
Distribution(validate_args=False).mean
Bernoulli()
Bernoulli(0.5, 0.5)
Bernoulli(1.5)
Bernoulli(torch.tensor([0.5, 0.25])).log_prob(torch.tensor(0.25))
Bernoulli(0.5).rsample()
Binomial(2.5, torch.tensor(0.5))
Binomial(-1, torch.tensor(0.5))
Binomial(3, torch.tensor(0.5)).log_prob(torch.tensor(4.0))
Binomial(torch.tensor([1.0, 2.0]), torch.tensor(0.5)).enumerate_support()
Binomial(torch.tensor([1.0, 2.0]), torch.tensor(0.5)).entropy()
Categorical()
Categorical(torch.tensor(1.0))
Categorical(logits=torch.tensor(1.0))
Categorical(torch.tensor([-1.0, 2.0]))
Categorical(torch.tensor([1.0, 2.0])).log_prob(torch.tensor(2))
Chi2(-3.0)
ContinuousBernoulli()
ContinuousBernoulli(1.5, validate_args=True)
Dirichlet(torch.tensor(1.0))
Dirichlet(torch.tensor([1.0, -1.0]))
Dirichlet(torch.tensor([1.0, 1.0])).log_prob(torch.tensor([1.0, 1.0]))
Exponential(2.0).log_prob(torch.tensor(-1.0))
GeneralizedPareto(0.0, 1.0, 0.5).log_prob(torch.tensor(-1.0))
Geometric(0.0)
Geometric(torch.tensor([0.5, 0.0]))
HalfNormal(1.0).log_prob(torch.tensor(-1.0))
Independent(Normal(0.0, 1.0), 1)
Independent(Normal(torch.zeros(2), 1.0), 1).cdf(torch.zeros(2))
Independent(Bernoulli(torch.ones(2) / 2), 1).enumerate_support()
LKJCholesky(1)
LKJCholesky(3, -1.0)
LKJCholesky(3).log_prob(torch.ones(3, 3))
LKJCholesky(3).log_prob(torch.ones(2, 2))
LowRankMultivariateNormal(torch.tensor(0.0), torch.zeros(3, 1), torch.ones(3))
LowRankMultivariateNormal(torch.zeros(3), torch.zeros(3), torch.ones(3))
LowRankMultivariateNormal(torch.zeros(3), torch.zeros(2, 1), torch.ones(3))
LowRankMultivariateNormal(torch.zeros(3), torch.zeros(3, 1), torch.ones(2))
LowRankMultivariateNormal(torch.zeros(2, 3), torch.zeros(4, 3, 1), torch.ones(3))
MixtureSameFamily(Normal(0.0, 1.0), Normal(0.0, 1.0))
MixtureSameFamily(Categorical(torch.ones(2)), 3)
MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.zeros(3), 1.0))
MixtureSameFamily(Categorical(torch.ones(2, 2)), Normal(torch.zeros(3, 2), 1.0))
MixtureSameFamily(Categorical(torch.ones(2)), Gamma(torch.ones(2), 1.0)).log_prob(torch.tensor(-1.0))
Multinomial(torch.tensor(3), torch.tensor([0.5, 0.5]))
Multinomial(3, torch.tensor([0.5, 0.5])).log_prob(torch.tensor([2.0, 2.0]))
MultivariateNormal(torch.tensor(0.0), torch.eye(3))
MultivariateNormal(torch.zeros(3))
MultivariateNormal(torch.zeros(3), torch.eye(3), torch.eye(3))
MultivariateNormal(torch.zeros(3), torch.zeros(3))
MultivariateNormal(torch.zeros(3), precision_matrix=torch.zeros(3))
MultivariateNormal(torch.zeros(3), scale_tril=torch.zeros(3))
MultivariateNormal(torch.zeros(3), -torch.eye(3))
MultivariateNormal(torch.zeros(3), torch.eye(3)).log_prob(torch.zeros(2))
NegativeBinomial(3.0)
NegativeBinomial(3.0, 1.0)
OneHotCategorical(torch.tensor([1.0, 1.0])).log_prob(torch.tensor([1.0, 1.0]))
Pareto(1.0, 2.0).log_prob(torch.tensor(0.5))
Poisson(-1.0)
Poisson(1.0).log_prob(torch.tensor(0.5))
Poisson(1.0).entropy()
RelaxedBernoulli(torch.tensor(0.5))
RelaxedOneHotCategorical(torch.tensor(0.5))
StudentT(-2.0)
TransformedDistribution(Normal(0.0, 1.0), 3)
TransformedDistribution(Normal(0.0, 1.0), [3])
TransformedDistribution(Normal(0.0, 1.0), StickBreakingTransform())
TransformedDistribution(Normal(0.0, 1.0), [AbsTransform()]).log_prob(torch.tensor(1.0))
Uniform(1.0, 0.0)
Uniform(0.0, 1.0).log_prob(torch.tensor(3.0))
Wishart(torch.tensor(1.0), torch.eye(3))
Wishart(torch.tensor(3.0))
Wishart(torch.tensor(3.0), torch.ones(3))
Wishart(torch.tensor(5.0), torch.eye(2)).log_prob(-torch.eye(2))
kl_divergence(Normal(0.0, 1.0), Categorical(torch.ones(2)))
kl_divergence(Independent(Normal(torch.zeros(2), 1.0), 1), Independent(Normal(torch.zeros(2, 2), 1.0), 2))
kl_divergence(Binomial(3, torch.tensor(0.5)), Binomial(4, torch.tensor(0.5)))
kl_divergence(MultivariateNormal(torch.zeros(2), torch.eye(2)), MultivariateNormal(torch.zeros(3), torch.eye(3)))
kl_divergence(LogNormal(0.0, 1.0), HalfNormal(1.0))
register_kl(Normal, 3)
register_kl(3, Normal)
biject_to(constraints.dependent)
biject_to(constraints.boolean)
biject_to(constraints.positive_definite)
biject_to(3)
biject_to.register(3, 4)
constraints.dependent.check(1)
constraints.dependent.event_dim
constraints.dependent.is_discrete
constraints.independent(constraints.positive, 2).check(torch.ones(2))
ExpTransform(cache_size=3)
Transform().sign
Transform()(torch.ones(2))
AbsTransform().log_abs_det_jacobian(torch.zeros(2), torch.zeros(2))
ReshapeTransform((2,), (3,))
ReshapeTransform((2,), (1, 2)).forward_shape((3,))
ReshapeTransform((2,), (1, 2)).forward_shape(())
ReshapeTransform((2,), (1, 2)).inverse_shape((2, 2))
SoftmaxTransform().forward_shape(())
StickBreakingTransform().inverse_shape(())
CorrCholeskyTransform().forward_shape((5,))
CorrCholeskyTransform().inverse_shape((6, 5))
IndependentTransform(ExpTransform(), 1)(torch.tensor(1.0))
CatTransform([ExpTransform(), AffineTransform(1, 2)], lengths=[1, 2])(torch.zeros(4))
StackTransform([ExpTransform(), AffineTransform(1, 2)])(torch.zeros(3, 3))
StickBreakingTransform().event_dim.real + SoftmaxTransform().with_cache(2)._cache_size
utils.tril_matrix_to_vec(torch.ones(3, 3), 3)
utils.vec_to_tril_matrix(torch.ones(5))
""".strip().splitlines()


@pytest.mark.parametrize("expression", ERRORS)
def test_errors(expression: str) -> None:
    theirs, ours = sides("float32")
    expected = theirs.outcome(expression)
    assert isinstance(expected, tuple) and issubclass(expected[0], Exception), expected
    assert_alike(expected, ours.outcome(expression), expression)


SUBCLASSES = """
class Odd(Normal):
    def __init__(self):
        super().__init__(0.0, 1.0)

class Bare(Distribution):
    pass

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    bare = Bare()
    bare._validate_sample(torch.ones(2))
    Normal(0.0, 1.0).sample_n(3)
    Wishart(torch.tensor(2.5), torch.eye(3))
said = [(each.category.__name__, str(each.message).split("'")[-1]) for each in caught]
try:
    Odd().expand((2,))
except NotImplementedError as error:
    said.append(str(error))

class First(Normal): pass
class Second(First): pass
register_kl(First, Second)(lambda p, q: "first second")
register_kl(Second, First)(lambda p, q: "second first")
said.append(kl_divergence(First(0.0, 1.0), Second(0.0, 1.0)))
said.append(kl_divergence(First(0.0, 1.0), First(0.0, 1.0)).item())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    said.append(kl_divergence(Second(0.0, 1.0), Second(0.0, 1.0)))
said.append([(each.category.__name__, str(each.message)) for each in caught])
"""


def test_subclasses_and_warnings() -> None:
    heard = []
    for side in sides("float32"):
        names = dict(side.names)
        exec(SUBCLASSES, names)
        heard.append(names["said"])
    assert heard[1] == heard[0]


# Divergences.

EXAMPLES = {
    "Bernoulli": ["Bernoulli(p([0.3, 0.9]))", "Bernoulli(logits=p([0.3, -2.0]))", "Bernoulli(torch.tensor([0.0, 1.0]))"],
    "Beta": ["Beta(p([0.4, 2.0]), p([0.6, 3.0]))", "Beta(p([3.0, 1.0]), p([2.0, 0.5]))"],
    "Binomial": ["Binomial(5, p([0.3, 0.9]))", "Binomial(5, logits=p([0.3, -2.0]))", "Binomial(4, p([0.5, 0.6]))"],
    "Categorical": ["Categorical(p([[0.3, 0.9], [2.0, 1.0]]))", "Categorical(torch.tensor([1.0, 0.0]))"],
    "Cauchy": ["Cauchy(p([0.0, 1.0]), p([1.0, 3.0]))", "Cauchy(p([0.5, 1.0]), p([2.0, 1.0]))"],
    "ContinuousBernoulli": ["ContinuousBernoulli(p([0.3, 0.4995]))", "ContinuousBernoulli(logits=p([0.3, -2.0]))"],
    "Dirichlet": ["Dirichlet(p([[0.5, 1.0, 4.0], [2.0, 2.0, 9.0]]))", "Dirichlet(p([1.0, 2.0, 0.5]))"],
    "Exponential": ["Exponential(p([0.5, 3.0]))", "Exponential(p([1.5, 2.0]))"],
    "Gamma": ["Gamma(p([0.3, 2.0]), p([1.0, 2.0]))", "Gamma(p([5.0, 1.0]), p([0.5, 3.0]))"],
    "Geometric": ["Geometric(p([0.3, 0.9]))", "Geometric(logits=p([0.3, -1.0]))"],
    "Gumbel": ["Gumbel(p([0.3, -1.0]), p([1.0, 2.0]))", "Gumbel(p([0.0, 1.0]), p([2.0, 0.5]))"],
    "HalfNormal": ["HalfNormal(p([1.0, 2.0]))", "HalfNormal(p([3.0, 0.5]))"],
    "Independent": [
        "Independent(Normal(p([[0.0, 1.0], [2.0, 3.0]]), p([1.0, 2.0])), 1)",
        "Independent(Normal(p([1.0, 1.0]), p([3.0, 2.0])), 1)",
    ],
    "Laplace": ["Laplace(p([0.3, -1.0]), p([1.0, 2.0]))", "Laplace(p([0.0, 1.0]), p([2.0, 0.5]))"],
    "LowRankMultivariateNormal": [
        "LowRankMultivariateNormal(p([1.0, 2.0]), p([[1.0], [0.5]]), p([1.0, 2.0]))",
        "LowRankMultivariateNormal(p([[0.0, 1.0], [1.0, 1.0]]), p([[1.0, 0.0], [0.5, 2.0]]), p([0.5, 1.0]))",
    ],
    "MultivariateNormal": [
        "MultivariateNormal(p([1.0, 2.0]), p([[2.0, 0.5], [0.5, 1.0]]))",
        "MultivariateNormal(p([1.0, 2.0]), scale_tril=p([[[2.0, 0.0], [0.5, 1.0]], [[1.0, 0.0], [3.0, 2.0]]]))",
    ],
    "Normal": ["Normal(p([0.3, -1.0]), p([1.0, 2.0]))", "Normal(p([0.0, 1.0]), p([2.0, 0.5]))"],
    "OneHotCategorical": ["OneHotCategorical(p([[0.3, 0.9], [2.0, 1.0]]))", "OneHotCategorical(p([1.0, 2.0]))"],
    "Pareto": ["Pareto(p([1.0, 2.0]), p([1.5, 4.0]))", "Pareto(p([0.5, 3.0]), p([0.7, 1.5]))"],
    "Poisson": ["Poisson(p([0.3, 4.0]))", "Poisson(p([1.0, 2.0]))"],
    "TransformedDistribution": [
        "TransformedDistribution(Normal(p([0.3, -1.0]), p([1.0, 2.0])), [ExpTransform()])",
        "LogNormal(p([0.0, 1.0]), p([2.0, 0.5]))",
    ],
    "Uniform": ["Uniform(p([0.1, 0.2]), p([0.9, 0.5]))", "Uniform(p([-1.0, 2.0]), p([1.0, 3.0]))"],
    "ExponentialFamily": [
        "Wishart(p(4.5), p([[2.0, 0.5], [0.5, 1.0]]))",
        "Wishart(p([3.5, 9.0]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    ],
}
PAIRS = sorted((p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY)


def test_every_divergence_is_registered() -> None:
    registry = rushlight.distributions.kl._KL_REGISTRY
    mine = {(p.__name__, q.__name__) for p, q in registry if p.__module__.partition(".")[0] in ("rushlight", "torch")}
    assert mine.issuperset(PAIRS)
    assert len(PAIRS) >= 87


@pytest.mark.parametrize(("name_p", "name_q"), PAIRS)
def test_divergences(name_p: str, name_q: str) -> None:
    for p in EXAMPLES[name_p]:
        for q in EXAMPLES[name_q]:
            theirs, ours = sides()
            expected, found = (side.outcome(f"kl_divergence({p}, {q})") for side in (theirs, ours))
            assert_alike(expected, found, f"{p} from {q}", 1e-7, 1e-9)
            if isinstance(expected, torch.Tensor) and expected.isfinite().all():
                gradients = theirs.gradients(expected), ours.gradients(found)
                gradients = [[np.nan_to_num(g.detach().numpy()) if g is not None else 0 for g in each] for each in gradients]
                for one, other in zip(*gradients, strict=True):
                    np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-8, err_msg=f"{p} from {q}")


@pytest.mark.parametrize("name", ["Bernoulli", "Beta", "Dirichlet", "Exponential", "Gamma", "Normal", "Poisson"])
def test_divergence_by_natural_parameters(name: str) -> None:
    p, q = EXAMPLES[name][:2]
    theirs, ours = sides()
    of_family = "kl._KL_REGISTRY[ExponentialFamily, ExponentialFamily]"
    assert_alike(theirs(f"{of_family}({p}, {q})"), ours(f"{of_family}({p}, {q})"), name, 1e-7, 1e-9)
    assert_alike(theirs.outcome(f"ExponentialFamily.entropy({p})"), ours.outcome(f"ExponentialFamily.entropy({p})"), name)


# Names.


def _modules() -> Iterator[str]:
    yield "torch.distributions"
    for _, module in sorted(vars(torch.distributions).items()):
        if inspect.ismodule(module) and module.__name__.startswith("torch.distributions."):
            yield module.__name__


@pytest.mark.parametrize("module", list(_modules()))
def test_names_and_signatures(module: str) -> None:
    theirs = importlib.import_module(module)
    ours = importlib.import_module(module.replace("torch", "rushlight", 1))
    for name in theirs.__all__:
        expected, found = getattr(theirs, name), getattr(ours, name)
        assert isinstance(found, type) == isinstance(expected, type), name
        if isinstance(expected, type) and issubclass(expected, torch.distributions.Distribution):
            assert _arguments(found) == _arguments(expected), name
            public = {attribute for attribute in dir(expected) if not attribute.startswith("_")}
            assert public <= set(dir(found)), name


def _arguments(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, () if each.default == torch.Size() else each.default) for each in parameters]
