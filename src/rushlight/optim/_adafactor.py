"""Adafactor: squares of gradients kept as rows and columns."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch

from ..tensor import Tensor
from .by_rule import RuleOptimizer, State, check_lr, number
from .optimizer import ParamsT


class Adafactor(RuleOptimizer):
    """Scales as Adagrad and Adam do, but of a matrix keeps only the mean squares of its rows and columns.

    ``eps``  added to squares (None: what is the smallest for the dtype), and the least size of a parameter to go by
    ``d``    the largest root mean square of a step before it is scaled down
    """

    _elementwise = False

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        if not number(lr) >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        shape = tuple(param.shape)
        if len(shape) < 2:
            return {"variance": torch.zeros_like(param, requires_grad=False)}
        options = {"dtype": param.dtype, "device": param.device}
        return {
            "row_var": torch.zeros(*shape[:-1], 1, **options),
            "col_var": torch.zeros(*shape[:-2], 1, shape[-1], **options),
        }

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        lr = number(group["lr"])
        tiny, least = group["eps"]
        if tiny is None:
            tiny = torch.finfo(p.dtype).eps
        share = t ** group["beta2_decay"]
        rate = max(least, p.norm(2).item() / math.sqrt(p.numel())) * min(lr, 1 / math.sqrt(t))
        if group["weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        if g.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(g.norm(2, -1, True).square_().div_(g.size(-1)), share)
            columns.lerp_(g.norm(2, -2, True).square_().div_(g.size(-2)), share)
            square = rows @ columns
            square.div_(rows.mean(-2, True).clamp_(min=tiny))
        else:
            state["variance"].lerp_(g.square(), share)
            square = state["variance"].clone()
        change = square.clamp_(min=tiny * tiny).rsqrt_().mul_(g)
        size = max(1.0, change.norm(2).item() / (math.sqrt(change.numel()) * group["d"]))
        p.add_(change, alpha=-rate / size)
