"""ASGD: averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import rushlight as torch

from ..tensor import Tensor
from .by_rule import Group, RuleOptimizer, State, add, at_least_zero, check_lr, decayed, like, number, scalar_dtype
from .optimizer import ParamsT


class ASGD(RuleOptimizer):
    """SGD with the mean of the parameters over time beside it, in the state ``ax``."""

    _scalars = ("step", "eta", "mu")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        eta: Tensor = torch.as_tensor(number(group["lr"]), dtype=scalar_dtype()).clone()
        return {"eta": eta, "mu": torch.ones((), dtype=scalar_dtype()), "ax": like(param)}

    def _writes(self, group: Group) -> int:
        return 1 if group["foreach"] else 2

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        lr, eta, mu, mean = number(group["lr"]), float(state["eta"]), float(state["mu"]), state["ax"]
        p *= 1 - group["lambd"] * eta
        add(p, g, -eta)
        if mu == 1:
            mean[...] = p
        else:
            mean += mu * (p - mean)
        state["eta"][...] = lr / (1 + group["lambd"] * lr * t) ** group["alpha"]
        state["mu"][...] = 1 / max(1, t - group["t0"])
