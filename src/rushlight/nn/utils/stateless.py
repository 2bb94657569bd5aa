"""Calling modules with other parameters, under its older name."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ...func.modules import call_with, replaced
from ..modules.module import Module

if TYPE_CHECKING:
    from ...tensor import Tensor


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Tensor:
    """As :func:`torch.func.functional_call`, which replaces it, with one dict.

    >>> import rushlight as torch
    >>> import warnings
    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.stateless.functional_call(layer, {"weight": torch.tensor([[2.0]])}, torch.tensor([3.0]))
    tensor([6.])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """:func:`functional_call` without its warning."""
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights, strict)


def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    *,
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Any:
    """A context in which a module has other parameters and buffers."""
    return replaced(module, parameters_and_buffers, tie_weights, strict)
