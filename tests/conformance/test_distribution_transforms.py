"""Transforms and constraints of rushlight.distributions against PyTorch's."""

from __future__ import annotations

import pytest
import torch
from distribution_sides import assert_alike, sides

VECTOR = "torch.tensor([[0.3, -1.0, 2.0], [0.0, 0.5, -0.5]])"
MATRIX = "torch.tensor([[[1.0, 0.2], [0.3, -1.0]], [[0.0, 1.0], [2.0, 0.5]]])"
TRANSFORMS = {
    "AbsTransform()": VECTOR,
    "AffineTransform(1, -2)": VECTOR,
    "AffineTransform(p([1.0, 2.0, 3.0]), p(2.0), event_dim=1)": VECTOR,
    "CatTransform([ExpTransform(), AffineTransform(1.0, 2.0)], dim=-1, lengths=[1, 2])": VECTOR,
    "CatTransform([ExpTransform(), TanhTransform()], dim=0)": VECTOR,
    "ComposeTransform([AffineTransform(p(1.0), 2.0), ExpTransform(), PowerTransform(p(0.5))])": VECTOR,
    "ComposeTransform([AffineTransform(p(1.0), 2.0), StickBreakingTransform()])": VECTOR,
    "ComposeTransform([])": VECTOR,
    "CorrCholeskyTransform()": VECTOR,
    "CumulativeDistributionTransform(Normal(p(0.5), 2.0))": VECTOR,
    "ExpTransform()": VECTOR,
    "IndependentTransform(ExpTransform(), 1)": VECTOR,
    "LowerCholeskyTransform()": MATRIX,
    "PositiveDefiniteTransform()": MATRIX,
    "PowerTransform(p([0.5, 2.0, -1.0]))": f"{VECTOR}.exp()",
    "ReshapeTransform((3,), (1, 3))": VECTOR,
    "SigmoidTransform()": VECTOR,
    "SigmoidTransform().inv": f"{VECTOR}.sigmoid()",
    "SoftmaxTransform()": VECTOR,
    "SoftplusTransform()": VECTOR,
    "StackTransform([ExpTransform(), TanhTransform()], dim=0)": VECTOR,
    "StackTransform([ExpTransform(), TanhTransform(), ExpTransform()], dim=-1)": VECTOR,
    "StickBreakingTransform()": VECTOR,
    "StickBreakingTransform().inv": f"StickBreakingTransform()({VECTOR})",
    "TanhTransform()": VECTOR,
}
OF_TRANSFORM = (
    "t(x)",
    "t.inv(t(x))",
    "t.log_abs_det_jacobian(x, t(x))",
    "t.inv.log_abs_det_jacobian(t(x), x)",
    "t.forward_shape(x.shape)",
    "t.inverse_shape(t(x).shape)",
    "(t.domain, t.codomain, t.domain.event_dim, t.codomain.event_dim, t.domain.is_discrete)",
    "(t, t.inv, t.bijective, t.inv.inv is t, t.inv is t.inv, t == t, t.inv == t, t == ExpTransform())",
    "t.sign",
    "t.event_dim",
    "t.codomain.check(t(x))",
    "t.domain.check(x)",
    "(lambda c: (c, c._cache_size, (lambda y: (c.inv(y) is x, c(x) is y))(c(x))))(t.with_cache())",
)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms(transform: str) -> None:
    for expression in OF_TRANSFORM:
        theirs, ours = sides()
        results = [
            side.outcome(f"(lambda t, x: {expression})({transform}, {TRANSFORMS[transform]})") for side in (theirs, ours)
        ]
        assert_alike(*results, expression, 1e-9, 1e-12)
        assert_alike(theirs.gradients(results[0]), ours.gradients(results[1]), f"gradient of {expression}", 1e-7)


CONSTRAINTS = """
boolean
cat([constraints.positive, constraints.real], dim=-1, lengths=[1, 2])
cat([constraints.simplex, constraints.positive], dim=0)
corr_cholesky
greater_than(0.5)
greater_than_eq(torch.tensor([0.5, 1.0, 2.0]))
half_open_interval(0.0, 1.0)
independent(constraints.positive, 1)
integer_interval(0, 2)
interval(-1.0, 1.0)
less_than(1.0)
lower_cholesky
lower_triangular
multinomial(3)
nonnegative
nonnegative_integer
one_hot
positive
positive_definite
positive_integer
positive_semidefinite
real
real_vector
simplex
square
stack([constraints.positive, constraints.real], dim=0)
stack([constraints.positive, constraints.real, constraints.unit_interval], dim=-1)
symmetric
unit_interval
MixtureSameFamilyConstraint(constraints.positive)
MixtureSameFamilyConstraint(constraints.simplex)
_IntegerLessThan(2)
dependent
""".split("\n")[1:-1]
VALUES = (
    "torch.tensor([0.0, 1.0, 0.5])",
    "torch.tensor([[0.0, 1.0, 0.0], [1.0, 2.0, -1.0]])",
    "torch.tensor([[0.2, 0.3, 0.5], [math.nan, math.inf, 1.0]])",
    "torch.eye(2).expand(3, 2, 2)",
    "torch.tensor([[[1.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.6, 0.8]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [1.0, -1.0]]])",
    "torch.ones(2, 3, 4)",
)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraints(constraint: str) -> None:
    theirs, ours = sides()
    for fact in ("", ".event_dim", ".is_discrete"):
        assert_alike(*(side.outcome(f"constraints.{constraint}{fact}") for side in (theirs, ours)), fact)
    for value in VALUES:
        expected, found = (side.outcome(f"constraints.{constraint}.check({value})") for side in (theirs, ours))
        if isinstance(expected, tuple) and expected and isinstance(expected[0], type):
            assert found[0] is expected[0], value
        else:
            assert_alike(expected, found, value)
    for registry in ("biject_to", "transform_to"):
        expected, found = (side.outcome(f"{registry}(constraints.{constraint})") for side in (theirs, ours))
        assert_alike(expected, found, registry)
        if isinstance(expected, torch.distributions.Transform) and expected.domain.event_dim < 2:
            for value in VALUES[:2]:
                made = [side.outcome("t(value)", t=t, value=side(value)) for side, t in ((theirs, expected), (ours, found))]
                assert_alike(*made, f"{registry} {value}", 1e-9, 1e-12)
