"""Optimizers with a step size for each element: Adagrad, Adadelta, RMSprop, Adamax, NAdam, RAdam, Rprop, ASGD."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch

from ..tensor import Tensor
from .by_rule import RuleOptimizer, State, at_least_zero, check_betas, check_lr, check_variants, decayed, like, number


class Adagrad(RuleOptimizer):
    """Steps by the gradient over the root of the sum of all its squares."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
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
                self.state[param] = {"step": torch.zeros((), dtype=torch.float32), **self._start(param, group)}

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        first = group["initial_accumulator_value"]
        return {"sum": like(param, complex(first, first) if param.is_complex() else first)}  # type: ignore[arg-type]

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        total = state["sum"]
        total += g * g
        size = xp.sqrt(total)
        size += group["eps"]
        p -= (number(group["lr"]) / (1 + (t - 1) * group["lr_decay"])) * g / size


class Adadelta(RuleOptimizer):
    """Steps by the gradient times the ratio of running sizes of steps and gradients."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
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
        square += (1 - rho) * g * g
        change = xp.sqrt(steps + eps) / xp.sqrt(square + eps) * g
        steps *= rho
        steps += (1 - rho) * change * change
        p -= number(group["lr"]) * change


class RMSprop(RuleOptimizer):
    """Steps by the gradient over the root of the running mean of its square."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
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

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        state = {"square_avg": like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = like(param)
        if group["centered"]:
            state["grad_avg"] = like(param)
        return state

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        square, alpha = state["square_avg"], group["alpha"]
        square *= alpha
        square += (1 - alpha) * g * g
        if group["centered"]:
            mean = state["grad_avg"]
            mean += (1 - alpha) * (g - mean)
            size = xp.sqrt(square - mean * mean)
        else:
            size = xp.sqrt(square)
        size += group["eps"]
        change = g / size
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer *= group["momentum"]
            buffer += change
            change = buffer
        p -= number(group["lr"]) * change


class Adamax(RuleOptimizer):
    """Adam with the largest gradient so far (fading) in place of the root of the mean square."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
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
        mean += (1 - beta1) * (g - mean)
        largest[...] = xp.maximum(beta2 * largest, xp.abs(g) + group["eps"])
        p -= number(group["lr"]) / (1 - beta1**t) * mean / largest


class NAdam(RuleOptimizer):
    """Adam with Nesterov's momentum, which grows over time."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
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
        return {"mu_product": torch.ones((), dtype=torch.float32), "exp_avg": like(param), "exp_avg_sq": like(param)}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
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
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * g * g
        size = xp.sqrt(square / (1 - beta2**t))
        size += group["eps"]
        p -= lr * (1.0 - mu) / (1.0 - done) * g / size
        p -= lr * mu_next / (1.0 - done * mu_next) * mean / size


class RAdam(RuleOptimizer):
    """Adam that waits with its scaling until the mean square can be trusted."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
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
        at_least_zero(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _start(self, param: Any, group: dict[str, Any]) -> State:
        return {"exp_avg": like(param), "exp_avg_sq": like(param)}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
            p *= 1 - lr * group["weight_decay"]
        else:
            g = decayed(p, g, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean += (1 - beta1) * (g - mean)
        square *= beta2
        square += (1 - beta2) * g * g
        change = mean / (1 - beta1**t)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / (1 - beta2**t)
        if length > 5.0:
            rest = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            change = change * (math.sqrt(1 - beta2**t) * math.sqrt(rest)) / (xp.sqrt(square) + group["eps"])
        p -= lr * change


class Rprop(RuleOptimizer):
    """Steps by sizes of their own that grow while the gradient keeps its sign, and shrink when it turns."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
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
        g = g * (turned >= 0)  # no step where the sign has turned
        p -= xp.sign(g) * sizes
        state["prev"][...] = g


class ASGD(RuleOptimizer):
    """SGD with the mean of the parameters over time beside it, in the state ``ax``."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
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
        eta: Tensor = torch.as_tensor(number(group["lr"]), dtype=torch.float32).clone()
        return {"eta": eta, "mu": torch.ones((), dtype=torch.float32), "ax": like(param)}

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: dict[str, Any]) -> None:
        g = decayed(p, g, group)
        lr, eta, mu, mean = number(group["lr"]), float(state["eta"]), float(state["mu"]), state["ax"]
        p *= 1 - group["lambd"] * eta
        p -= eta * g
        mean += mu * (p - mean)
        state["eta"][...] = lr / (1 + group["lambd"] * lr * t) ** group["alpha"]
        state["mu"][...] = 1 / max(1, t - group["t0"])
