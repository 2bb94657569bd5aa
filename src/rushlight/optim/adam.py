"""Adam."""

from __future__ import annotations

import math
from typing import Any

from ..ops.rule_functions import conj
from ..tensor import Tensor
from .by_rule import (
    Group,
    RuleOptimizer,
    State,
    at_least_zero,
    check_betas,
    check_lr,
    check_variants,
    decayed,
    like,
    number,
    sign,
)
from .optimizer import ParamsT


def _check_tensor_betas(betas: Any, foreach: Any, capturable: bool) -> None:
    of_tensors = [isinstance(beta, Tensor) for beta in betas]
    if any(of_tensors) and not all(of_tensors):
        raise ValueError("betas must be either both floats or both Tensors")
    if all(of_tensors) and foreach and not capturable:
        raise ValueError("betas[0] as a Tensor is not supported for capturable=False and foreach=True")


class Adam(RuleOptimizer):
    """Steps by the running mean of the gradient over the root of that of its square.

    >>> import rushlight as torch
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> (w * 3).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    _loop = "adam_step"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_variants(foreach, None, differentiable, lr, capturable)
        check_lr(lr)
        at_least_zero(lr=lr, eps=eps)
        check_betas(betas)
        at_least_zero(weight_decay=weight_decay)
        _check_tensor_betas(betas, foreach, capturable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_variants(foreach, fused, differentiable, None, capturable)

    def _refusal_of_sparse(self, group: Group) -> str | None:
        return "Adam does not support sparse gradients, please consider SparseAdam instead"

    def _start(self, param: Any, group: Group) -> State:
        state = {"exp_avg": like(param), "exp_avg_sq": like(param)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = like(param)
        return state

    def _writes(self, group: Group) -> int:
        return 2 if group["decoupled_weight_decay"] and group["weight_decay"] else 1

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: Group) -> None:
        lr = number(group["lr"])
        beta1, beta2 = number(group["betas"][0]), number(group["betas"][1])
        if group["decoupled_weight_decay"] and group["weight_decay"]:
            p *= 1 - lr * group["weight_decay"]
        else:
            g = decayed(p, g, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        square *= beta2
        if isinstance(p, Tensor):  # in half precision rounded once each
            mean.lerp_(g, 1 - beta1)
            square.addcmul_(g, conj(g), value=1 - beta2)
        else:
            change = g - mean
            change *= 1 - beta1
            mean += change
            change = (1 - beta2) * g  # the square alone may be too large
            change *= conj(g)
            square += change
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            largest[...] = xp.maximum(largest, square)
            square = largest
        size = math.sqrt(1 - beta2**t)
        if isinstance(p, Tensor):
            p.addcdiv_(mean, xp.sqrt(square) / size + group["eps"], value=-lr / (1 - beta1**t))
            return
        # the same, with the division by a number drawn out of it
        change = xp.sqrt(square)
        change += group["eps"] * size
        change = mean / change
        change *= lr * size / (1 - beta1**t)
        p -= change

    def _numbers(self, t: int, group: Group) -> tuple[tuple[float, ...], tuple[str, ...]]:
        lr, decay, (beta1, beta2) = number(group["lr"]), number(group["weight_decay"]), map(number, group["betas"])
        size = math.sqrt(1 - beta2**t)
        into, kept = (0.0, 1 - lr * decay) if group["decoupled_weight_decay"] else (decay, 1.0)
        rate = lr * size / (1 - beta1**t)
        return (
            (sign(group), into, kept, 1 - beta1, beta2, 1 - beta2, group["eps"] * size, rate),
            ("exp_avg", "exp_avg_sq", "max_exp_avg_sq" if group["amsgrad"] else ""),
        )
