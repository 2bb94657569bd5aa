# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from rushlight._inner import _Boolean
from rushlight._inner import _BoundedAbove
from rushlight._inner import _BoundedBelow
from rushlight._inner import _BoundedBothWays
from rushlight._inner import _CorrCholesky
from rushlight._inner import _Dependent
from rushlight._inner import _IntegerGreaterThan
from rushlight._inner import _Joined
from rushlight._inner import _LowerCholesky
from rushlight._inner import _LowerTriangular
from rushlight._inner import _OneHot
from rushlight._inner import _PositiveDefinite
from rushlight._inner import _PositiveSemidefinite
from rushlight._inner import _Real
from rushlight._inner import _Simplex
from rushlight._inner import _Square
from rushlight._inner import _Symmetric
from typing import Any

class Constraint:
    """A region of tensors. ``is_discrete``: of separate values; ``event_dim``: how many last dimensions are one value."""
    is_discrete: Any
    event_dim: Any
    def check(self, value: Any) -> Tensor:
        """A boolean tensor of the shape of ``value`` without its event dimensions."""
        ...
class MixtureSameFamilyConstraint(Constraint):
    """A constraint of a mixture's components, for values that have no dimension for the component."""
    base_constraint: Any
    def __init__(self, base_constraint: Any) -> None: ...
    def check(self, value: Any) -> Tensor:
        """True where the value suits every component."""
        ...
    @property
    def event_dim(self) -> int: ...
    @property
    def is_discrete(self) -> bool: ...
boolean: _Boolean
class cat(_Joined):
    """``cat(parts, dim, lengths)``: the constraint of what `torch.cat` joins of parts of those lengths."""
    lengths: Any
    dim: int
    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None: ...
    def check(self, value: Any) -> Tensor: ...
    @property
    def event_dim(self) -> int: ...
corr_cholesky: _CorrCholesky
dependent: _Dependent
class dependent_property(property, _Dependent):
    """A property of an object that is a constraint, and of its class one that depends on the object."""
    def __call__(self, fn: Callable[..., Any]) -> dependent_property: ...
    def __init__(self, fn: Callable[..., Any] | None = None, *, is_discrete: Any = ..., event_dim: Any = ...) -> None: ...
class greater_than(_BoundedBelow):
    def check(self, value: Any) -> Tensor: ...
class greater_than_eq(_BoundedBelow):
    def check(self, value: Any) -> Tensor: ...
class half_open_interval(_BoundedBothWays):
    """The lower bound included, the upper one not."""
    def check(self, value: Any) -> Tensor: ...
class independent(Constraint):
    """Another constraint, whose last dimensions are taken together as one event."""
    base_constraint: Any
    reinterpreted_batch_ndims: int
    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None: ...
    def check(self, value: Any) -> Tensor: ...
    @property
    def event_dim(self) -> int: ...
    @property
    def is_discrete(self) -> bool: ...
class integer_interval(_BoundedBothWays):
    def check(self, value: Any) -> Tensor: ...
    is_discrete: bool
class interval(_BoundedBothWays):
    """Both bounds included."""
    def check(self, value: Any) -> Tensor: ...
def is_dependent(constraint: Any) -> bool:
    """Whether it depends on other parameters."""
    ...
class less_than(_BoundedAbove):
    def check(self, value: Any) -> Tensor: ...
lower_cholesky: _LowerCholesky
lower_triangular: _LowerTriangular
class multinomial(Constraint):
    """Counts along the last dimension, at most ``upper_bound`` together."""
    upper_bound: Any
    def __init__(self, upper_bound: Any) -> None: ...
    def check(self, x: Any) -> Tensor: ...
    event_dim: int
    is_discrete: bool
nonnegative: greater_than_eq
nonnegative_integer: _IntegerGreaterThan
one_hot: _OneHot
positive: greater_than
positive_definite: _PositiveDefinite
positive_integer: _IntegerGreaterThan
positive_semidefinite: _PositiveSemidefinite
real: _Real
real_vector: independent
simplex: _Simplex
square: _Square
class stack(_Joined):
    """``stack(parts, dim)``: the constraint of what `torch.stack` joins."""
    dim: int
    def __init__(self, cseq: Any, dim: int = 0) -> None: ...
    def check(self, value: Any) -> Tensor: ...
    @property
    def event_dim(self) -> int: ...
symmetric: _Symmetric
unit_interval: interval
