"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any

import rushlight as torch

from ..tensor import Tensor
from .by_rule import (
    Group,
    RuleOptimizer,
    State,
    add_product,
    add_quotient,
    at_least_zero,
    check_betas,
    check_lr,
    decayed,
    like,
    move,
    number,
    scalar_dtype,
)
from .optimizer import ParamsT


class NAdam(RuleOptimizer):
    """Adam with Nesterov's momentum, which grows over time."""

    _scalars = ("step", "mu_product")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        at_least_zero(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        return {"mu_product": torch.ones((), dtype=scalar_dtype()), "exp_avg": like(param), "exp_avg_sq": like(param)}

    def _writes(self, group: Group) -> int:
        return 3 if group["decoupled_weight_decay"] and group["weight_decay"] else 2

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"] and group["weight_decay"]:
            p *= 1 - lr * group["weight_decay"]
        else:
            g = decayed(p, g, group)
        psi = group["momentum_decay"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * psi))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * psi))
        product = state["mu_product"]
        product *= mu
        done = float(product)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        move(mean, g, 1 - beta1)
        square *= beta2
        add_product(square, g, g, 1 - beta2)
        size = xp.sqrt(square / (1 - beta2**t))
        size += group["eps"]
        add_quotient(p, g, size, -lr * (1.0 - mu) / (1.0 - done))
        add_quotient(p, mean, size, -lr * mu_next / (1.0 - done * mu_next))
