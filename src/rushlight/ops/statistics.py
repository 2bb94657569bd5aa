"""Counting and covariance: bincount, histograms, cov, corrcoef."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..backend import statistics as k
from ..base import return_types
from ..tensor import Tensor, new_tensor
from .extremes import refuse
from .public import module, ops, public
from .rule_functions import underivable
from .table import op

op("bincount", k.bincount, inputs="x", node="NotImplemented", weights=lambda g: underivable("bincount"))
op("histogram_counts",
   lambda x, weights=None, edges=(), even=True, dense=False: _counts(x, weights, edges, even, dense),
   outputs="hist bin_edges", node="NotImplemented",
   x=lambda g: underivable("histogram"), weights=lambda g: underivable("histogram"))  # fmt: skip


@public(out=False)
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each integer from 0 on comes in a vector; with ``weights``, the sum of them.

    >>> import rushlight as torch
    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    array = input._array
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    refuse("bincount_cpu", input, "bfcVu" if array.dtype.itemsize > 1 else "bfcV")
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None or not array.size:
        return new_tensor(k.bincount(array, None, minlength))
    if weights._array.ndim != 1 or weights._array.size != array.size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return ops.bincount(input, weights, minlength)


# Histograms.


@public()
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Counts of elements in ``bins`` bins of equal width between ``min`` and ``max`` (of the data, if both are equal).

    >>> import rushlight as torch
    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    array = input._array
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min == max:
        refuse("aminmax_cpu", input)
    refuse("histogram_cpu", input, "buic")
    low, high = float(min), float(max)
    if low == high and array.size:
        array = np.asarray(array)  # a meta tensor's refuses; NumPy would keep one that refuses to be reduced for ever
        low, high = float(np.minimum.reduce(array, None)), float(np.maximum.reduce(array, None))
    if low == high:
        low, high = low - 1, high + 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.dtype(np.float32)
    edges = np.asarray([low, *([high] * bins)], dtype)
    counts = k.counted(array.reshape(-1, 1).astype(dtype), [edges], True, None, dtype)
    return new_tensor(counts.astype(array.dtype))


def _counts(x: Any, weights: Any, edges: list[Any], even: bool, dense: bool) -> tuple[Any, Any]:
    flat = weights.reshape(-1) if weights is not None else None
    counts = k.counted(x.reshape(-1, 1), edges, even, flat, x.dtype)
    return (k.density(counts, edges) if dense else counts), edges[0]


def _edges(array: Any, bins: list[Any], range: Any) -> tuple[list[Any], bool]:
    """The edges in each dimension, and whether they are at even distances."""
    columns = array.shape[-1]
    given = [isinstance(one, Tensor) for one in bins]
    for place, one in enumerate(bins):
        if given[place]:
            if one._array.dtype != array.dtype:
                raise RuntimeError(
                    "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                    "with dtype "
                    f"{new_tensor(array).dtype.c_name} and bins for dimension {place} with dtype "
                    f"{_c_name(one)}"
                )
            if one._array.ndim != 1:
                raise RuntimeError(
                    "torch.histogramdd: bins tensor should have one dimension, but got "
                    f"{one._array.ndim} dimensions in the bins tensor for dimension {place}"
                )
        count = one._array.size - 1 if given[place] else one
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {place}")
    if given and all(given):
        return [one._array.copy() for one in bins], False  # the edges are handed out
    if range is not None and len(range) != 2 * columns:
        raise RuntimeError(
            f"torch.histogramdd: for a {columns}-dimensional histogram range should have {2 * columns} elements, "
            "but got "
            f"{len(range)}"
        )
    rows = array.reshape(-1, columns)
    edges = []
    for place, count in enumerate(bins):
        low, high = _bounds(rows[:, place], place, range)
        edges.append(k.steps(low, high, count, array.dtype))
    return edges, True


def _c_name(tensor: Any) -> str:
    return "long int" if tensor._array.dtype == np.int64 else tensor.dtype.c_name


def _bounds(column: Any, place: int, range: Any) -> tuple[float, float]:
    if range is not None:
        low, high = float(range[2 * place]), float(range[2 * place + 1])
    elif column.size:
        low, high = float(np.minimum.reduce(column)), float(np.maximum.reduce(column))
    else:
        low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {place}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {place}"
        )
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _check_weight(input: Any, shape: tuple[int, ...], weight: Any) -> None:
    if weight is None:
        return
    if weight._array.dtype != input._array.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            "dtype, but "
            f"got input({input.dtype.c_name}), and weight({weight.dtype.c_name})"
        )
    if weight._array.shape != shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            "excluding its "
            f"innermost dimension, but got input with shape {list(shape)} and weight with shape "
            f"{list(weight._array.shape)}"
        )


@public()
def histogram(input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Counts (or weights) of elements between edges: given ones, or so many at even distances.

    >>> import rushlight as torch
    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    refuse("histogramdd", input, "buic")
    array = input._array
    flat = array.reshape(-1, 1)
    if weight is not None and weight._array.shape != array.shape:
        _check_weight(input, flat.shape, weight)
    elif weight is not None:
        _check_weight(input, (*array.shape, 1), weight)
    edges, even = _edges(flat, [bins], range)
    return return_types.histogram(*ops.histogram_counts(input, weight, edges, even, bool(density)))


@public(method=False, out=False)
def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Counts (or weights) of points, the rows of ``input``, in boxes of a grid."""
    array = input._array
    if array.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    columns = array.shape[-1]
    wanted = [bins] * columns if isinstance(bins, int) else list(bins)
    if len(wanted) != columns:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    refuse("histogramdd", input, "buic")
    _check_weight(input, array.shape, weight)
    edges, even = _edges(array, wanted, range)
    flat = None if weight is None else weight._array.reshape(-1)
    counts = k.counted(array.reshape(-1, columns), edges, even, flat, array.dtype)
    hist = k.density(counts, edges) if density else counts
    return return_types.histogramdd(new_tensor(hist), tuple(new_tensor(np.array(edge)) for edge in edges))


