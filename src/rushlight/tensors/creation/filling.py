"""Tensors filled in place: along the diagonal, or element by element by a Python function."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from ...autograd import overlaps, views
from ...backend.numpy import Array
from ...base.dtypes import FLOATING, INTEGRAL
from ...ops.publishing import method
from ...tensor import Tensor
from ..arguments import type_name


@method
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Sets the diagonal of a matrix, or of a tensor with more dimensions of one size.

    ``wrap``: a tall matrix's diagonal begins again below a row that it leaves out.

    >>> import rushlight as torch
    >>> torch.zeros(2, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.]])
    """
    shape = self._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step = sum(self.stride())
    self.as_strided((min(shape),), (step,), self.storage_offset()).fill_(fill_value)
    rows, columns = shape[0], shape[1]
    if wrap and len(shape) == 2 and rows > columns + 1:
        below = self.storage_offset() + self.stride(0) * (columns + 1)
        count = -(-(rows * columns - (columns + 1) * columns) // (columns + 1))
        self.as_strided((count,), (step,), below).fill_(fill_value)
    return self


@method
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces each element by ``callable(element)``: slow, for experiments."""
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    return _replace(self, "apply_", callable)


@method
def map_(self: Tensor, tensor: Any, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces each element by ``callable(element, that of tensor)``."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"map_(): argument 'other' (position 1) must be Tensor, not {type_name(tensor)}")
    _check_no_gradient("map_", self, tensor)
    if tensor.dtype is not self.dtype:
        raise TypeError(f"map_: expected {self.type()} for 'other' (got {tensor.type()})")
    return _replace(self, "map_", callable, tensor)


@method
def map2_(self: Tensor, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replaces each element by ``callable(element, that of x, that of y)``.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> x.map2_(x, torch.tensor([2.0, 3.0]), lambda own, one, other: own + one * other)
    tensor([3., 4.])
    """
    for position, (name, value) in enumerate((("x", x), ("y", y)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(f"map2_(): argument '{name}' (position {position}) must be Tensor, not {type_name(value)}")
    _check_no_gradient("map2_", self, x, y)
    for name, value in (("x", x), ("y", y)):
        if value.dtype is not self.dtype:
            raise TypeError(f"map2_: expected {self.type()} for argument '{name}' (got {value.type()})")
    return _replace(self, "map2_", callable, x, y)


def _check_no_gradient(name: str, *tensors: Tensor) -> None:
    if any(tensor.requires_grad for tensor in tensors):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


def _replace(self: Tensor, name: str, callable: Callable[..., object], *others: Any) -> Tensor:
    """Writes ``callable(element, those of others)``. TypeError for what is no number of the tensor's kind."""
    arrays = [self._array, *(other.expand(self._array.shape)._array for other in others)]
    if overlaps.overlaps_itself(self._array):  # each element sees what was written before
        for place in np.ndindex(self._array.shape):
            self._array[place] = _numbers(self, [callable(*(one[place].item() for one in arrays))])[0]
        views.bump(self, name)
        return self
    values = [callable(*each) for each in zip(*(one.ravel().tolist() for one in arrays), strict=True)]
    views.write(self, _numbers(self, values).reshape(self._array.shape), name)
    return self


def _numbers(self: Tensor, values: list[Any]) -> Array:
    rank = self.dtype.kind_rank
    if rank == FLOATING:
        values = list(array("d", values))
    elif rank == INTEGRAL:
        values = [int(value) if isinstance(value, float) else index(value) for value in values]
    return np.array(values).astype(self._array.dtype)
