# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.by_rule import RuleOptimizer
from typing import Any

class Rprop(RuleOptimizer):
    """Steps by sizes of their own that grow while the gradient keeps its sign, and shrink when it turns."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 0.01, etas: tuple[float, float] = ..., step_sizes: tuple[float, float] = ..., *, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None: ...
