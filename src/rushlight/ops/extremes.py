"""The greatest and the least, the middle and the most frequent. Cotangents go back to where the value was found."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..autograd import overlaps
from ..backend import extremes as k
from ..base import return_types
from ..base.return_types import made
from ..tensor import Tensor
from .operands import batches_of
from .out import refuse_recording, write_out
from .public import axes_of, axis_of, ops, public
from .signatures import Unsaid
from .table import op

# Found at one index: the whole cotangent goes there. Finding the index has no derivative; taking what is there has.

op("argmax", k.argmax, inputs="x")
op("argmin", k.argmin, inputs="x")
op("argmedian", k.argmedian, inputs="x")
op("argmode", k.argmode, inputs="x")
op("argkth", k.argkth, inputs="x")
for _name, _node in {
    "max": "MaxBackward0", "min": "MinBackward0", "median": "MedianBackward1", "nanmedian": "NanmedianBackward1",
    "mode": "ModeBackward0", "kthvalue": "KthvalueBackward0",
}.items():  # fmt: skip
    op(_name, k.take_reduced, inputs="indices", node=_node, kind="linear",
       x=lambda g, xp, x_shape, indices, axis, keepdims: xp.put_reduced(
           g, indices, x_shape, axis, keepdims))  # fmt: skip
op("put_reduced", k.put_reduced, inputs="indices", node="ScatterBackward0", kind="linear",
   g=lambda g, xp, indices, axis, keepdims: xp.take_reduced(g, indices, axis, keepdims))  # fmt: skip
op("take_reduced", k.take_reduced, inputs="indices", node="GatherBackward0", kind="linear",
   x=lambda g, xp, x_shape, indices, axis, keepdims: xp.put_reduced(g, indices, x_shape, axis, keepdims))  # fmt: skip

op("take_along", k.take_along, inputs="indices", node="GatherBackward0", kind="linear",
   x=lambda g, xp, x_shape, indices, axis: xp.add_along(g, indices, x_shape, axis))  # fmt: skip
op("put_along", k.put_along, inputs="indices", node="ScatterBackward0", kind="linear",
   g=lambda g, xp, indices, axis: xp.take_along(g, indices, axis))  # fmt: skip
op("add_along", k.add_along, inputs="indices", node="ScatterAddBackward0", kind="linear",
   g=lambda g, xp, indices, axis: xp.take_along(g, indices, axis))  # fmt: skip

# Perhaps found at several indices: they share it.

op("max_all", k.max_all, node="MaxBackward1", x=lambda g, xp, x, out: xp.share_all(g, x, out))
op("min_all", k.min_all, node="MinBackward1", x=lambda g, xp, x, out: xp.share_all(g, x, out))
op("median_all", k.median_all, node="MedianBackward0", x=lambda g, xp, x, out: xp.share_all(g, x, out))
op("nanmedian_all", lambda x: k.median_all(x, True), node="NanmedianBackward0",
   x=lambda g, xp, x, out: xp.share_all(g, x, out))  # fmt: skip
op("amax", k.amax, x=lambda g, xp, x, out, axis, keepdims: xp.share(g, x, out, axis, keepdims))
op("amin", k.amin, x=lambda g, xp, x, out, axis, keepdims: xp.share(g, x, out, axis, keepdims))
op("aminmax", k.aminmax, outputs="least greatest",
   x=lambda g, xp, x, least, greatest, axis, keepdims: _both_shares(
       g, xp, x, least, greatest, axis, keepdims))  # fmt: skip
op("share_all", lambda g, x, best: k.share(g, x, best, None), inputs="x best", node="MaskedFillBackward1",
   kind="linear", g=lambda g, xp, x, best: xp.gather_share(g, x, best, None))  # fmt: skip
op("share", k.share, inputs="x best", node="MulBackward0", kind="linear",
   g=lambda g, xp, x, best, axis, keepdims: xp.gather_share(g, x, best, axis, keepdims))  # fmt: skip
op("gather_share", k.gather_share, inputs="x best", node="SumBackward1", kind="linear",
   g=lambda g, xp, x, best, axis, keepdims: xp.share(g, x, best, axis, keepdims))  # fmt: skip


def _both_shares(g: Any, xp: Any, x: Any, least: Any, greatest: Any, axis: Any, keepdims: bool) -> Any:
    low, high = g
    if low is None:
        return xp.share(high, x, greatest, axis, keepdims)
    part = xp.share(low, x, least, axis, keepdims)
    return part if high is None else part + xp.share(high, x, greatest, axis, keepdims)


# The public functions.

_UNSAID = Unsaid()


def refuse(kernel: str, input: Any, kinds: str = "c") -> None:
    """PyTorch's error where its kernel lacks a dtype; ``kinds`` are NumPy's letters of those that it lacks."""
    if input._array.dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.scalar_name}'")


def axis_with_elements(name: str, dim: Any, input: Tensor) -> int:
    """The axis, of which there must be at least one element to choose."""
    shape = input._array.shape
    axis = axis_of(dim, len(shape))
    if shape and not shape[axis]:
        raise IndexError(f"{name}: Expected reduction dim {axis + batches_of(input)} to have non-zero size.")
    return axis


def _extreme(name: str, input: Any, dim: Any, keepdim: bool, other: Any) -> Any:
    if other is not None or isinstance(dim, Tensor):
        if keepdim or (other is not None and dim is not _UNSAID):
            raise TypeError  # which is then said in PyTorch's words
        return (ops.maximum if name == "max" else ops.minimum)(input, dim if other is None else other)
    array = input._array
    if dim is _UNSAID and not keepdim:
        if not array.size:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                "dim with "
                "the 'dim' argument."
            )
        refuse(name + "_all", input)
    axis = axis_with_elements(name + "()", dim, input)
    if array.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    keepdim = bool(keepdim)
    if name == "max":
        indices = ops.argmax(input, axis, keepdim)
        return made(return_types.max, (ops.max(input, indices, axis, keepdim), indices))
    indices = ops.argmin(input, axis, keepdim)
    return made(return_types.min, (ops.min(input, indices, axis, keepdim), indices))


@public()
def max(input: Any, dim: Any = _UNSAID, keepdim: bool = False, *, other: Any = None) -> Any:
    """The greatest element; or the greatest along ``dim`` with their indices; or, of two tensors, :func:`maximum`.

    nan counts as greater than anything. Of equal elements the first is the index, and without ``dim`` all share the
    gradient.

    >>> import rushlight as torch
    >>> torch.max(torch.tensor([1.0, 5.0, 2.0]))
    tensor(5.)
    >>> torch.max(torch.tensor([1.0, 5.0, 2.0]), dim=0)
    torch.return_types.max(
    values=tensor(5.),
    indices=tensor(1))
    """
    if dim is _UNSAID and other is None and not keepdim and input._array.size and input._array.dtype.kind != "c":
        return ops.max_all(input)
    return _extreme("max", input, dim, keepdim, other)


@public()
def min(input: Any, dim: Any = _UNSAID, keepdim: bool = False, *, other: Any = None) -> Any:
    """The least element, in the forms of :func:`max`."""
    if dim is _UNSAID and other is None and not keepdim and input._array.size and input._array.dtype.kind != "c":
        return ops.min_all(input)
    return _extreme("min", input, dim, keepdim, other)


def _axes(name: str, input: Any, dim: Any) -> tuple[int, ...]:
    array = input._array
    if not array.size and (dim is None or (isinstance(dim, (tuple, list)) and not dim)):
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if array.ndim and not array.size and dim is not None:
        for one in dim if isinstance(dim, (tuple, list)) else (dim,):
            axis, batches = axis_of(one, array.ndim), batches_of(input)
            if not array.shape[axis]:
                place = axis + batches if batches else one
                raise IndexError(f"{name}(): Expected reduction dim {place} to have non-zero size.")
    return axes_of(dim, array.ndim)


def _check_out(input: Any, out: Any) -> None:
    if out._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {input.dtype.scalar_name} for input's dtype and "
            f"{out.dtype.scalar_name} for out's dtype."
        )


@public(out=False)
def amax(input: Any, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Tensor:
    """The greatest along one or several dimensions; equal elements share the gradient."""
    if out is not None:
        refuse_recording("amax", input, out)
        _check_out(input, out)
        return write_out(amax, "amax", out, (input, dim, keepdim), {})
    axes = _axes("amax", input, dim)
    if input._array.size:
        refuse("max_values_cpu", input)
    return ops.amax(input, axes, bool(keepdim))


@public(out=False)
def amin(input: Any, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Tensor:
    """The least along one or several dimensions; equal elements share the gradient."""
    if out is not None:
        refuse_recording("amin", input, out)
        _check_out(input, out)
        return write_out(amin, "amin", out, (input, dim, keepdim), {})
    axes = _axes("amin", input, dim)
    if input._array.size:
        refuse("min_values_cpu", input)
    return ops.amin(input, axes, bool(keepdim))


@public(out=False)
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False, out: Any = None) -> Any:
    """The least and the greatest, together or along one dimension."""
    if out is not None:
        return write_out(aminmax, "aminmax", out, (input,), {"dim": dim, "keepdim": keepdim})
    array = input._array
    if dim is None:
        if not array.size:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
        axes = tuple(range(array.ndim))
    else:
        axes = (axis_with_elements("aminmax", dim, input),) if array.ndim else (axis_of(dim, 0),)[:0]
    refuse("aminmax_cpu", input)
    return return_types.aminmax(*ops.aminmax(input, axes, bool(keepdim)))


def _place(name: str, function: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    array = input._array
    if array.dtype.kind in "bc":
        raise RuntimeError(f"{name}(): does not support {'bool' if array.dtype.kind == 'b' else 'complex'} input")
    if dim is None:
        if not array.size:
            batches = batches_of(input)  # an example lies in one dimension behind those of its batches
            dims = f"dim {batches} to have non-zero size" if batches else "dim to be specified for input.numel() == 0"
            raise IndexError(f"{name}(): Expected reduction {dims}.")
        return function(input, None, bool(keepdim))
    return function(input, axis_with_elements(name + "()", dim, input), bool(keepdim))


@public()
def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Where the greatest element is: its index in the flattened tensor, or along ``dim``. The first of equal ones.

    >>> import rushlight as torch
    >>> torch.argmax(torch.tensor([[1, 9], [5, 3]]))
    tensor(1)
    """
    return _place("argmax", ops.argmax, input, dim, keepdim)


