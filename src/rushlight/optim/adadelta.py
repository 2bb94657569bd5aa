"""Adadelta: steps that size themselves."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .by_rule import RuleOptimizer, State, add, add_product, at_least_zero, check_lr, decayed, like, number
from .optimizer import ParamsT


class Adadelta(RuleOptimizer):
    """Steps by the gradient times the ratio of running sizes of steps and gradients."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        at_least_zero(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        return {"square_avg": like(param), "acc_delta": like(param)}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        square, steps, rho, eps = state["square_avg"], state["acc_delta"], group["rho"], group["eps"]
        square *= rho
        add_product(square, g, g, 1 - rho)
        change = xp.sqrt(steps + eps) / xp.sqrt(square + eps) * g
        steps *= rho
        add_product(steps, change, change, 1 - rho)
        add(p, change, -number(group["lr"]))
