"""torch._utils: the functions that pickled tensors name; what libraries ask of devices."""

from __future__ import annotations

from types import ModuleType

import rushlight as torch
from rushlight.base import dtypes
from rushlight.tensors.rebuilding import (
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_sparse_tensor,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
)

__all__ = [
    "_element_size",
    "_get_available_device_type",
    "_get_device_module",
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_sparse_tensor",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_rebuild_tensor_v3",
]


def _element_size(dtype: dtypes.dtype) -> int:
    """The bytes that one element takes."""
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _get_available_device_type() -> None:
    """The kind of accelerator that is there: None."""
    return


def _get_device_module(device_type: str) -> ModuleType:
    """The module of a kind of device, ``torch.cpu`` say. RuntimeError where there is none."""
    found = getattr(torch, device_type, None)
    if not isinstance(found, ModuleType):
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'.")
    return found
