"""torch._C: the few names of PyTorch's compiled core that Python code in the wild reaches for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .autograd import modes
from .autograd.function import Function
from .overrides import DisableTorchFunction, DisableTorchFunctionSubclass, _disabled_torch_function_impl
from .random import Generator
from .size import Size
from .tensor import Tensor

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Size",
    "TensorBase",
    "_disabled_torch_function_impl",
    "_functions",
    "_get_tracing_state",
    "_is_torch_function_enabled",
    "_log_api_usage_once",
    "_set_grad_enabled",
]

TensorBase = Tensor


class _Undefined(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        views = tuple(one.view_as(one) for one in tensors)
        return views[0] if len(views) == 1 else views

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return tuple(None for _ in ctx.needs_input_grad)


class UndefinedGrad:
    """Called with tensors, gives them back without a gradient to come: what a backward gets as None."""

    def __call__(self, *tensors: Any) -> Any:
        return _Undefined.apply(*tensors)


_functions = SimpleNamespace(UndefinedGrad=UndefinedGrad)


def _is_torch_function_enabled() -> bool:
    """Whether subclasses are asked about calls."""
    from .overrides import _state

    return not (_state.subclasses_off or _state.all_off)


def _get_tracing_state() -> None:
    """Nothing is ever traced."""


def _log_api_usage_once(event: str) -> None:
    """Nothing is ever logged."""


def _set_grad_enabled(mode: bool) -> None:
    """Switches recording on or off in this thread."""
    modes.state.grad_enabled = bool(mode)
