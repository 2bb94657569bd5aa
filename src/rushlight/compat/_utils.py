"""torch._utils: the functions that pickled tensors name; what libraries ask of devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType

import rushlight as torch
from rushlight.base import dtypes
from rushlight.nn.parameter import _rebuild_parameter, _rebuild_parameter_with_state
from rushlight.sparse.creation import _rebuild_sparse_tensor
from rushlight.tensors.rebuilding import (
    _rebuild_meta_tensor_no_storage,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_wrapper_subclass,
)

__all__ = [
    "_element_size",
    "_flatten_dense_tensors",
    "_get_available_device_type",
    "_get_device_module",
    "_rebuild_meta_tensor_no_storage",
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_sparse_tensor",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_rebuild_tensor_v3",
    "_rebuild_wrapper_subclass",
    "_take_tensors",
    "_unflatten_dense_tensors",
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


def _flatten_dense_tensors(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """All elements of tensors of one dtype, one after the other.

    >>> import rushlight as torch
    >>> torch._utils._flatten_dense_tensors([torch.zeros(1, 2), torch.ones(1)])
    tensor([0., 0., 1.])
    """
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: torch.Tensor, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Views of ``flat`` in the shapes of ``tensors``, from which it was flattened.

    >>> import rushlight as torch
    >>> torch._utils._unflatten_dense_tensors(torch.arange(3), [torch.zeros(1, 2), torch.ones(1)])
    (tensor([[0, 1]]), tensor([2]))
    """
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))


def _take_tensors(tensors: Iterable[torch.Tensor], size_limit: int) -> Iterator[list[torch.Tensor]]:
    """Lists of tensors of one type, each of ``size_limit`` bytes or little more; what is left over of each type comes last.

    >>> import rushlight as torch
    >>> [len(taken) for taken in torch._utils._take_tensors([torch.zeros(2), torch.ones(2), torch.ones(1)], 16)]
    [2, 1]
    """
    waiting: dict[str, list[torch.Tensor]] = {}
    bytes_of: dict[str, int] = {}
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        if kind in waiting and bytes_of[kind] + size > size_limit:
            yield waiting.pop(kind)
        if kind not in waiting:
            waiting[kind], bytes_of[kind] = [], 0
        waiting[kind].append(tensor)
        bytes_of[kind] += size
    yield from waiting.values()
