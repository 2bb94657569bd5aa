"""Where parameters and values may lie: each constraint checks a tensor and knows how many dimensions make one event.

>>> import rushlight as torch
>>> from rushlight.distributions import constraints
>>> constraints.positive.check(torch.tensor([1.0, 0.0]))
tensor([ True, False])
>>> constraints.simplex.check(torch.tensor([[0.5, 0.5], [0.5, 0.6]]))
tensor([ True, False])
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rushlight as torch

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

_SUM_TOLERANCE = 1e-6


class Constraint:
    """A region of tensors. ``is_discrete``: of separate values; ``event_dim``: how many last dimensions are one value."""

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Tensor:
        """A boolean tensor of the shape of ``value`` without its event dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.removeprefix("_") + "()"


class _Dependent(Constraint):
    """Depends on other parameters: it can be checked only once those are known."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        return self._known("is_discrete")

    @property
    def event_dim(self) -> int:
        return self._known("event_dim")

    def _known(self, name: str) -> Any:
        value = getattr(self, f"_{name}")
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether it depends on other parameters."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property of an object that is a constraint, and of its class one that depends on the object.

    ``@dependent_property(is_discrete=False, event_dim=0)`` says what is known before there is an object.
    """

    def __init__(
        self, fn: Callable[..., Any] | None = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """Another constraint, whose last dimensions are taken together as one event."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int) or reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be an int of at least 0, got {reinterpreted_batch_ndims!r}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Tensor:
        inside = self.base_constraint.check(value)
        over = self.reinterpreted_batch_ndims
        if inside.dim() < over:
            need = self.base_constraint.event_dim + over
            raise ValueError(f"Expected value.dim() >= {need} but got {value.dim()}")
        return inside.reshape(inside.shape[: inside.dim() - over] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """A constraint of a mixture's components, for values that have no dimension for the component."""

    def __init__(self, base_constraint: Any) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Tensor:
        """True where the value suits every component."""
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        inside = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        batch = value.shape[: value.dim() - self.event_dim]
        return inside.reshape(batch + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return boolean.check(value).all(-1) & (value.sum(-1) == 1)


class _Bounded(Constraint):
    """Between bounds, numbers or tensors, which the printed form names."""

    _bounds: tuple[str, ...]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_number(getattr(self, name))}" for name in self._bounds)
        return f"{type(self).__name__.removeprefix('_')}({shown})"


class _BoundedBelow(_Bounded):
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()


class _BoundedAbove(_Bounded):
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()


class _BoundedBothWays(_Bounded):
    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        super().__init__()


def _number(bound: Any) -> Any:
    """A tensor without dimensions is shown as its number."""
    return bound.item() if isinstance(bound, torch.Tensor) and bound.dim() == 0 else bound


class _IntegerInterval(_BoundedBothWays):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_BoundedAbove):
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_BoundedBelow):
    """From a bound on, that included."""

    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    """Any number but nan."""

    def check(self, value: Any) -> Tensor:
        return value == value


class _GreaterThan(_BoundedBelow):
    def check(self, value: Any) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_BoundedBelow):
    def check(self, value: Any) -> Tensor:
        return self.lower_bound <= value


class _LessThan(_BoundedAbove):
    def check(self, value: Any) -> Tensor:
        return value < self.upper_bound


class _Interval(_BoundedBothWays):
    """Both bounds included."""

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_BoundedBothWays):
    """The lower bound included, the upper one not."""

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Along the last dimension at least 0 each, and 1 together."""

    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < _SUM_TOLERANCE)


class _Multinomial(Constraint):
    """Counts along the last dimension, at most ``upper_bound`` together."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        return _all_entries(value.tril() == value)


class _LowerCholesky(Constraint):
    """Lower triangular with a diagonal above 0."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        return _all_entries(value.tril() == value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """The Cholesky factor of a correlation matrix: its rows have length 1."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        room = torch.finfo(value.dtype).eps * value.shape[-1] * 10  # for the rounding of that many squares
        return _LowerCholesky().check(value) & ((torch.linalg.norm(value.detach(), dim=-1) - 1).abs() < room).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return torch.full(value.shape[:-2], is_square, dtype=torch.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value: Any) -> Tensor:
        is_square = super().check(value)
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if is_square.all() else is_square


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Tensor:
        is_symmetric = super().check(value)
        return torch.linalg.eigvalsh(value).ge(0).all(-1) if is_symmetric.all() else is_symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Tensor:
        is_symmetric = super().check(value)
        return torch.linalg.cholesky_ex(value).info.eq(0) if is_symmetric.all() else is_symmetric


def _all_entries(inside: Any) -> Any:
    return inside.reshape(inside.shape[:-2] + (-1,)).all(-1)


class _Joined(Constraint):
    """Parts along a dimension, each with a constraint of its own."""

    cseq: list[Any]

    @property
    def is_discrete(self) -> bool:
        return any(part.is_discrete for part in self.cseq)

    @property
    def _widest(self) -> int:
        return max(part.event_dim for part in self.cseq)


class _Cat(_Joined):
    """``cat(parts, dim, lengths)``: the constraint of what `torch.cat` joins of parts of those lengths."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        self.cseq = list(cseq)
        if not all(isinstance(part, Constraint) for part in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths must have the same length as cseq, {len(self.cseq)}, got {len(self.lengths)}")
        self.dim = dim

    @property
    def event_dim(self) -> int:
        return self._widest

    def check(self, value: Any) -> Tensor:
        ends = itertools.accumulate(self.lengths)
        pieces = [value.narrow(self.dim, end - length, length) for end, length in zip(ends, self.lengths, strict=True)]
        return torch.cat([part.check(piece) for part, piece in zip(self.cseq, pieces, strict=False)], self.dim)


class _Stack(_Joined):
    """``stack(parts, dim)``: the constraint of what `torch.stack` joins."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        self.cseq = list(cseq)
        if not all(isinstance(part, Constraint) for part in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.dim = dim

    @property
    def event_dim(self) -> int:
        # The dimension that the parts are stacked along is one more, where it lies within the event.
        return self._widest + (1 if self.dim + self._widest < 0 else 0)

    def check(self, value: Any) -> Tensor:
        pieces = value.unbind(self.dim)
        return torch.stack([part.check(piece) for part, piece in zip(self.cseq, pieces, strict=False)], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
