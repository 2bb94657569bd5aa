# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from numpy import ndarray
from rushlight import Tensor
from rushlight import dtype
from rushlight.optim.optimizer import Optimizer
from typing import Any
from typing import TypeVar
from typing import overload

_Result = TypeVar('_Result')
_Values = TypeVar('_Values', Tensor, ndarray[Any, Any])

class RuleOptimizer(Optimizer):
    """Subclasses define ``_start`` (a parameter's first state) and ``_rule``."""
    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _Result]) -> _Result:
        """One step; ``closure``, if given, computes the loss and the gradients anew and is called first."""
        ...
def add(x: _Values, y: _Values, factor: float) -> None:
    """``x += factor * y``, rounded as :func:`plus` does."""
    ...
def add_product(x: _Values, y: _Values, z: _Values, factor: float) -> None:
    """``x += factor * y * z``, rounded so too."""
    ...
def add_quotient(x: _Values, y: _Values, z: _Values, factor: float) -> None:
    """``x += factor * y / z``, rounded so too."""
    ...
def at_least_zero(**options: Any) -> None:
    """ValueError for the first option below zero."""
    ...
def check_betas(betas: Any) -> None:
    """ValueError for a share of the past that is not in [0, 1)."""
    ...
def check_lr(lr: Any) -> None:
    """ValueError for a learning rate that is no single number."""
    ...
def check_variants(foreach: Any, fused: Any, differentiable: bool, lr: Any, capturable: bool) -> None:
    """RuntimeError for ways of running that exclude each other; here all of them run the same."""
    ...
def decayed(p: Any, g: Any, group: dict[str, Any]) -> Any:
    """The gradient with weight decay added."""
    ...
def like(param: Tensor, value: float = 0.0) -> Tensor:
    """A state of a parameter's shape, filled with one number."""
    ...
def move(mean: _Values, to: _Values, share: float) -> None:
    """``mean += share * (to - mean)``, rounded so too."""
    ...
def number(value: Any) -> float:
    """An option that may be a tensor, as a Python number."""
    ...
def plus(x: _Values, y: _Values, factor: float) -> _Values:
    """``x + factor * y``, of Tensors in half precision rounded once."""
    ...
def real_pairs(array: ndarray[Any, Any]) -> ndarray[Any, Any]:
    """A view of complex numbers as pairs of real ones."""
    ...
def scalar_dtype() -> dtype:
    """What numbers of a state are kept in: single precision, unless the default is double."""
    ...
def sign(group: dict[str, Any]) -> float:
    """What a gradient is multiplied by before it is used."""
    ...