@public()
def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Where the least element is: its index in the flattened tensor, or along ``dim``."""
    return _place("argmin", ops.argmin, input, dim, keepdim)


def _middle(name: str, input: Any, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        refuse("median_cpu", input, "bc")
        return (ops.median_all if name == "median" else ops.nanmedian_all)(input)
    axis = axis_with_elements("median()", dim, input)
    refuse("median_out", input, "bc")
    indices = ops.argmedian(input, axis, bool(keepdim), name == "nanmedian")
    values = (ops.median if name == "median" else ops.nanmedian)(input, indices, axis, bool(keepdim))
    return getattr(return_types, name)(values, indices)


@public()
def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; with ``dim``, along that dimension and with its index.

    >>> import rushlight as torch
    >>> torch.tensor([3.0, 1.0, 2.0, 9.0]).median()
    tensor(2.)
    """
    return _middle("median", input, dim, keepdim)


@public()
def nanmedian(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The median of what is not nan."""
    return _middle("nanmedian", input, dim, keepdim)


@public()
def mode(input: Any, dim: Any = -1, keepdim: bool = False) -> Any:
    """The most frequent value along ``dim`` (the least of several) and an index of it."""
    axis = axis_with_elements("mode()", dim, input)
    refuse("mode_cpu", input)
    indices = ops.argmode(input, axis, bool(keepdim))
    return return_types.mode(ops.mode(input, indices, axis, bool(keepdim)), indices)


@public(out=False)
def kthvalue(input: Any, k: int, dim: Any = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The ``k``-th smallest along ``dim``, counted from 1, and its index.

    >>> import rushlight as torch
    >>> torch.tensor([5.0, 1.0, 3.0]).kthvalue(2).values
    tensor(3.)
    """
    array = input._array
    if out is not None:
        if any(np.shares_memory(array, one._array) for one in out):
            raise overlaps.shared_error()
        return write_out(kthvalue, "kthvalue", out, (input, k, dim, keepdim), {})
    axis, k = axis_with_elements("kthvalue()", dim, input), operator.index(k)
    if not 1 <= k <= (array.shape[axis] if array.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if array.ndim:
        refuse("kthvalue_cpu", input, "bc")
    indices = ops.argkth(input, k, axis, bool(keepdim))
    return return_types.kthvalue(ops.kthvalue(input, indices, axis, bool(keepdim)), indices)
