# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from rushlight.optim.by_rule import RuleOptimizer
from typing import Any

class Adagrad(RuleOptimizer):
    """Steps by the gradient over the root of the sum of all its squares."""
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], lr: float | Tensor = 0.01, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None: ...
