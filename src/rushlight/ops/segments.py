"""segment_reduce: a reduction of each of several stretches of a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import segments as k
from ..base import dtypes
from ..tensor import Tensor, new_tensor
from .public import axis_of, module, ops, public
from .rule_functions import underivable
from .table import op

op("segment_reduce", k.reduce_segments, inputs="lengths",
   data=lambda g, xp, data, lengths, out, axis, reduce, initial: xp.segment_reduce_backward(
       g, data, out, lengths, axis, reduce, initial))  # fmt: skip
op("segment_reduce_backward", k.segment_reduce_backward, inputs="out lengths", node="NotImplemented",
   g=lambda g: underivable("_segment_reduce_backward"), data=lambda g: underivable("_segment_reduce_backward"))  # fmt: skip


@public(method=False, out=False)
def segment_reduce(
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """The 'sum', 'mean', 'max', 'min' or 'prod' of each segment of the dimension ``axis``.

    Segments are given by ``lengths``, or by ``offsets``: where each starts, and the end. For an ``axis`` other than 0 they
    have the dimensions before it too. ``initial`` is where each reduction starts.

    >>> import rushlight as torch
    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 3.])
    """
    axis = axis_of(axis, data._array.ndim)
    if reduce not in ("sum", "mean", "max", "min", "prod"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given, word = (lengths, "lengths") if offsets is None else (offsets, "offsets")
    if axis != given._array.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {word} but got {axis}.")
    own = dtypes.of(data._array.dtype)
    counts = given._array
    if counts.dtype.kind not in "iu":
        kind = dtypes.of(counts.dtype).scalar_name
        raise NotImplementedError(f"\"_segment_reduce_{word}_cpu_kernel1\" not implemented for '{kind}'")
    if not own.is_floating_point:
        raise NotImplementedError(f"\"_segment_reduce_cpu\" not implemented for '{own.scalar_name}'")
    if offsets is not None:
        counts = np.diff(counts, axis=axis)
    elif not unsafe:
        if (counts < 0).any():
            raise RuntimeError("lengths contains negative value!")
        if (counts.sum(axis) != data._array.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."
            )
    return ops.segment_reduce(data, new_tensor(counts), axis, reduce, initial)


module("torch")["_segment_reduce"] = segment_reduce
