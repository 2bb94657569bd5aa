"""SparseAdam: Adam for sparse gradients, of which rushlight has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch

from .by_rule import check_betas, check_lr, number
from .optimizer import Optimizer


class SparseAdam(Optimizer):
    """Adam that moves only what a sparse gradient names.

    Gradients here are dense: a step with one is the RuntimeError that PyTorch gives for dense gradients.

    >>> import rushlight as torch
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SparseAdam([w])
    >>> (w * 3).sum().backward()
    >>> optimizer.step()
    Traceback (most recent call last):
    RuntimeError: SparseAdam does not support dense gradients, please consider Adam instead
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_lr(lr)
        if not number(lr) > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; ``closure``, if given, is called first. RuntimeError where there is a gradient, which is dense."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if any(param.grad is not None for group in self.param_groups for param in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return loss
