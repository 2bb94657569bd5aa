"""torch.autograd: the graph, the backward pass, and what users call to start it."""

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
)
from .variable import Variable

__getattr__ = module_getattr(__name__, frozenset({"forward_ad", "functional", "gradcheck", "profiler"}))
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
]
