"""Matrices of indices and of powers: tril_indices, triu_indices and vander."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import dtypes
from ...ops.public import registry
from ...ops.publishing import published
from ...tensor import Tensor
from ..arguments import integer, options, type_name
from .allocation import finished


def _triangle(
    name: str,
    row: Any,
    col: Any,
    offset: Any,
    dtype: Any,
    device: Any,
    layout: Any,
    pin_memory: Any,
    select: Callable[..., tuple[Any, ...]],
) -> Tensor:
    numpy_type = options(name, dtype, layout, device, False, pin_memory, dtypes.int64)
    rows, columns = integer(name, "row", 1, row), integer(name, "col", 2, col)
    if dtypes.of(numpy_type) not in (dtypes.int32, dtypes.int64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.of(numpy_type).scalar_name}'")
    for label, count in (("row", rows), ("col", columns)):
        if count < 0:
            raise RuntimeError(f"{label} must be non-negative, got{count}")
    return finished(np.stack(select(rows, integer(name, "offset", 3, offset), columns)).astype(numpy_type))


@published
def tril_indices(
    row: Any,
    col: Any,
    offset: Any = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the elements on and below a diagonal of a ``row`` by ``col`` matrix.

    >>> import rushlight as torch
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", row, col, offset, dtype, device, layout, pin_memory, np.tril_indices)


@published
def triu_indices(
    row: Any,
    col: Any,
    offset: Any = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the elements on and above a diagonal of a ``row`` by ``col`` matrix."""
    return _triangle("triu_indices", row, col, offset, dtype, device, layout, pin_memory, np.triu_indices)


@published
def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """Powers of the elements of ``x``, one row for each, N (as many as elements) columns.

    >>> import rushlight as torch
    >>> torch.vander(torch.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"vander(): argument 'x' (position 1) must be Tensor, not {type_name(x)}")
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = len(x) if N is None else integer("vander", "N", 2, N)
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    torch = registry["torch"]
    result = torch["ones"](len(x), count, dtype=dtypes.int64 if x.dtype.kind_rank < dtypes.FLOATING else x.dtype)
    if count > 1:
        powers = torch["cumprod"](x.unsqueeze(-1).expand(len(x), count - 1), -1)
        result = torch["cat"]([result[:, :1], powers], 1)
    elif count == 0:
        return result
    return result if increasing else torch["flip"](result, (1,))
