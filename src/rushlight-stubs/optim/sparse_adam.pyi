# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.optimizer import Optimizer
from typing import Any
from typing import TypeVar
from typing import overload

_Result = TypeVar('_Result')

class SparseAdam(Optimizer):
    """Adam that moves only the rows, and their moments, that a sparse gradient names."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 0.001, betas: tuple[float, float] = ..., eps: float = 1e-08, maximize: bool = False) -> None: ...
    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _Result]) -> _Result:
        """One step; ``closure``, if given, is called first."""
        ...
