"""hash_tensor: the bits of all elements in one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend.hashing import xor_sum
from ..base import dtypes
from .public import axes_of, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("hash_tensor", xor_sum, inputs="x")


@public()
def hash_tensor(input: Any, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or of all elements' bits, each as a 64-bit number; over all dimensions or those named.

    Only mode 0 exists. Raises NotImplementedError for complex numbers, RuntimeError and IndexError where there is nothing.

    >>> import rushlight as torch
    >>> torch.hash_tensor(torch.tensor([1, 2, 4])).item()
    7
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    shape = input._array.shape
    axes = axes_of(dim, len(shape))
    if not input._array.size:
        if dim is None or (isinstance(dim, (tuple, list)) and not dim):
            raise RuntimeError(
                "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
                "the 'dim' argument."
            )
        for axis in axes:
            if not shape[axis]:
                raise IndexError(f"hash_tensor: Expected reduction dim {axis} to have non-zero size.")
    if input._array.dtype.kind == "c":
        name = dtypes.of(input._array.dtype).scalar_name
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{name}'")
    return ops.hash_tensor(input, axes, keepdim)
