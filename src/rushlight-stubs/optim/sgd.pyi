# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.optim.by_rule import RuleOptimizer
from typing import Any

class SGD(RuleOptimizer):
    """``p -= lr * g``, with momentum (of Nesterov's kind too), dampening and weight decay."""
    def __init__(self, params: Any, lr: Any = 0.001, momentum: float = 0, dampening: float = 0, weight_decay: Any = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None: ...
