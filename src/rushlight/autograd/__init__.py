"""torch.autograd: the graph, the backward pass, and what users call to start it."""

from . import graph
from .gradients import backward, grad
from .modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

__all__ = [
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