# Covariance.


def _check_weights(name: str, weights: Any, observations: int) -> None:
    array = weights._array
    if array.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {array.ndim} dimensions"
        )
    integral = array.dtype.kind in "ui"
    if integral != (name == "fweights") or array.dtype.kind in "bc":
        kind = "integral" if name == "fweights" else "floating point"
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {weights.dtype.scalar_name} dtype")
    if array.size != observations:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{array.size} != "
            f"{observations}"
        )
    if array.size and array.min() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


@public(out=False)
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns), weighted by counts and importances.

    >>> import rushlight as torch
    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    ndim = input._array.ndim
    if ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions")
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if ndim == 2 else input.view(1, -1)
    observations = rows._array.shape[1]
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            _check_weights(name, given, observations)
            weights = given if weights is None else weights * given
    total: Any = observations if weights is None else weights.sum()
    if weights is not None and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    if weights is None:
        mean = rows.sum(1) / max(observations, 1) if observations else rows.sum(1) / 0
        freedom: Any = observations - correction
    else:
        mean = (rows * weights).sum(1) / total
        if correction and aweights is not None:
            freedom = total - correction * (weights * aweights).sum() / total
        else:
            freedom = total - correction
    if freedom <= 0:
        warnings.warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
                      "observations.", stacklevel=3)  # fmt: skip
        freedom = 0
    off = rows - mean.unsqueeze(1)
    other = off if weights is None else off * weights
    return (module("torch")["mm"](off, other.t().conj()) / freedom).squeeze()


@public(out=False)
def corrcoef(input: Any) -> Tensor:
    """The correlation coefficients of variables (rows) over observations (columns)."""
    ndim = input._array.ndim
    if ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions"
        )
    matrix = cov(input)
    if not matrix._array.ndim:
        return matrix / matrix
    diagonal = matrix.diagonal()
    root = (diagonal.real if matrix._array.dtype.kind == "c" else diagonal).sqrt()
    scaled = matrix / root.unsqueeze(1) / root.unsqueeze(0)
    if matrix._array.dtype.kind == "c":
        return module("torch")["complex"](scaled.real.clamp(-1, 1), scaled.imag.clamp(-1, 1))
    return scaled.clamp(-1, 1)
