# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.by_rule import RuleOptimizer
from typing import Any

class Adadelta(RuleOptimizer):
    """Steps by the gradient times the ratio of running sizes of steps and gradients."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-06, weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False) -> None: ...
