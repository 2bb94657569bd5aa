"""Ordering: sorting, the greatest few, quantiles, distinct values, and binary search."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import sort as k
from ..backend.extremes import take_along
from ..base import return_types
from ..base.return_types import made
from ..tensor import Tensor, new_tensor
from . import promotion
from .extremes import refuse
from .operands import refuse_history
from .public import axis_of, module, ops, public
from .rule_functions import refusal
from .table import op

op("argsort", k.argsort, inputs="x")
op("argtopk", k.argtopk, inputs="x")
for _name, _kernel, _node in (("sort", k.sort, "Sort"), ("sort_stable", k.sort, "Sort"), ("topk", take_along, "Topk")):
    op(_name, _kernel, inputs="indices", kind="linear", node=f"{_node}Backward{_name.count('_')}",
       x=lambda g, xp, x_shape, indices, axis: xp.put_along(g, indices, x_shape, axis))  # fmt: skip


op("unique", k.unique, outputs="values inverse! counts!", node="Unique2Backward0", x=refusal("_unique2"))
op("_unique", k.unique, outputs="values inverse! counts!", node="UniqueBackward0", x=refusal("_unique"))
op("unique_slices", k.unique_slices, outputs="values inverse! counts!", node="UniqueDimBackward0",
   x=refusal("unique_dim"))  # fmt: skip
op("unique_consecutive", k.unique_consecutive, outputs="values inverse! counts!",
   x=refusal("unique_consecutive"))  # fmt: skip
op("searchsorted", k.searchsorted, inputs="boundaries values sorter")


@public()
def sort(input: Any, dim: Any = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """The elements in order along ``dim``, and the indices they came from.

    Equal elements keep their order if ``stable``, or if there are no more than 16.

    >>> import rushlight as torch
    >>> torch.sort(torch.tensor([3.0, 1.0, 2.0]))
    torch.return_types.sort(
    values=tensor([1., 2., 3.]),
    indices=tensor([1, 2, 0]))
    """
    array = input._array
    if isinstance(dim, bool):
        raise TypeError("sort(): argument 'dim' (position 2) must be int, not bool")
    axis = axis_of(dim, array.ndim)
    if array.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    indices = ops.argsort(input, axis, bool(descending), bool(stable))
    ordered = (ops.sort if stable is None else ops.sort_stable)(input, indices, axis)
    return made(return_types.sort, (ordered, indices))


@public()
def msort(input: Any) -> Tensor:
    """The elements in order along the first dimension."""
    return sort(input, 0)[0]


@public(out=False)
def argsort(input: Any, dim: Any = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along ``dim``."""
    if input._array.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    refuse_history(input.dtype, input)
    return ops.argsort(input, axis_of(dim, input._array.ndim), bool(descending), bool(stable))


