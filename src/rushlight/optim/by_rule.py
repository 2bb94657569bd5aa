"""Optimizers whose step is a rule for one parameter at a time.

A rule is plain arithmetic with in-place operators over a parameter, its gradient and its state. It is read over arrays,
with nothing of the graph in between; over Tensors where dtypes need it (bfloat16, half) or the step itself is to be
differentiated (``differentiable=True``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import numpy as np

import rushlight as torch

from ..autograd import grad_mode, mirrors, modes, overlaps
from ..autograd.saved_hooks import saved_tensors_hooks
from ..autograd.source_lines import here
from ..backend.interrupts import held
from ..base.errstate import silent
from ..ops.table import arrays, tensors
from ..tensor import Tensor
from .blocks import Array, Plan
from .optimizer import Optimizer

State = dict[str, Any]
Values = TypeVar("Values", Tensor, Array)
Group = dict[str, Any]  # a group of parameters and its options

_SPARSE = __name__.replace("optim.by_rule", "sparse.tensors")  # imported once there are sparse tensors


def number(value: Any) -> float:
    """An option that may be a tensor, as a Python number."""
    return value.item() if isinstance(value, Tensor) else value


def scalar_dtype() -> torch.dtype:
    """What numbers of a state are kept in: single precision, unless the default is double."""
    return torch.float64 if torch.get_default_dtype() is torch.float64 else torch.float32


class RuleOptimizer(Optimizer):
    """Subclasses define ``_start`` (a parameter's first state) and ``_rule``."""

    _counts: ClassVar[bool] = True  # whether the state holds a number of steps
    _scalars: ClassVar[tuple[str, ...]] = ("step",)  # states that are one number for the whole parameter
    _as_real: ClassVar[bool] = True  # whether complex numbers are taken as pairs
    _elementwise: ClassVar[bool] = True  # whether no element's step depends on another's; if not, the rule is for Tensors only
    _loop: ClassVar[str] = ""  # the compiled loop of the rule (kernels/native/steps.h), which has ``_numbers`` then
    _plans: dict[int, Plan]

    def _start(self, param: Tensor, group: Group) -> State:
        """The first state of a parameter, without its ``step``."""
        raise NotImplementedError

    def _rule(self, xp: Any, p: Any, g: Any, state: State, t: int, group: Group) -> None:
        """Changes ``p`` and the state in place; ``g`` may not be changed. ``t`` counts from 1."""
        raise NotImplementedError

    def _numbers(self, t: int, group: Group) -> tuple[tuple[float, ...], tuple[str, ...]]:
        """What the compiled loop of the rule wants: eight numbers, and the names of three states, "" where there is none."""
        raise NotImplementedError

    def _writes(self, group: Group) -> int:
        """How many writes of PyTorch's a step of a parameter is, which its version counts."""
        return 1

    def _ready(self, params: list[Tensor], group: Group) -> bool:
        """Whether all parameters can be stepped by the rule alone; if not, they go one by one."""
        return True

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._plans = {}
        for each in self.state.values():
            for name in self._scalars:  # as old state dicts have it
                if name in each and not isinstance(each[name], Tensor):
                    each[name] = torch.tensor(float(each[name]), dtype=scalar_dtype())

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step; ``closure``, if given, computes the loss and the gradients anew and is called first."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if _SPARSE in sys.modules:
            return held(self._step_densely, loss, here(sys._getframe(1)))
        return held(self._step, loss, here(sys._getframe(1)))

    def _step_densely(self, loss: Any, where: Any) -> Any:
        with self._gradients_made_dense():
            return self._step(loss, where)

    def _refusal_of_sparse(self, group: Group) -> str | None:
        """The error for a sparse gradient, None where one is as good as a dense one."""
        return f"{type(self).__name__} does not support sparse gradients"

    def _stepped_by_rows(self, param: Any, grad: Any, group: Group) -> bool:
        """Steps a parameter at the indices of its sparse gradient alone, where that is the same as the whole step."""
        return False

    @contextmanager
    def _gradients_made_dense(self) -> Iterator[None]:
        """A block in which the parameters with sparse gradients have dense ones."""
        kept = [
            (param, param._grad, group)
            for group in self.param_groups
            for param in group["params"]
            if param._grad is not None and not param._grad._strided
        ]
        for _, _, group in kept:
            refusal = self._refusal_of_sparse(group)
            if refusal is not None:
                raise RuntimeError(refusal)
        try:
            for param, g, group in kept:
                param._grad = None if self._stepped_by_rows(param, g, group) else g.to_dense()
            yield
        finally:
            for param, g, _ in kept:
                param._grad = g

    def _step(self, loss: Any, where: Any) -> Any:
        plans = self.__dict__.setdefault("_plans", {})
        for index, group in enumerate(self.param_groups):
            differentiable = bool(group.get("differentiable", False))
            params = [param for param in group["params"] if param._grad is not None]
            uncounted = [(param._counter, param._counter[0]) for param in params] if group.get("fused") else ()
            if self._elementwise and not differentiable and self._ready(params, group):
                plan = plans.get(index)
                if plan is None or not plan.holds(params, self.state):
                    plan = plans[index] = Plan(self, params, group)
                plan.run(self, group, where)
                params = plan.rest
            with grad_mode.set_grad_enabled(modes.state.grad_enabled and differentiable):
                for param in params:
                    self._step_one(param, param._grad, group, differentiable, where)
            for counter, version in uncounted:  # PyTorch's fused kernels write past autograd
                counter[0] = version
        return loss

    def _state_of(self, param: Tensor, group: Group) -> State:
        """The state of a parameter, made where there is none."""
        state = self.state.get(param)
        if not state:
            state = {"step": torch.zeros((), dtype=scalar_dtype())} if self._counts else {}
            state.update(self._start(param, group))
            if state:
                self.state[param] = state
        return state

    def _step_one(self, param: Any, grad: Any, group: Group, differentiable: bool, where: Any) -> None:
        state = self._state_of(param, group)
        t = 0
        if self._counts:
            count = state["step"]
            if isinstance(count, Tensor):
                count._array += 1
                t = int(count._array)
            else:  # as old state dicts have it
                state["step"] = t = count + 1
        if not group.get("fused"):  # kernels of their own do not look
            overlaps.check_memory(param)
        kind = param._array.dtype.char
        if differentiable:
            with saved_tensors_hooks(torch.clone, _itself):  # the rule goes on writing into what its operations saved
                self._step_tensors(param, grad, state, t, group)
            return
        if not self._elementwise or kind not in "fdFD" or param.is_meta:
            self._step_tensors(param, grad, state, t, group)
            return
        if self._as_real and kind in "FD":
            values = {
                name: real_pairs(value._array)
                if isinstance(value, Tensor) and value._array.dtype.kind == "c"
                else _opened(value)
                for name, value in state.items()
            }
            p, g = real_pairs(param._array), real_pairs(grad._array)
        else:
            values = {name: _opened(value) for name, value in state.items()}
            p, g = param._array, grad._array
        with silent():
            self._rule(arrays, p, -g if group.get("maximize") else g, values, t, group)
        for name, value in values.items():
            if not isinstance(value, np.ndarray) and name != "step":
                state[name] = value
        mirrors.count(param._counter, "step", where, self._writes(group))

    def _step_tensors(self, param: Any, grad: Any, state: State, t: int, group: Group) -> None:
        p, g = param, grad
        values: State = dict(state)
        if self._as_real and p.is_complex():
            p, g = torch.view_as_real(p), torch.view_as_real(g)
            for name, value in values.items():
                if isinstance(value, Tensor) and value.is_complex():
                    values[name] = torch.view_as_real(value)
        self._rule(tensors, p, -g if group.get("maximize") else g, values, t, group)
        for name, value in values.items():
            if not isinstance(value, Tensor):
                state[name] = value


def _itself(value: Any) -> Any:
    return value


def _opened(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value


def real_pairs(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of complex numbers as pairs of real ones."""
    return array[..., None].view(np.float32 if array.dtype.char == "F" else np.float64)


def sign(group: Group) -> float:
    """What a gradient is multiplied by before it is used."""
    return -1.0 if group.get("maximize") else 1.0


def like(param: Tensor, value: float = 0.0) -> Tensor:
    """A state of a parameter's shape, filled with one number."""
    return torch.full_like(param, value, memory_format=torch.preserve_format, requires_grad=False)


def decayed(p: Any, g: Any, group: Group) -> Any:
    """The gradient with weight decay added."""
    decay = number(group["weight_decay"])
    return plus(g, p, decay) if decay else g


def plus(x: Values, y: Values, factor: float) -> Values:
    """``x + factor * y``, of Tensors in half precision rounded once."""
    return torch.add(x, y, alpha=factor) if isinstance(x, Tensor) else x + factor * y


def add(x: Values, y: Values, factor: float) -> None:
    """``x += factor * y``, rounded as :func:`plus` does."""
    if isinstance(x, Tensor):
        x.add_(y, alpha=factor)
    else:
        x += factor * y


def add_product(x: Values, y: Values, z: Values, factor: float) -> None:
    """``x += factor * y * z``, rounded so too."""
    if isinstance(x, Tensor):
        x.addcmul_(y, z, value=factor)
    else:
        x += factor * y * z


def add_quotient(x: Values, y: Values, z: Values, factor: float) -> None:
    """``x += factor * y / z``, rounded so too."""
    if isinstance(x, Tensor):
        x.addcdiv_(y, z, value=factor)
    else:
        x += factor * y / z


def move(mean: Values, to: Values, share: float) -> None:
    """``mean += share * (to - mean)``, rounded so too."""
    if isinstance(mean, Tensor):
        mean.lerp_(to, share)
    else:
        mean += share * (to - mean)


def at_least_zero(**options: Any) -> None:
    """ValueError for the first option below zero."""
    for name, value in options.items():
        if not number(value) >= 0.0:
            raise ValueError(f"Invalid {WORDS.get(name, f'{name} value')}: {value}")


WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def check_lr(lr: Any) -> None:
    """ValueError for a learning rate that is no single number."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_betas(betas: Any) -> None:
    """ValueError for a share of the past that is not in [0, 1)."""
    for index in (0, 1):
        if not 0.0 <= number(betas[index]) < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")


def check_variants(foreach: Any, fused: Any, differentiable: bool, lr: Any, capturable: bool) -> None:
    """RuntimeError for ways of running that exclude each other; here all of them run the same."""
    if isinstance(lr, Tensor) and foreach and not capturable:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
