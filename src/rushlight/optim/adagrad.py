"""Adagrad: steps scaled by all squares so far."""

from __future__ import annotations

from typing import Any

import rushlight as torch

from ..nn.parameter import is_lazy
from ..tensor import Tensor
from .by_rule import (
    RuleOptimizer,
    State,
    add_product,
    add_quotient,
    at_least_zero,
    check_lr,
    check_variants,
    decayed,
    like,
    number,
    scalar_dtype,
)
from .optimizer import ParamsT


class Adagrad(RuleOptimizer):
    """Steps by the gradient over the root of the sum of all its squares."""

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        at_least_zero(
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_variants(foreach, fused, differentiable, None, False)
        for group in self.param_groups:  # the state is there before the first step
            for param in group["params"]:
                if is_lazy(param):
                    param._refused("is_complex")
                self.state[param] = {"step": torch.zeros((), dtype=scalar_dtype()), **self._start(param, group)}

    def _refusal_of_sparse(self, group: dict[str, Any]) -> str | None:
        return "weight_decay option is not compatible with sparse gradients" if group["weight_decay"] else None

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        first = group["initial_accumulator_value"]
        return {"sum": like(param, complex(first, first) if param.is_complex() else first)}  # type: ignore[arg-type]

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        total = state["sum"]
        add_product(total, g, g, 1)
        size = xp.sqrt(total)
        size += group["eps"]
        add_quotient(p, g, size, -number(group["lr"]) / (1 + (t - 1) * group["lr_decay"]))
