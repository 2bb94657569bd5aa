"""torch._C: the few names of PyTorch's compiled core that Python code in the wild reaches for."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight.autograd import engine, modes
from rushlight.autograd.delayed_error import DelayedError, Error
from rushlight.autograd.function import Function
from rushlight.autograd.gradient_edges import is_awaited
from rushlight.autograd.modes import is_grad_enabled
from rushlight.autograd.nodes import AccumulateGrad, Node
from rushlight.autograd.views import CopySlices
from rushlight.base.public_names import registry
from rushlight.base.size import Size
from rushlight.nn import functional
from rushlight.nn.modules.conversion import parse_to
from rushlight.operators.fallback import BelowAutograd as _AutoDispatchBelowAutograd
from rushlight.operators.fallback import mode as _get_autograd_fallback_mode
from rushlight.operators.fallback import set_mode as _set_autograd_fallback_mode
from rushlight.ops.table import table
from rushlight.overrides import DisableTorchFunction, DisableTorchFunctionSubclass, _disabled_torch_function_impl
from rushlight.overrides.torch_function import switches
from rushlight.random import Generator
from rushlight.storage import StorageBase
from rushlight.tensor import Tensor, _TensorMeta
from rushlight.transforms import dynamic_layers

from . import _autograd, _functorch, _profiler, jit_switches
from ._streams import DeviceObjType, Stream
from .dispatch_keys import DispatchKey, DispatchKeySet, _dispatch_tls_local_exclude_set, _ExcludeDispatchKeyGuard
from .function_modes import (
    _get_function_stack_at,
    _get_torch_function_state,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
    _pop_torch_function_stack,
    _push_on_torch_function_stack,
    _TorchFunctionState,
)
from .jit_switches import *  # noqa: F403

__all__ = [
    *jit_switches.__all__,
    "DeviceObjType",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "Generator",
    "Size",
    "StorageBase",
    "Stream",
    "TensorBase",
    "_TensorBase",
    "Value",
    "_ExcludeDispatchKeyGuard",
    "_TorchFunctionState",
    "_WeakTensorRef",
    "_add_cached_tensor",
    "_are_functorch_transforms_active",
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_disabled_torch_function_impl",
    "_dispatch_tls_local_exclude_set",
    "_functions",
    "_functorch",
    "_get_function_stack_at",
    "_get_torch_function_state",
    "_get_tracing_state",
    "_is_cached_tensor",
    "_is_torch_function_enabled",
    "_is_torch_function_mode_enabled",
    "_is_tracing",
    "_len_torch_function_stack",
    "_log_api_usage_once",
    "_pop_torch_function_stack",
    "_profiler",
    "_push_on_torch_function_stack",
    "_remove_cached_tensor",
    "_set_cached_tensors_enabled",
    "_set_grad_enabled",
    "_will_engine_execute_node",
    "has_lapack",
    "is_grad_enabled",
]

TensorBase = _TensorBase = Tensor
has_lapack = True  # NumPy brings one


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


class _Functions:
    """The classes of nodes by their names."""

    AccumulateGrad = AccumulateGrad
    CopySlices = CopySlices
    DelayedError = DelayedError
    Error = Error
    UndefinedGrad = UndefinedGrad

    def __getattr__(self, name: str) -> type[Node]:
        for op in table.values():
            if op.node_name == name:
                return op.node_class
        raise AttributeError(f"module 'torch._C._functions' has no attribute {name!r}")


_functions = _Functions()


# Questions to the backward pass that runs now.


def _current_autograd_node() -> Node | None:
    """The node whose backward is running in this thread."""
    return engine.recording_node()


def _current_graph_task_id() -> int:
    """The number of the backward pass that is running in this thread: -1 where none is."""
    return -1 if modes.state.task is None else modes.state.task.id


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the backward pass that is running executes a node."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = modes.state.task
    if task is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return is_awaited(node, task)


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes of the backward pass that is running, in the order in which they run."""
    task = modes.state.task
    if task is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if modes.state.multithreading:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n"
            "...     torch.autograd.grad(...)\n"
        )
    return task.execution_order()


class _WeakTensorRef:
    """Knows whether a tensor still lives, without keeping it alive."""

    def __init__(self, tensor: Tensor) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        return self._reference() is None


_cached: dict[int, weakref.ref[Tensor]] = {}


def _set_cached_tensors_enabled(enabled: bool) -> None:
    """Switches off, or on, the remembering of cached tensors."""
    if not enabled:
        _cached.clear()


def _add_cached_tensor(tensor: Tensor) -> None:
    """Remembers a tensor as one that is kept for use again and again."""
    _cached[id(tensor)] = weakref.ref(tensor)


def _remove_cached_tensor(tensor: Tensor) -> None:
    """Forgets it."""
    _cached.pop(id(tensor), None)


def _is_cached_tensor(tensor: Tensor) -> bool:
    """Whether a tensor is remembered."""
    reference = _cached.get(id(tensor))
    return reference is not None and reference() is tensor


def _is_torch_function_enabled() -> bool:
    """Whether subclasses are asked about calls."""
    return not (switches.subclasses_off or switches.all_off)


def _get_tracing_state() -> None:
    """Nothing is ever traced."""


def _is_tracing() -> bool:
    """False: nothing is ever traced."""
    return False


def _log_api_usage_once(event: str) -> None:
    """Nothing is ever logged."""


def _set_grad_enabled(mode: bool) -> None:
    """Switches recording on or off in this thread."""
    modes.switched(bool(mode))


_shows_fallback_warnings = False


def _debug_only_display_vmap_fallback_warnings(enabled: bool) -> None:
    """Kept and answered: :func:`torch._C._functorch._set_vmap_fallback_warning_enabled` is what makes ``vmap`` warn."""
    global _shows_fallback_warnings
    _shows_fallback_warnings = bool(enabled)


def _debug_only_are_vmap_fallback_warnings_enabled() -> bool:
    return _shows_fallback_warnings


class Value:
    """A value of a TorchScript program: there are none. For annotations."""


class ScriptMethod:
    """A method of a scripted module: there are none. Libraries ask whether theirs is one."""


class _NeuralFunctions:
    """The functions of torch.nn.functional, where PyTorch's compiled core has those that it wraps."""

    def __getattr__(self, name: str) -> Any:
        if name == "log_sigmoid":
            return functional.logsigmoid
        return parse_to if name == "_parse_to" else getattr(functional, name)


class _NativeFunctions:
    """The functions of torch.linalg, torch.fft or torch.special, by the names in PyTorch's compiled core: ``linalg_det``."""

    def __init__(self, space: str) -> None:
        self._space = space

    def __getattr__(self, name: str) -> Any:
        start = f"{self._space}_"
        if not name.startswith(start):
            raise AttributeError(f"module 'torch._C._{self._space}' has no attribute {name!r}")
        return registry[f"torch.{self._space}"][name.removeprefix(start)]


_nn = _NeuralFunctions()
_linalg, _fft, _special = map(_NativeFunctions, ("linalg", "fft", "special"))


def _are_functorch_transforms_active() -> bool:
    """Whether a function transform is running."""
    return bool(dynamic_layers.state.stack)


def _set_fwd_grad_enabled(mode: bool) -> None:
    """Switches the passing on of tangents off or on in this thread."""
    modes.state.forward_enabled = bool(mode)


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are passed on."""
    return modes.state.forward_enabled
