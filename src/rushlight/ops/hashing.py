"""hash_tensor, and nonzero with a size that is known before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend.hashing import xor_sum
from ..base import dtypes
from ..base.arguments import type_name
from .out import write_out
from .public import axes_of, methods, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

op("hash_tensor", xor_sum, inputs="x")
op("nonzero_static", lambda x, size, fill: _nonzero(x, size, fill), inputs="x")


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


def _nonzero(x: np.ndarray[Any, Any], size: int, fill: int) -> np.ndarray[Any, Any]:
    found = np.stack(np.nonzero(x), 1) if x.ndim else np.empty((int(bool(x)), 0), np.int64)
    out = np.full((size, x.ndim), fill, np.int64)
    count = min(size, len(found))
    out[:count] = found[:count]
    return out


@public(method=False, out=False)
def nonzero_static(input: Any, *, size: int, fill_value: int = -1, out: Any = None) -> Tensor:
    """The first ``size`` rows of :func:`nonzero`, followed by rows of ``fill_value`` if there are not as many.

    >>> import rushlight as torch
    >>> torch.nonzero_static(torch.tensor([0, 3]), size=2)
    tensor([[ 1],
            [-1]])
    """
    for label, value in (("size", size), ("fill_value", fill_value)):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"nonzero_static(): argument '{label}' must be int, not {type_name(value)}")
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if out is None:
        return ops.nonzero_static(input, int(size), int(fill_value))
    if out._array.dtype != np.int64:
        raise RuntimeError(
            "nonzero_static: Expected out tensor to have scalar type Long but got scalar type"
            f"{dtypes.of(out._array.dtype).scalar_name}"
        )
    return write_out(ops.nonzero_static, "nonzero_static", out, (input, int(size), int(fill_value)), {})


def _method(self: Any, *, size: int, fill_value: int = -1) -> Any:
    return nonzero_static(self, size=size, fill_value=fill_value)


_method.__name__, _method.__doc__ = "nonzero_static", nonzero_static.__doc__
methods["nonzero_static"] = _method
