# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight.distributions.transform import Transform
from typing import Any
from typing import TypeVar
from typing import overload

_Wrapped = TypeVar('_Wrapped', bound=Callable[..., Any])

class ConstraintRegistry:
    """Transforms by kind of constraint; others are added with :meth:`register`."""
    def __call__(self, constraint: Any) -> Transform:
        """The transform to a constraint. NotImplementedError where none is registered for its class."""
        ...
    def __init__(self) -> None: ...
    @overload
    def register(self, constraint: Any, factory: Callable[[Any], Transform]) -> Callable[[Any], Transform]: ...
    @overload
    def register(self, constraint: Any, factory: None = None) -> Callable[[_Wrapped], _Wrapped]:
        """``factory(constraint)`` makes the transform for a class of constraints, or for the class of the one given."""
        ...
biject_to: ConstraintRegistry
transform_to: ConstraintRegistry
