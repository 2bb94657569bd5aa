"""Averages of weights over training: stochastic weight averaging and exponential moving averages."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import rushlight as torch

from ..backend.interrupts import held
from ..base.missing_names import lazy_names
from ..nn import Module
from ..nn.modules.batchnorm import _BatchNorm
from ..tensor import Tensor
from .lr_scheduler import LRScheduler
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """For ``multi_avg_fn``: averages that forget, by ``decay`` a step."""
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """For ``multi_avg_fn``: plain averages."""

    @torch.no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, float(1 / (num_averaged + 1)))
            else:
                average.addcdiv_(current - average, num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """For ``avg_fn``: averages that forget, by ``decay`` a step."""
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[[Tensor, Tensor, Any], Tensor]:
    """For ``avg_fn``: plain averages."""

    @torch.no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that :meth:`update_parameters` was shown.

    ``avg_fn(average, current, count)`` or ``multi_avg_fn(averages, currents, count)`` say how; else plain averages.
    ``use_buffers``: buffers are averaged too, not copied.

    >>> import rushlight as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> average = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 3.0):
    ...     torch.nn.init.constant_(model.weight, value)
    ...     average.update_parameters(model)
    Parameter containing:
    tensor([[1.]], requires_grad=True)
    Parameter containing:
    tensor([[3.]], requires_grad=True)
    >>> average.module.weight.item(), average.n_averaged
    (2.0, tensor(2))
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of a model into the averages."""
        held(self._update, model)

    def _update(self, model: Module) -> None:
        def members(owner: Module) -> list[Tensor]:
            chosen = itertools.chain(owner.parameters(), owner.buffers()) if self.use_buffers else owner.parameters()
            return [tensor.detach() for tensor in chosen]

        averages, currents = members(self.module), members(model)
        if self.n_averaged.item() == 0:
            for average, current in zip(averages, currents, strict=False):
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(averages, currents, self.n_averaged)
        else:
            averaged = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents, strict=False):
                average.copy_(averaged(average, current, self.n_averaged))
        if not self.use_buffers:
            for kept, buffer in zip(self.module.buffers(), model.buffers(), strict=False):
                kept.detach().copy_(buffer.detach())
        self.n_averaged += 1


@torch.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Computes the running statistics of a model's batch norms anew, over all that a loader gives.

    Of a batch that is a list or tuple the first item goes through the model.
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        first = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(first if device is None else first.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the learning rate there is to ``swa_lr`` within ``anneal_epochs``, along a cosine or a line; then it stays."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        if isinstance(swa_lr, (list, tuple)):
            if len(swa_lr) != len(groups):
                raise ValueError(
                    "swa_lr must have the same length as optimizer.param_groups. "
                    f"swa_lr has {len(swa_lr)} values, param_groups has {len(groups)}."
                )
        else:
            swa_lr = [swa_lr] * len(groups)
        for group, value in zip(groups, swa_lr, strict=True):
            group["swa_lr"] = value.clone() if isinstance(value, Tensor) else value
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """How much of ``swa_lr`` there is after a number of steps."""
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        values = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            values.append(goal * share + start * (1 - share))
        return values


__getattr__, __dir__ = lazy_names(__name__)
