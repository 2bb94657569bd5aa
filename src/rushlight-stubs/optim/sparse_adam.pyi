# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight.optim.optimizer import Optimizer
from typing import Any

class SparseAdam(Optimizer):
    """Adam that moves only the rows, and their moments, that a sparse gradient names."""
    def __init__(self, params: Any, lr: Any = 0.001, betas: tuple[float, float] = ..., eps: float = 1e-08, maximize: bool = False) -> None: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; ``closure``, if given, is called first."""
        ...
