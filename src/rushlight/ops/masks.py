"""Ops that read and write where a mask is true, and where elements are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import views
from ..backend import index as k
from . import dispatch
from .public import ops, public
from .table import op

op("masked_select", k.masked_select, inputs="mask", kind="linear",
   x=lambda g, xp, x_shape, mask: xp.masked_select_adjoint(g, mask, x_shape))  # fmt: skip
op("masked_select_adjoint", k.masked_select_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask: xp.masked_select(g, mask))  # fmt: skip
op("masked_scatter", k.masked_scatter, inputs="mask", kind="linear",
   x=lambda g, xp, mask: xp.masked_scatter(g, xp.full_like_shape(g, g.shape), mask),
   source=lambda g, xp, mask, source_shape: xp.masked_scatter_adjoint(g, mask, source_shape))  # fmt: skip
op("masked_scatter_adjoint", k.masked_scatter_adjoint, inputs="mask", kind="linear",
   g=lambda g, xp, mask, g_shape: xp.masked_scatter(xp.full_like_shape(g, g_shape), g, mask))  # fmt: skip


@public()
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where a mask is true, as a vector."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    error = dispatch.broadcast_error([input._array.shape, mask._array.shape])
    if error is not None:
        raise error
    return ops.masked_select(input, mask)


@public(inplace=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy with elements of ``source``, in order, where a mask is true."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    if source._array.dtype != input._array.dtype:
        raise RuntimeError(
            "masked_scatter_: expected self and source to have same dtypes but got "
            f"{views.type_word(input._array.dtype)} and {views.type_word(source._array.dtype)}"
        )
    return ops.masked_scatter(input, source, mask)


@public(out=True)
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Where elements are not zero: one row of indices each, or a tuple of vectors."""
    found = np.nonzero(input._array) if input._array.ndim else np.nonzero(input._array.reshape(1))
    if as_tuple:
        return tuple(dispatch.new_tensor(one) for one in found)
    if not input._array.ndim:
        return dispatch.new_tensor(np.empty((len(found[0]), 0), np.int64))
    return dispatch.new_tensor(np.stack(found, 1) if found else np.empty((0, 0), np.int64))


@public(out=False)
def argwhere(input: Any) -> Any:
    """Where elements are not zero, one row of indices each."""
    return nonzero(input)


@public(method=False, out=False)
def unravel_index(indices: Any, shape: Any) -> Any:
    """Flat indices as a tuple of indices for each dimension."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (int(shape),)
    found = np.unravel_index(indices._array, sizes)
    return tuple(dispatch.new_tensor(np.asarray(one)) for one in found)
