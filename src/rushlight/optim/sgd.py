"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from ..autograd import views
from ..tensor import Tensor
from .by_rule import Group, RuleOptimizer, State, add, at_least_zero, check_lr, check_variants, decayed, number, plus, sign
from .optimizer import ParamsT


class SGD(RuleOptimizer):
    """``p -= lr * g``, with momentum (of Nesterov's kind too), dampening and weight decay.

    >>> import rushlight as torch
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1)
    >>> (w * 3).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.7000], requires_grad=True)
    """

    _counts = False
    _as_real = False
    _loop = "sgd_step"

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        at_least_zero(lr=lr, momentum=momentum, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_variants(foreach, fused, differentiable, None, False)

    def _ready(self, params: list[Tensor], group: Group) -> bool:
        if not group["momentum"]:
            return True
        return all(self.state.get(param, {}).get("momentum_buffer") is not None for param in params)

    def _step_one(self, param: Any, grad: Any, group: Group, differentiable: bool, where: Any) -> None:
        if group["momentum"] and self.state[param].get("momentum_buffer") is None:
            # The first buffer is the gradient itself, with decay.
            with_sign = -grad if group["maximize"] else grad
            first = decayed(param, with_sign, group)
            self.state[param]["momentum_buffer"] = first.clone() if differentiable else first.detach().clone()
            self._first = True
        super()._step_one(param, grad, group, differentiable, where)
        self._first = False

    _first = False

    def _refusal_of_sparse(self, group: Group) -> str | None:
        return "add(sparse, dense) is not supported. Use add(dense, sparse) instead." if group["weight_decay"] else None

    def _stepped_by_rows(self, param: Any, grad: Any, group: Group) -> bool:
        if group["momentum"] or group["differentiable"]:
            return False
        gradient = grad.coalesce()
        step = gradient._held * gradient._held.dtype.type(number(group["lr"]))
        param._array[gradient.coordinates()] += step if group["maximize"] else -step
        views.bump(param, "step")
        return True

    def _start(self, param: Any, group: Group) -> State:
        return {}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: Group) -> None:
        g = decayed(p, g, group)
        momentum = group["momentum"]
        if momentum:
            buffer = state["momentum_buffer"]
            if not self._first:
                buffer *= momentum
                add(buffer, g, 1 - group["dampening"])
            g = plus(g, buffer, momentum) if group["nesterov"] else buffer
        add(p, g, -number(group["lr"]))

    def _numbers(self, t: int, group: Group) -> tuple[tuple[float, ...], tuple[str, ...]]:
        decay, momentum = number(group["weight_decay"]), group["momentum"]
        return (
            (sign(group), decay, number(group["lr"]), momentum, 1 - group["dampening"], float(group["nesterov"]), 0.0, 0.0),
            ("momentum_buffer" if momentum else "", "", ""),
        )
