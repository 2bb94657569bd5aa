"""Gradients held to a size."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import rushlight as torch

from ...tensor import Tensor


def _listed(parameters: Any) -> list[Tensor]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def get_total_norm(
    tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors' elements together; RuntimeError if asked for and not finite."""
    tensors, order = _listed(tensors), float(norm_type)
    with torch.no_grad():
        norms = [torch.linalg.vector_norm(tensor, order) for tensor in tensors]
        if not norms:
            return torch.tensor(0.0)
        total: Tensor = torch.linalg.vector_norm(torch.stack(norms), order)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales gradients, whose norm is known, down to ``max_norm``."""
    parameters = [one for one in _listed(parameters) if one.grad is not None]
    most = float(max_norm)
    if not parameters:
        return
    factor = (most / (total_norm + 1e-6)).clamp(max=1.0)
    with torch.no_grad():
        for parameter in parameters:
            parameter.grad.mul_(factor)


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients so that their norm together is at most ``max_norm``; returns what it was.

    >>> import rushlight as torch
    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_(w, 1.0)
    tensor(5.)
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    parameters = _listed(parameters)
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old spelling of :func:`clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Holds every element of the gradients within ``clip_value`` of 0; RuntimeError where no parameter has one, as in PyTorch."""
    most = float(clip_value)
    grads = [parameter.grad for parameter in _listed(parameters) if parameter.grad is not None]
    if not grads:
        raise RuntimeError("Expected !nested_tensorlist[0].empty() to be true, but got false.")
    with torch.no_grad():
        for grad in grads:
            grad.clamp_(-most, most)
