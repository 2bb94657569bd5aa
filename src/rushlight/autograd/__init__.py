"""torch.autograd: the graph, the backward pass, and what users call to start it."""

from importlib import import_module
from typing import Any

from ..base.missing_names import lazy_names
from . import anomaly_mode, function, grad_mode, tensor_methods
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import (
    _force_original_view_tracking,
    _unsafe_preserve_version_counter,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    is_view_replay_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradients import _calculate_shape, backward, grad
from .saved_attributes import SavedTensor

__path__.append(f"{__path__[0]}/../compat/autograd")  # what it has beside the engine lies there, and is imported from here
_lazy, __dir__ = lazy_names(
    __name__,
    frozenset(
        "_functions forward_ad functional gradcheck graph profiler profiler_legacy profiler_util".split(),
    ),
    {
        "Variable": "variable",
        "gradgradcheck": "gradcheck",
        **dict.fromkeys("DeviceType ProfilerActivity ProfilerState".split(), "profiler"),
        **dict.fromkeys(
            "kineto_available _profiler_enabled _record_function_with_args_enter _record_function_with_args_exit".split(),
            "profiler",
        ),
    },
)


def __getattr__(name: str) -> Any:
    if name == "torch":
        return import_module(__name__.rpartition(".")[0])
    return _lazy(name)


__all__ = [
    "Function",
    "Variable",
    "_calculate_shape",
    "_force_original_view_tracking",
    "_unsafe_preserve_version_counter",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "function",
    "grad",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
