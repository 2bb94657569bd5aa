# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.optimizer import Optimizer
from typing import Any
from typing import TypeVar

_Result = TypeVar('_Result')

class LBFGS(Optimizer):
    """Several iterations in a step, each along ``-H g``: H is the inverse Hessian as the last gradients and steps show it."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-07, tolerance_change: float = 1e-09, history_size: int = 100, line_search_fn: str | None = None) -> None: ...
    def step(self, closure: Callable[[], _Result]) -> _Result:
        """Iterates until nothing changes or the limits are reached; returns the loss at the beginning."""
        ...
class Point:
    """A place along a line: how far, the loss, the gradient, and the slope along the line."""
    length: Any
    loss: float
    grad: Tensor
    slope: Any
    def __eq__(self, other: object) -> bool: ...
    def __init__(self, length: Any, loss: float, grad: Tensor, slope: Any) -> None: ...
def strong_wolfe(at: Callable[[Any], Point], length: Any, start: Point, scale: Any, decrease: float = 0.0001, curvature: float = 0.9, tolerance: float = 1e-09, most: int = 25) -> tuple[Point, int]:
    """A point that is low and flat enough, and how many points were looked at."""
    ...
