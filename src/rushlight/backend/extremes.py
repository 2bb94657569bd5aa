"""Kernels for the greatest and the least, the middle and the most frequent, and for taking by their indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels import flat_indices as compiled
from ..kernels import register
from . import introsort, summation
from .flat_indices import add_in_step, check_along, corner, in_line, put_in_step, whole_slices
from .numpy import Array, Shape, in_rows
from .reduce import Axes, in_order
from .stable_sort import order


def amax(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    return in_order(summation.maxima(x, axis, keepdims))


def amin(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    return in_order(summation.minima(x, axis, keepdims))


def max_all(x: Array) -> Any:
    return summation.greatest(x, None)


def min_all(x: Array) -> Any:
    return summation.least(x, None)


def aminmax(x: Array, axis: Axes, keepdims: bool = False) -> tuple[Any, Any]:
    return amin(x, axis, keepdims), amax(x, axis, keepdims)


def ties(x: Array, best: Any, axis: Axes, keepdims: bool) -> Array:
    """Where ``x`` equals what it was reduced to; nan equals nan if it was reduced as a whole."""
    mask = x == unreduced(best, x.ndim, axis, keepdims)
    if axis is None and best != best:
        mask |= np.isnan(x)
    return np.asarray(mask)


def unreduced(value: Any, ndim: int, axis: Axes, keepdims: bool) -> Array:
    """A reduction's result with the reduced axes back, of size 1."""
    value = np.asarray(value)
    return value if keepdims or axis is None else np.expand_dims(value, axis)


def share(g: Any, x: Array, best: Any, axis: Axes, keepdims: bool = False) -> Array:
    """``g`` in equal parts to the indices of ``x`` that were reduced to ``best``.

    Along axes, as PyTorch does it: 0 times ``g`` elsewhere (-0.0, or nan), and nan at nan, which nothing equals.
    """
    mask = ties(x, best, axis, keepdims)
    if axis is None:
        return np.where(mask, g / np.asarray(np.count_nonzero(mask)).astype(g.dtype), g.dtype.type(0))
    many = np.asarray(summation.add_up(mask, axis, np.int64, keepdims=True)).astype(g.dtype)
    return np.asarray(mask * unreduced(g, x.ndim, axis, keepdims) / many)


def gather_share(g: Array, x: Array, best: Any, axis: Axes, keepdims: bool = False) -> Any:
    """The mean of ``g`` over the indices that :func:`share` gives to: its adjoint."""
    mask = ties(x, best, axis, keepdims)
    many = summation.add_up(mask, axis, np.int64, keepdims=keepdims)
    chosen = np.where(mask, g, g.dtype.type(0))
    return summation.add_up(chosen, axis, keepdims=keepdims) / np.asarray(many).astype(g.dtype)


@register(compiled.take_along)
def take_along(x: Array, indices: Array, axis: int) -> Array:
    """The elements at ``indices`` along ``axis``; other axes go in step."""
    if not x.ndim:
        return x.reshape(indices.shape).copy()
    if x.ndim == 1:
        return x[indices]
    if x.flags.c_contiguous:
        slices = whole_slices(indices, axis)
        if slices is not None:
            return x[corner(indices.shape, axis)].take(slices, axis)
        return x.ravel().take(in_line(indices, x.shape, axis))
    found = x[_in_step(indices, axis)]
    return found.copy("C") if 1 in found.shape else in_rows(found)  # a single row's step may be any


def _in_step(indices: Array, axis: int) -> tuple[Array, ...]:
    """What to index with for ``indices`` along ``axis`` and each of the other axes in step."""
    mesh = np.indices(indices.shape, sparse=True)
    return (*mesh[:axis], indices, *mesh[axis + 1 :])


def put_along(g: Array, indices: Array, shape: Shape, axis: int) -> Array:
    """Zeros of ``shape`` with ``g`` at ``indices``, which are all different: the adjoint of take_along."""
    check_along(indices, shape[axis] if shape else 1, axis)
    if not shape:
        return g.reshape(()).copy()
    return put_in_step(np.zeros(shape, g.dtype), indices, g, axis)


def add_along(g: Array, indices: Array, shape: Shape, axis: int) -> Array:
    """As :func:`put_along`, where indices may come more than once."""
    check_along(indices, shape[axis] if shape else 1, axis)
    if not shape:
        return np.asarray(g.sum(), g.dtype)
    return add_in_step(np.zeros(shape, g.dtype), indices, g, axis)


def put_reduced(g: Any, indices: Array, shape: Shape, axis: int, keepdims: bool = False) -> Array:
    """Zeros of ``shape`` with ``g`` where a reduction along ``axis`` found its values."""
    g, indices = (unreduced(each, len(shape), axis, keepdims or not shape) for each in (g, indices))
    return put_along(g, indices, shape, axis)


def take_reduced(x: Array, indices: Array, axis: int, keepdims: bool = False) -> Array:
    """What a reduction along ``axis`` found at ``indices``: the adjoint of put_reduced."""
    found = take_along(x, unreduced(indices, x.ndim, axis, keepdims or not x.ndim), axis)
    return found if keepdims or not x.ndim else found.squeeze(axis)


