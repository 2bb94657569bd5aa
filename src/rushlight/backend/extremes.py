"""Kernels for the greatest and the least, the middle and the most frequent, and for taking by their places."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array, Shape
from .reduce import Axes

Pair = tuple[Array, Array]


def places_along(x: Array, axis: int) -> Array:
    """``x`` with at least one dimension, and ``axis`` the last."""
    return x.reshape(1) if not x.ndim else x.swapaxes(axis, -1)


def amax(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    return np.maximum.reduce(x, axis, None, None, keepdims)


def amin(x: Array, axis: Axes, keepdims: bool = False) -> Any:
    return np.minimum.reduce(x, axis, None, None, keepdims)


def aminmax(x: Array, axis: Axes, keepdims: bool = False) -> tuple[Any, Any]:
    return amin(x, axis, keepdims), amax(x, axis, keepdims)


def argmax(x: Array, axis: int | None, keepdims: bool = False) -> Any:
    return x.argmax(axis if x.ndim else None, keepdims=keepdims)


def argmin(x: Array, axis: int | None, keepdims: bool = False) -> Any:
    return x.argmin(axis if x.ndim else None, keepdims=keepdims)


def _at(x: Array, places: Array, axis: int, keepdims: bool) -> Pair:
    """Values and places, given places with the reduced axis kept."""
    values = np.take_along_axis(x, places, axis)
    return (values, places) if keepdims else (values.squeeze(axis), places.squeeze(axis))


def max(x: Array, axis: int, keepdims: bool = False) -> Pair:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    return _at(x, x.argmax(axis, keepdims=True), axis, keepdims)


def min(x: Array, axis: int, keepdims: bool = False) -> Pair:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    return _at(x, x.argmin(axis, keepdims=True), axis, keepdims)


def ties(x: Array, best: Any, axis: Axes, keepdims: bool) -> Array:
    """Where ``x`` equals what it was reduced to; nan equals nan."""
    best = unreduced(best, x.ndim, axis, keepdims)
    mask = x == best
    if x.dtype.kind in "fV":
        mask |= np.isnan(x) & np.isnan(best)
    return np.asarray(mask)


def unreduced(value: Any, ndim: int, axis: Axes, keepdims: bool) -> Array:
    """A reduction's result with the reduced axes back, of size 1."""
    value = np.asarray(value)
    return value if keepdims or axis is None else np.expand_dims(value, axis)


def share(g: Any, x: Array, best: Any, axis: Axes, keepdims: bool = False) -> Array:
    """``g`` in equal parts to the places of ``x`` that were reduced to ``best``."""
    mask = ties(x, best, axis, keepdims)
    many = np.add.reduce(mask, axis, np.int64, keepdims=axis is not None)
    part = unreduced(g, x.ndim, axis, keepdims) / np.asarray(many).astype(g.dtype)
    return np.where(mask, part, g.dtype.type(0))


def gather_share(g: Array, x: Array, best: Any, axis: Axes, keepdims: bool = False) -> Any:
    """The mean of ``g`` over the places that :func:`share` gives to: its adjoint."""
    mask = ties(x, best, axis, keepdims)
    many = np.add.reduce(mask, axis, np.int64, keepdims=keepdims)
    chosen = np.where(mask, g, g.dtype.type(0))
    return np.add.reduce(chosen, axis, keepdims=keepdims) / np.asarray(many).astype(g.dtype)


def take_along(x: Array, indices: Array, axis: int) -> Array:
    if not x.ndim or not indices.ndim:
        return x.reshape(1)[indices.reshape(-1)].reshape(indices.shape)
    return np.take_along_axis(x, indices, axis)


def put_along(g: Array, indices: Array, shape: Shape, axis: int) -> Array:
    """Zeros of ``shape`` with ``g`` at ``indices``, which are all different: the adjoint of take_along."""
    if not shape:
        return g.reshape(())
    out = np.zeros(shape, g.dtype)
    np.put_along_axis(out, indices, g, axis)
    return out


def add_along(g: Array, indices: Array, shape: Shape, axis: int) -> Array:
    """As :func:`put_along`, where indices may come more than once."""
    if not shape:
        return np.asarray(g.sum(), g.dtype)
    out = np.zeros(shape, g.dtype)
    places = list(np.ogrid[tuple(slice(size) for size in indices.shape)])
    places[axis] = indices
    np.add.at(out, tuple(places), g)
    return out


def put_reduced(g: Any, indices: Array, shape: Shape, axis: int, keepdims: bool = False) -> Array:
    """Zeros of ``shape`` with ``g`` where a reduction along ``axis`` found its values."""
    if not shape:
        return np.asarray(g)
    out = np.zeros(shape, g.dtype)
    if len(shape) == 1:
        out[indices] = g
    elif keepdims:
        np.put_along_axis(out, indices, g, axis)
    else:
        np.put_along_axis(out, np.expand_dims(indices, axis), np.expand_dims(g, axis), axis)
    return out


def take_reduced(x: Array, indices: Array, axis: int, keepdims: bool = False) -> Array:
    """What a reduction along ``axis`` would find at ``indices``: the adjoint of put_reduced."""
    if not x.ndim:
        return x
    if keepdims:
        return np.take_along_axis(x, indices, axis)
    return np.take_along_axis(x, np.expand_dims(indices, axis), axis).squeeze(axis)


def kthvalue(x: Array, k: int, axis: int, keepdims: bool = False) -> Pair:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    order = x.argsort(axis, kind="stable")
    place = order[(slice(None),) * axis + (slice(k - 1, k),)]
    return _at(x, place, axis, keepdims)


def median_all(x: Array, skip_nan: bool = False) -> Any:
    """The lower of the two middle elements; nan wins unless it is to be skipped."""
    flat = np.sort(x, axis=None)
    missing = int(np.count_nonzero(np.isnan(flat))) if x.dtype.kind in "fV" else 0
    if not x.size or (missing and not skip_nan) or missing == x.size:
        return x.dtype.type(np.nan)
    return flat[(x.size - missing - 1) // 2]


def median(x: Array, axis: int, keepdims: bool = False, skip_nan: bool = False) -> Pair:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    order = x.argsort(axis, kind="stable")
    size = x.shape[axis]
    middle = np.full([1 if one == axis else n for one, n in enumerate(x.shape)], (size - 1) // 2)
    if x.dtype.kind in "fV":
        empty = np.isnan(x)
        missing = np.count_nonzero(empty, axis, keepdims=True)
        if skip_nan:
            middle = np.where(missing == size, 0, (size - missing - 1) // 2)
        else:
            # The first nan, which sorting put behind all numbers.
            middle = np.where(missing > 0, size - missing, middle)
    return _at(x, np.take_along_axis(order, middle, axis), axis, keepdims)


def mode(x: Array, axis: int, keepdims: bool = False) -> Pair:
    """The most frequent value, the least of several; its last place."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    rows = np.moveaxis(x, axis, -1)
    order = rows.argsort(-1, kind="stable")
    ordered = np.take_along_axis(rows, order, -1)
    size = rows.shape[-1]
    number = np.broadcast_to(np.arange(size), rows.shape)
    fresh = np.ones(rows.shape, np.bool_)
    fresh[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    start = np.maximum.accumulate(np.where(fresh, number, 0), -1)
    run = number - start
    # argmax finds the first place where a run is at its longest: the end of the least such value's run.
    place = np.take_along_axis(order, run.argmax(-1, keepdims=True), -1)
    return _at(x, np.moveaxis(place, -1, axis), axis, keepdims)
