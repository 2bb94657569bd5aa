"""torch.autograd: the graph, the backward pass, and what users call to start it."""

from typing import Any

from ..missing import module_getattr
from . import function, graph
from .function import Function
from .gradients import backward, grad
from .modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .variable import Variable

_lazy = module_getattr(
    __name__,
    frozenset(
        "anomaly_mode forward_ad functional grad_mode gradcheck profiler profiler_legacy profiler_util".split(),
    ),
    {
        **dict.fromkeys("DeviceType ProfilerActivity ProfilerState".split(), "profiler_kinds"),
        **dict.fromkeys(
            "kineto_available _profiler_enabled _record_function_with_args_enter _record_function_with_args_exit".split(),
            "profiler",
        ),
    },
)


def __getattr__(name: str) -> Any:
    if name == "gradgradcheck":
        from .gradcheck import gradgradcheck

        return gradgradcheck
    return _lazy(name)


__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