# Where to find what is asked for along an axis. Nothing of this has a derivative: that belongs to the taking.


def argmax(x: Any, axis: int | None, keepdims: bool = False) -> Any:
    return x.argmax(axis if x.ndim else None, keepdims=keepdims)


def argmin(x: Any, axis: int | None, keepdims: bool = False) -> Any:
    return x.argmin(axis if x.ndim else None, keepdims=keepdims)


def rows_along(x: Array, axis: int) -> Array:
    """The slices of ``x`` along ``axis`` as the rows of a matrix."""
    rows = x.swapaxes(axis, -1)
    return rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])


def _unrowed(indices: Array, x: Array, axis: int, keepdims: bool) -> Array:
    """One place for each of :func:`rows_along`, in the shape of a reduction of ``x``."""
    shape = x.swapaxes(axis, -1).shape[:-1]
    out = indices.reshape(*shape, 1).swapaxes(axis, -1)
    return (out if keepdims else out.squeeze(axis)).copy("C")


def equal(a: Array, b: Array) -> Array:
    """Where two arrays are equal, nan to nan too."""
    same = a == b
    return same | (np.isnan(a) & np.isnan(b)) if a.dtype.kind in "fV" else same


_NO_ROWS = np.empty(0, np.int64)


def tied_rows(ordered: Array, descending: bool = False) -> Array:
    """Which rows of a matrix, each of them in order, hold something twice."""
    before, after = ordered[:, :-1], ordered[:, 1:]
    if (before > after if descending else before < after).all():
        return _NO_ROWS
    return np.flatnonzero(equal(after, before).any(-1))


def ordered_alike(x: Array) -> Array:
    """``x`` in a dtype of NumPy's own, whose sorting knows that nan comes last; the others compare with ``<`` alone."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def argkth(x: Array, k: int, axis: int, keepdims: bool = False) -> Any:
    if not x.ndim:
        return np.zeros((), np.int64)
    rows = rows_along(ordered_alike(x), axis)
    sorting = order(rows, -1)
    indices = sorting[:, k - 1].copy()
    tied = tied_rows(take_along(rows, sorting[:, max(k - 2, 0) : k + 1], 1))
    if tied.size:
        indices[tied] = introsort.selected_in_rows(rows[tied], k - 1)
    return _unrowed(indices, x, axis, keepdims)


def argmedian(x: Array, axis: int, keepdims: bool = False, skip_nan: bool = False) -> Any:
    if not x.ndim:
        return np.zeros((), np.int64)
    sorting = order(ordered_alike(x), axis)
    size = x.shape[axis]
    unknown = np.isnan(x) if x.dtype.kind in "fV" else None
    if unknown is None or not unknown.any():
        half = (size - 1) // 2
        return _reduced(sorting[(slice(None),) * axis + (slice(half, half + 1),)].copy("C"), axis, keepdims)
    missing = np.count_nonzero(unknown, axis, keepdims=True)
    if skip_nan:
        middle = np.where(missing == size, 0, (size - missing - 1) // 2)
    else:
        # The first nan, which sorting put behind all numbers.
        middle = np.where(missing > 0, size - missing, (size - 1) // 2)
    return _reduced(take_along(sorting, middle, axis), axis, keepdims)


def argmode(x: Array, axis: int, keepdims: bool = False) -> Any:
    """The last place of the most frequent value, the least of several."""
    if not x.ndim:
        return np.zeros((), np.int64)
    rows = rows_along(ordered_alike(x), axis)
    sorting = order(rows, -1)
    ordered = take_along(rows, sorting, 1)
    fresh = np.ones(rows.shape, np.bool_)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    number = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    run = number - np.maximum.accumulate(np.where(fresh, number, 0), -1)
    # argmax finds the first place where a run is at its longest: the end of the least such value's run.
    end = run.argmax(-1)
    indices = sorting[np.arange(len(rows)), end]
    if rows.shape[1] > introsort.SHORT and x.size:  # which of equals comes last PyTorch's sorting says
        tied = np.flatnonzero((end > 0) | (ordered[:, 0] != ordered[:, 0]))
        indices[tied] = take_along(introsort.introsorted_rows(rows[tied]), end[tied, None], 1)[:, 0]
    return _unrowed(indices, x, axis, keepdims)


def _reduced(indices: Array, axis: int, keepdims: bool) -> Array:
    return indices if keepdims else indices.squeeze(axis)


def median_all(x: Array, skip_nan: bool = False) -> Any:
    """The lower of the two middle elements; nan wins unless it is to be skipped."""
    flat = np.sort(ordered_alike(x), axis=None)
    missing = int(np.count_nonzero(np.isnan(flat))) if x.dtype.kind in "fV" else 0
    if not x.size or (missing and not skip_nan) or missing == x.size:
        if x.dtype.kind in "fV":
            return x.dtype.type(np.nan)
        return x.dtype.type(np.iinfo(x.dtype).min if x.dtype.itemsize >= 4 else 0)  # what x86 makes of nan
    return x.dtype.type(flat[(x.size - missing - 1) // 2])
