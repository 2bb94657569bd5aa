"""torch.utils._device: the device of new tensors, as libraries set it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import rushlight as torch

F = TypeVar("F", bound=Callable[..., Any])
DeviceContext = torch.device  # which is entered by itself: `with torch.device("cpu"):`


def device_decorator(device: Any, func: F) -> F:
    """A function that makes its tensors on a device.

    >>> import rushlight as torch
    >>> from rushlight.utils._device import device_decorator
    >>> device_decorator(torch.device("meta"), torch.get_default_device)()
    device(type='meta')
    """

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with device() if callable(device) else device:
            return func(*args, **kwargs)

    return call  # type: ignore[return-value]


def set_device(device: Any) -> Callable[[F], F]:
    """:func:`device_decorator` as a decorator: ``@set_device("cpu")``."""
    return lambda func: device_decorator(torch.device(device), func)