@public()
def topk(input: Any, k: Any, dim: Any = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` greatest (or least) elements along ``dim``, in order, and their indices.

    >>> import rushlight as torch
    >>> torch.topk(torch.tensor([1.0, 4.0, 2.0]), 2).values
    tensor([4., 2.])
    """
    array = input._array
    if isinstance(dim, bool):
        raise TypeError("topk(): argument 'dim' (position 2) must be int, not bool")
    axis = axis_of(dim, array.ndim)
    if not hasattr(k, "__index__"):
        raise TypeError(f"topk(): argument 'k' (position 2) must be int, not {type(k).__name__}")
    if not 0 <= k <= (array.shape[axis] if array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if array.dtype.kind == "c":
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    indices = ops.argtopk(input, int(k), axis, bool(largest))
    return made(return_types.topk, (ops.topk(input, indices, axis), indices))


# Quantiles: sorted, then looked up between two neighbours.


def _check_quantiles(q: Tensor) -> None:
    if not ((q._array >= 0) & (q._array <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _quantile(input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str, skip_nan: bool) -> Any:
    array = input._array
    if not array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if array.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if isinstance(q, (np.number, np.bool_)):
            q = q.real.item()  # of a complex number the real part, as in PyTorch
        if not isinstance(q, (int, float)):
            name = "nanquantile" if skip_nan else "quantile"
            raise TypeError(f"{name}(): argument 'q' must be Tensor or float, not {type(q).__name__}")
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = new_tensor(promotion.number_array(q, array.dtype))
    if q._array.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if q._array.dtype != array.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    _check_quantiles(q)
    axis = axis_of(dim, array.ndim) if dim is not None else None
    shape = [1 if axis is None or one == axis else size for one, size in enumerate(array.shape)]
    if axis is None:
        flat = input if array.ndim == 1 else input.reshape(array.size)
    else:
        flat = input if axis == array.ndim - 1 else input.unsqueeze(-1).transpose(axis, -1)
    if not keepdim:
        shape = [] if axis is None else shape[:axis] + shape[axis + 1 :]
    ordered = sort(flat, -1)[0]
    ordered = ordered.view((*shape, ordered._array.shape[-1]))
    result = _between(ordered, q if q._array.ndim else q.reshape(1), interpolation, skip_nan)
    # The quantiles are in the last dimension; they go to the front, or away for a single one.
    if q._array.ndim:
        result.unsqueeze_(0).transpose_(0, -1)
    return result.squeeze_(-1)


_INDEX = np.dtype(np.int64)


def _between(ordered: Any, q: Any, interpolation: str, skip_nan: bool) -> Any:
    """The quantiles of each row of ``ordered``, in its last dimension."""
    rows = ordered._array
    last = rows.shape[-1] - 1
    missing = ordered.isnan()
    if skip_nan:
        counted = ops.sum(missing, (-1,), True, None)
        ranks = q * ops.astype(ops.clamp_min(ops.rsub_number(counted, last), 0), rows.dtype)
    else:
        # A row with nan in it gives its last element, nan.
        ranks = ops.expand(q * last, (*rows.shape[:-1], q._array.size))
        ranks = ops.masked_fill(ranks, ops.any(missing, (-1,), True), last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}[interpolation]()
    positions = ranks.detach()
    below = ops.astype(positions, _INDEX)
    lower = ops.take_along(ordered, below, rows.ndim - 1)
    if interpolation not in ("linear", "midpoint"):
        return lower
    fraction = ranks - ops.astype(below, rows.dtype)
    weights = positions * 0 + 0.5 if interpolation == "midpoint" else fraction
    upper = ops.take_along(ordered, ops.astype(ops.ceil(positions), _INDEX), rows.ndim - 1)
    return lower.lerp_(upper, weights)


@public()
def quantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The value below which a fraction ``q`` of the elements lies, along ``dim`` or of all; nan if there is any.

    >>> import rushlight as torch
    >>> torch.quantile(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
    tensor(2.5000)
    """
    return _quantile(input, q, dim, keepdim, interpolation, False)


@public()
def nanquantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The quantile of what is not nan."""
    return _quantile(input, q, dim, keepdim, interpolation, True)


# Distinct values.


def _chosen(found: tuple[Any, Any, Any], return_inverse: bool, return_counts: bool) -> Any:
    values, inverse, counts = found
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@public(out=False)
def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """The distinct values in order; on demand also which of them each element is, and how often each comes.

    >>> import rushlight as torch
    >>> torch.unique(torch.tensor([2, 1, 2]), return_counts=True)
    (tensor([1, 2]), tensor([1, 2]))
    """
    refuse("unique" if dim is None else "unique_dim", input)
    refuse_history(input.dtype, input)
    if dim is None:
        return _chosen(ops.unique(input), return_inverse, return_counts)
    array = input._array
    axis = axis_of(dim, array.ndim, wrap_scalar=False)
    _check_slices(array.shape, axis)
    return _chosen(ops.unique_slices(input, axis), return_inverse, return_counts)


def _check_slices(shape: tuple[int, ...], axis: int) -> None:
    if shape.count(0) > 1 and not shape[axis]:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if not math.prod(size for one, size in enumerate(shape) if one != axis):
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")


def _all_parts(parts: Any, return_inverse: bool, return_counts: bool) -> tuple[Any, ...]:
    """What PyTorch's inner functions give: all three, empty where nobody asked."""
    values, inverse, counts = parts
    empty = new_tensor(np.zeros(0, np.int64))
    return values, inverse if return_inverse else empty, counts if return_counts else empty


@public(method=False, out=False)
def _unique(input: Any, sorted: bool = True, return_inverse: bool = False) -> Any:
    """The distinct values, and which of them each element is."""
    return _all_parts(ops._unique(input), return_inverse, False)[:2]


@public(method=False, out=False)
def _unique2(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct values, which of them each element is, and how often each comes."""
    return _all_parts(ops.unique(input), return_inverse, return_counts)


@public(method=False, out=False, space="torch._VF")
def unique_dim(input: Any, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct slices along a dimension, which of them each slice is, and how often each comes."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    _check_slices(input._array.shape, axis)
    return _all_parts(ops.unique_slices(input, axis), return_inverse, return_counts)


@public(out=False)
def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """The first of each run of equal elements.

    >>> import rushlight as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    axis = None
    refuse("unique" if dim is None else "unique_dim", input)
    if dim is not None:
        axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
        _check_slices(input._array.shape, axis)
    return _chosen(ops.unique_consecutive(input, axis), return_inverse, return_counts)


# Binary search.


def _side(right: bool, side: str | None) -> bool:
    if side is None:
        return right
    if side not in ("left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    return side == "right"


@public(method=False)
def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Tensor:  # fmt: skip
    """Where values belong in an ordered sequence: before its equal elements, or behind them if ``right``.

    Several sequences stand in rows, and values in rows of their own.

    >>> import rushlight as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([2, 5]))
    tensor([1, 2])
    """
    values = input
    if not isinstance(values, Tensor):
        values = new_tensor(np.asarray(values))
    rows, wanted = sorted_sequence._array, values._array
    right = _side(right, side)
    if not rows.ndim:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    if rows.ndim > 1 and not wanted.ndim:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we "
            "got boundaries "
            f"tensor dim({rows.ndim}) and input value's dim({wanted.ndim}) numel({wanted.size})"
        )
    if rows.ndim > 1 and (wanted.ndim != rows.ndim or wanted.shape[:-1] != rows.shape[:-1]):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            "boundaries tensor "
            f"and input value tensor must match, but we got boundaries tensor {list(rows.shape)} and input value "
            "tensor "
            f"{list(wanted.shape)}"
        )
    if sorter is not None:
        _check_sorter(rows, sorter)
    common = promotion.common_dtype([sorted_sequence, values])
    if common.numpy.kind in "bc":
        raise NotImplementedError(f"\"searchsorted_out_cpu\" not implemented for '{common.scalar_name}'")
    found = ops.searchsorted(sorted_sequence, values, sorter, right)
    return found.int() if out_int32 else found


def _check_sorter(rows: Any, sorter: Any) -> None:
    indices = sorter._array
    if indices.shape != rows.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(rows.shape)}and got sorter tensor {list(indices.shape)}"
        )
    if indices.dtype != np.int64:
        raise RuntimeError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter.dtype.scalar_name}"
        )
    if indices.size and (indices.min() < 0 or indices.max() >= rows.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


@public(method=False)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which interval between the ordered ``boundaries`` each value lies in.

    >>> import rushlight as torch
    >>> torch.bucketize(torch.tensor([3, 6]), torch.tensor([1, 5]))
    tensor([1, 2])
    """
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return module("torch")["searchsorted"](boundaries, input, out_int32=out_int32, right=right)


@public(method=False)
def isin(
    elements: Any = None, test_elements: Any = None, *, assume_unique: bool = False, invert: bool = False,
    element: object = None, test_element: object = None,
) -> Tensor:  # fmt: skip
    """Whether each of ``elements`` is among ``test_elements``.

    >>> import rushlight as torch
    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    elements = element if elements is None else elements
    test_elements = test_element if test_elements is None else test_elements
    if elements is None or test_elements is None:
        raise TypeError  # which is then said in PyTorch's words
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError  # which is then said in PyTorch's words
    arrays = []
    for value in (elements, test_elements):
        is_tensor = isinstance(value, Tensor)
        if is_tensor and value._array.dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {value.dtype.scalar_name}")
        if is_tensor and value._of_batch:
            return _isin_examples(elements, test_elements, bool(invert))
        arrays.append(value._array if is_tensor else np.asarray(value))
    return new_tensor(np.asarray(k.isin(arrays[0], arrays[1], bool(invert))))


def _isin_examples(elements: Any, tested: Any, invert: bool) -> Any:
    """:func:`isin` of examples of a batch: each element beside each of the others."""
    if isinstance(elements, Tensor):
        elements = elements.unsqueeze(-1)
    found = elements == (tested.reshape(-1) if isinstance(tested, Tensor) else tested)
    found = found.any(-1)
    return ~found if invert else found
