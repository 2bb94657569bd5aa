"""RMSprop: steps scaled by a running mean of squares."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .by_rule import (
    Group,
    RuleOptimizer,
    State,
    add,
    add_product,
    add_quotient,
    at_least_zero,
    check_lr,
    decayed,
    like,
    move,
    number,
    sign,
)
from .optimizer import ParamsT


class RMSprop(RuleOptimizer):
    """Steps by the gradient over the root of the running mean of its square."""

    _loop = "rmsprop_step"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: Group) -> State:
        state = {"square_avg": like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = like(param)
        if group["centered"]:
            state["grad_avg"] = like(param)
        return state

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: Group) -> None:
        g = decayed(p, g, group)
        square, alpha = state["square_avg"], group["alpha"]
        square *= alpha
        add_product(square, g, g, 1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            move(mean, g, 1 - alpha)
            if isinstance(p, Tensor):
                size = xp.sqrt(xp.addcmul(square, mean, mean, -1))
            else:  # the mean's square alone may be too large
                root = xp.sqrt(square)
                size = xp.sqrt((root - mean) * (root + mean))
        else:
            size = xp.sqrt(square)
        size += group["eps"]
        lr = number(group["lr"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer *= group["momentum"]
            add_quotient(buffer, g, size, 1)
            add(p, buffer, -lr)
        else:
            add_quotient(p, g, size, -lr)

    def _numbers(self, t: int, group: Group) -> tuple[tuple[float, ...], tuple[str, ...]]:
        decay, kept, momentum = number(group["weight_decay"]), group["alpha"], group["momentum"]
        return (
            (sign(group), decay, kept, 1 - kept, group["eps"], number(group["lr"]), momentum, 0.0),
            ("square_avg", "momentum_buffer" if momentum > 0 else "", "grad_avg" if group["centered"] else ""),
        )
