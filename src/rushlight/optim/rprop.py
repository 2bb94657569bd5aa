"""Rprop: steps by the sign of the gradient."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .by_rule import RuleOptimizer, State, at_least_zero, check_lr, like, number
from .optimizer import ParamsT


class Rprop(RuleOptimizer):
    """Steps by sizes of their own that grow while the gradient keeps its sign, and shrink when it turns."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        lr = number(group["lr"])
        return {"prev": like(param), "step_size": like(param, complex(lr, lr) if param.is_complex() else lr)}  # type: ignore[arg-type]

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        shrink, grow = group["etas"]
        turned = xp.sign(g * state["prev"])
        grows, shrinks = turned > 0, turned < 0
        sizes = state["step_size"]
        sizes *= 1 + (grow - 1) * grows + (shrink - 1) * shrinks
        sizes[...] = xp.clamp(sizes, *group["step_sizes"])
        g = xp.masked_fill(g, shrinks, 0)  # no step where the sign has turned
        p -= xp.sign(g) * sizes
        state["prev"][...] = g
