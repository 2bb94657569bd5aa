"""Grids and combinations of the elements of vectors."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from ..base.arguments import type_name
from ..tensor import Tensor, new_tensor
from .joining import stack
from .operands import check_tensors
from .public import public
from .shape import reshape


@public(method=False, out=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid: each vector expanded along the others' dimensions."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(indexing)}")
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.", stacklevel=3
        )
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if any(tensor._array.dtype != tensors[0]._array.dtype for tensor in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if any(tensor.is_meta != tensors[0].is_meta for tensor in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same device")
    for tensor in tensors:
        if tensor._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor}")
    swap = indexing == "xy" and len(tensors) > 1
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple(max(1, tensor._array.size) if not tensor._array.ndim else tensor._array.size for tensor in tensors)
    grids = []
    for place, tensor in enumerate(tensors):
        column = reshape(tensor, (1,) * place + (shape[place],) + (1,) * (len(shape) - place - 1))
        grids.append(column.expand(shape))
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@public(method=False, out=False)
def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element from each vector, as rows."""
    check_tensors(tensors)
    for tensor in tensors:
        if tensor._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return stack([reshape(grid, -1) for grid in grids], 1)


@public()
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of ``r`` elements of a vector, in order, as rows."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return new_tensor(np.empty(0, input._array.dtype))
    return stack([input[column] for column in _choices(input._array.size, r, with_replacement)], 1)


def _choices(size: int, r: int, with_replacement: bool) -> list[Tensor]:
    """All choices of ``r`` of so many places: the first ones of all, the second ones, and so on."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(size), r)), np.int64).reshape(-1, r)
    return [new_tensor(np.ascontiguousarray(column)) for column in rows.T]
