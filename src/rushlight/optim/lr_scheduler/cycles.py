"""Schedules that go up and down."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, per_group, set_option

_MODES = ("triangular", "triangular2", "exp_range")


def _set_momentum(group: dict[str, Any], value: Any) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _check_momentum(optimizer: Optimizer) -> bool:
    """Whether momentum is the first of two betas; ValueError where there is none of either kind."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


class CyclicLR(LRScheduler):
    """From ``base_lr`` to ``max_lr`` and back, over and over; momentum goes the other way.

    ``mode``: every cycle as high as the first (``triangular``), half as high as the last (``triangular2``), or
    ``gamma ** step`` as high (``exp_range``); ``scale_fn`` says it otherwise, of the cycle or of the step (``scale_mode``).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], Any] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", base_lr, optimizer)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, base_lrs, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = per_group("max_lr", max_lr, optimizer)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in _MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = ("iterations" if mode == "exp_range" else "cycle") if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _check_momentum(optimizer)
            self.base_momentums = per_group("base_momentum", base_momentum, optimizer)
            self.max_momentums = per_group("max_momentum", max_momentum, optimizer)
            if last_epoch == -1:
                for group, most, least in zip(optimizer.param_groups, self.max_momentums, self.base_momentums, strict=True):
                    _set_momentum(group, most)
                    group["max_momentum"] = most
                    group["base_momentum"] = least
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    @property
    def _scale_fn_ref(self) -> Callable[[Any], float]:
        """The function of the mode, where none was given."""
        if self._scale_fn_custom is not None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute '_scale_fn_ref'")
        return self.scale_fn

    def scale_fn(self, x: Any) -> float:
        """How high a cycle (or a step) goes, from 0 to 1."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        way = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ranges = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, least, most in ranges:
                _set_momentum(group, most - (most - least) * way * scale)
        return [base + (most - base) * way * scale for base, most in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """A function ``scale_fn`` is left out; of another callable its attributes are kept."""
        state = super().state_dict()
        custom = state.pop("_scale_fn_custom")
        plain = custom is None or isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else dict(custom.__dict__)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        attributes = state_dict.get("_scale_fn_custom")
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a wave of the cosine down to ``eta_min`` in ``T_0`` epochs, then from the top in ``T_mult`` times as many.

    ``step(epoch)`` takes fractions of an epoch too.
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Goes to the next epoch, or to a given one, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._find(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(values)

    def _find(self, epoch: Any) -> None:
        """Where in which wave an epoch lies."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            waves = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**waves - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**waves


class OneCycleLR(LRScheduler):
    """Up from ``max_lr / div_factor`` to ``max_lr``, then down to a ``final_div_factor``-th of the first; once.

    ``total_steps``, or ``epochs`` and ``steps_per_epoch``, say how long; ``pct_start`` which part of it goes up.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        tops = per_group("max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for group, top in zip(optimizer.param_groups, tops, strict=True):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _check_momentum(optimizer)
            most = per_group("max_momentum", max_momentum, optimizer)
            least = per_group("base_momentum", base_momentum, optimizer)
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, most, least, strict=True):
                    _set_momentum(group, high)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, part: float) -> Any:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin = 0.0
        phase = self._schedule_phases[0]
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        part = (step - begin) / (phase["end_step"] - begin)
        values = []
        for group in self.optimizer.param_groups:
            values.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._anneal_func(start, end, part))
        return values


def _total(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    """How many steps a cycle has; ValueError where nothing, or nothing sensible, says so."""
    if total_steps is None and (epochs is None or steps_per_epoch is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    if total_steps is not None:
        given = {"total_steps": total_steps}
    else:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    for name, value in given.items():
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def _phases(total: int, part: float, three: bool) -> list[dict[str, Any]]:
    """The stretches of a cycle: where each ends, and between which options of a group it goes."""

    def phase(end: float, lr: tuple[str, str], momentum: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end,
            "start_lr": lr[0],
            "end_lr": lr[1],
            "start_momentum": momentum[0],
            "end_momentum": momentum[1],
        }

    up = phase(float(part * total) - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three:
        return [up, phase(total - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [
        up,
        phase(float(2 * part * total) - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
        phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]
