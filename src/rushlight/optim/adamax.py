"""Adamax: Adam with the largest gradient for a scale."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .by_rule import RuleOptimizer, State, add_quotient, at_least_zero, check_betas, check_lr, decayed, like, move, number
from .optimizer import ParamsT


class Adamax(RuleOptimizer):
    """Adam with the largest gradient so far (fading) in place of the root of the mean square."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
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
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        return {"exp_avg": like(param), "exp_inf": like(param)}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        beta1, beta2 = group["betas"]
        mean, largest = state["exp_avg"], state["exp_inf"]
        move(mean, g, 1 - beta1)
        largest[...] = xp.maximum(beta2 * largest, xp.abs(g) + group["eps"])
        add_quotient(p, mean, largest, -number(group["lr"]) / (1 - beta1**t))
