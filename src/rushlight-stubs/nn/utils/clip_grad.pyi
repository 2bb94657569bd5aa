# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterable
from rushlight import Tensor
from typing import Any

def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """The old spelling of :func:`clip_grad_norm_`."""
    ...
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scales all gradients so that their norm together is at most ``max_norm``; returns what it was."""
    ...
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Holds every element of the gradients within ``clip_value`` of 0; RuntimeError where no parameter has one, as in PyTorch."""
    ...
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales gradients, whose norm is known, down to ``max_norm``."""
    ...
def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """The norm of all tensors' elements together; RuntimeError if asked for and not finite."""
    ...
