"""RAdam: Adam that waits with its scaling."""

from __future__ import annotations

import math
from typing import Any

from ..tensor import Tensor
from .by_rule import Group, RuleOptimizer, State, add_product, at_least_zero, check_betas, check_lr, decayed, like, move, number
from .optimizer import ParamsT


class RAdam(RuleOptimizer):
    """Adam that waits with its scaling until the mean square can be trusted."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr, eps=eps)
        check_betas(betas)
        at_least_zero(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        return {"exp_avg": like(param), "exp_avg_sq": like(param)}

    def _writes(self, group: Group) -> int:
        return 2 if group["decoupled_weight_decay"] and group["weight_decay"] else 1

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"] and group["weight_decay"]:
            p *= 1 - lr * group["weight_decay"]
        else:
            g = decayed(p, g, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        move(mean, g, 1 - beta1)
        square *= beta2
        add_product(square, g, g, 1 - beta2)
        change = mean / (1 - beta1**t)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / (1 - beta2**t)
        if length > 5.0:
            rest = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            change = change * (math.sqrt(1 - beta2**t) * math.sqrt(rest)) / (xp.sqrt(square) + group["eps"])
        p -= lr * change
