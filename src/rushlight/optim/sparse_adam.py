"""SparseAdam: Adam for sparse gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch

from ..autograd import views
from ..backend.interrupts import held
from ..tensor import Tensor
from .by_rule import check_betas, check_lr, number
from .optimizer import Optimizer, ParamsT


class SparseAdam(Optimizer):
    """Adam that moves only the rows, and their moments, that a sparse gradient names.

    RuntimeError for a dense gradient.

    >>> import rushlight as torch
    >>> rows = torch.nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(rows.parameters(), lr=0.5)
    >>> rows(torch.tensor([0, 2])).sum().backward()
    >>> optimizer.step()
    >>> rows.weight.detach()
    tensor([[0.5000, 0.5000],
            [1.0000, 1.0000],
            [0.5000, 0.5000]])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
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
        places = [
            ([index, place], param)
            for index, group in enumerate(self.param_groups)
            for place, param in enumerate(group["params"])
        ]
        if sparse := [place for place, param in places if not param._strided]:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        if complexes := [place for place, param in places if param.is_complex()]:
            raise ValueError(f"Complex params at indices {complexes}: SparseAdam does not support complex parameters")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; ``closure``, if given, is called first."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        held(self._step)
        return loss

    def _step(self) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if not param.grad.is_sparse:
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                self._step_rows(param, group)

    def _step_rows(self, param: Any, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            state["step"] = 0
            state["exp_avg"], state["exp_avg_sq"] = (torch.zeros_like(param.detach()) for _ in range(2))
        state["step"] += 1
        gradient = param.grad.coalesce()
        indices, g = gradient.coordinates(), gradient._held
        if group["maximize"]:
            g = -g
        (first, second), t = group["betas"], state["step"]
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean[indices] += (g - mean[indices]) * (1 - first)
        square[indices] += (g * g - square[indices]) * (1 - second)
        size = number(group["lr"]) * np.sqrt(1 - second**t) / (1 - first**t)
        param._array[indices] -= (size * mean[indices] / (np.sqrt(square[indices]) + group["eps"])).astype(g.dtype)
        for changed in (param, state["exp_avg"], state["exp_avg_sq"]):
            views.bump(changed, "step")
