"""torch.utils._foreach_utils: how lists of tensors are sorted for functions that take many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "_get_foreach_kernels_supported_devices",
    "_get_fused_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype",
]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Kinds of devices on which PyTorch's optimizers take many tensors at once without being asked: none that is here."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Kinds of devices for which PyTorch's optimizers take ``fused=True``."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False
) -> dict[Any, tuple[list[list[Any]], list[int]]]:
    """Lists of one length by what the first list's tensors are: ``{(device, dtype): (lists, indices)}``.

    The indices are the tensors' places in the first list, where they are asked for. Other lists may hold None.

    >>> import rushlight as torch
    >>> from rushlight.utils._foreach_utils import _group_tensors_by_device_and_dtype
    >>> _group_tensors_by_device_and_dtype([[torch.ones(1), torch.tensor(2), torch.ones(2)]], with_indices=True)
    {(device(type='cpu'), torch.float32): ([[tensor([1.]), tensor([1., 1.])]], [0, 2]), (device(type='cpu'), torch.int64): ([[tensor(2)]], [1])}
    """
    groups: dict[Any, tuple[list[list[Any]], list[int]]] = {}
    for index, row in enumerate(zip(*tensorlistlist, strict=True)):
        lists, indices = groups.setdefault((row[0].device, row[0].dtype), ([[] for _ in row], []))
        for group, one in zip(lists, row, strict=True):
            group.append(one)
        if with_indices:
            indices.append(index)
    return groups
