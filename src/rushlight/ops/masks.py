"""Ops that read and write where a mask is true, and where elements are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.rule_errors import broadcast_error
from ..backend import index as k
from ..base import dtypes
from ..base.arguments import type_name
from ..tensor import Tensor, new_tensor
from .out import write_out
from .parameters import is_index
from .public import methods, ops, public, warn
from .shape import expand
from .table import op

op("masked_select", k.masked_select, inputs="mask", kind="linear",
   # Of x the shape would do, but as in PyTorch a write into it is an error.
   x=lambda g, xp, x, mask: xp.masked_select_adjoint(g, mask, x.shape))  # fmt: skip
op("masked_select_adjoint", k.masked_select_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask: xp.masked_select(g, mask))  # fmt: skip
op("masked_scatter", k.masked_scatter, inputs="mask", kind="linear",
   x=lambda g, xp, mask: xp.masked_scatter(g, xp.full_like_shape(g, g.shape), mask),
   source=lambda g, xp, mask, source_shape: xp.masked_scatter_adjoint(g, mask, source_shape))  # fmt: skip
op("masked_scatter_adjoint", k.masked_scatter_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask, g_shape: xp.masked_scatter(xp.full_like_shape(g, g_shape), g, mask))  # fmt: skip
op("nonzero_static", lambda x, size, fill: _nonzero(x, size, fill), inputs="x")


@public()
def masked_select(input: Any, mask: Any) -> Tensor:
    """The elements where a mask is true, as a vector."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    error = broadcast_error([input._array.shape, mask._array.shape])
    if error is not None:
        raise error
    return ops.masked_select(input, mask)


def _filled(input: Tensor, mask: Tensor, source: Tensor, shape: tuple[int, ...] | None = None) -> Tensor:
    """What ``masked_scatter_`` writes; of another shape than ``input`` where that is spread."""
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{input.dtype.scalar_name} and {source.dtype.scalar_name}"
        )
    shape = input._array.shape if shape is None else shape
    if mask._array.shape != shape:
        mask = expand(mask, shape)
    if mask._array.dtype == np.uint8:
        warn(
            "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with "
            "dtype torch.bool instead."
        )
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype.scalar_name}")
    return ops.masked_scatter(input, source, mask)


@public(inplace=_filled)
def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    """A copy with elements of ``source``, in order, where a mask is true."""
    shapes = [mask._array.shape, input._array.shape]
    mismatch = broadcast_error(shapes)
    if mismatch is not None:
        raise mismatch
    return _filled(input, mask, source, np.broadcast_shapes(*shapes))


@public(out=False)
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Where elements are not zero: one row of indices each, or a tuple of vectors."""
    if out is not None:
        if not isinstance(out, Tensor):
            raise TypeError(f"nonzero(): argument 'out' must be Tensor, not {type(out).__name__}")
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if out._array.dtype != np.int64:
            raise RuntimeError(
                f"nonzero: Expected out tensor to have scalar type Long but got scalar type{out.dtype.scalar_name}"
            )
        return write_out(nonzero, "nonzero", out, (input,), {})
    if as_tuple:
        return ops.unbind(_nonzero_by_element(input if input._array.ndim else ops.expand_dims(input, 0)), 1)
    return _nonzero_by_element(input)


def _nonzero_by_element(input: Tensor) -> Tensor:
    found = k.nonzero(np.atleast_1d(input._array))
    if not input._array.ndim:
        return new_tensor(np.empty((len(found[0]), 0), np.int64))
    return new_tensor(np.array(found).T if found else np.empty((0, 0), np.int64))


@public(out=False)
def argwhere(input: Any) -> Tensor:
    """Where elements are not zero, one row of indices each."""
    return nonzero(input)


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
        if not is_index(value):
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


def _nonzero_static(self: Any, *, size: int, fill_value: int = -1) -> Any:
    return nonzero_static(self, size=size, fill_value=fill_value)


_nonzero_static.__name__, _nonzero_static.__doc__ = "nonzero_static", nonzero_static.__doc__
methods["nonzero_static"] = _nonzero_static


@public(method=False, out=False)
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Flat indices as a tuple of indices for each dimension; those beyond the shape go around.

    TypeError for indices that are no integers and for a shape that is none, ValueError for negative sizes.

    >>> import rushlight as torch
    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    array = indices._array
    if array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    if 0 in sizes and array.size:
        raise RuntimeError("ZeroDivisionError")
    result, step = [], 1
    for size in reversed(sizes):
        result.append(new_tensor(np.asarray(array.astype(np.int64) // step % max(size, 1))))
        step *= size
    return tuple(reversed(result))
