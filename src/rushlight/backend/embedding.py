"""Kernels that look rows of a matrix up by their numbers, one by one or bag by bag.

A bag's members lie next to each other in ``indices``; ``offsets`` says where each bag begins.
"""

from __future__ import annotations

import numpy as np

from ..kernels import bags, register
from .flat_indices import add_rows, within
from .numpy import Array, Shape, in_single
from .sort import argsort
from .sparse_gradients import ScatteredArray


def embedding(weight: Array, indices: Array) -> Array:
    return _rows(weight, indices)


def _rows(weight: Array, indices: Array) -> Array:
    if not within(indices, 0, weight.shape[0]):
        raise IndexError("index out of range in self")
    return weight.take(indices, 0)


def embedding_but(weight: Array, indices: Array, but: int, by_frequency: bool) -> Array:
    """``embedding`` with zeros for the row ``but``: the transpose of its gradient."""
    out = _rows(weight, indices)
    if by_frequency:
        out = (out / frequencies(indices, weight.shape[0])[indices][..., None]).astype(weight.dtype)
    return np.where((indices == but)[..., None], weight.dtype.type(0), out)


def frequencies(indices: Array, rows: int) -> Array:
    return np.bincount(indices.reshape(-1), minlength=rows)


def embedding_adjoint(g: Array, indices: Array, shape: Shape, but: int, by_frequency: bool, by_sort: bool = False) -> Array:
    """Zeros of ``shape`` with the rows of g added where they belong, except to the row ``but``.

    In half precision every sum is rounded, one after another as PyTorch does.

    ``by_sort``  rows are added in the order of PyTorch's sort of the indices
    """
    flat = indices.reshape(-1)
    each_rounded = g.dtype.itemsize == 2 and (by_sort or not by_frequency)
    rows = (np.asarray(g) if each_rounded else in_single(g)).reshape(len(flat), shape[1])
    out = np.zeros(shape, rows.dtype)
    if each_rounded:
        turns = argsort(flat, 0) if by_sort else slice(None)
        np.add.at(out, flat[turns], rows[turns])
    else:
        add_rows(out, flat, rows, True)
    if by_frequency:
        counts = frequencies(flat, shape[0])
        found = np.flatnonzero(counts)
        out[found] /= counts[found, None]
    if 0 <= but < shape[0]:
        out[but] = 0
    return out.astype(g.dtype, copy=False)


def embedding_rows(g: Array, indices: Array, shape: Shape, but: int) -> ScatteredArray:
    """:func:`embedding_adjoint` by rows and their numbers alone."""
    g = np.asarray(g)
    flat = indices.reshape(-1)
    rows = g.reshape(len(flat), shape[1])
    counted = flat != but
    if not counted.all():
        flat, rows = flat[counted], rows[counted]
    return ScatteredArray(flat[None].astype(np.int64), np.ascontiguousarray(rows), shape)


def embedding_renorm(weight: Array, indices: Array, max_norm: float, ord: float) -> None:
    """Scales, in place, the named rows whose norm is above ``max_norm`` down to it."""
    named = np.unique(indices)
    for rows in np.split(named, len(named)) if _rows_meet(weight) else (named,):
        norms = np.linalg.norm(weight[rows].astype(np.float64), ord, 1)
        large = norms > max_norm
        weight[rows[large]] *= (max_norm / (norms[large] + 1e-7)).astype(weight.dtype)[:, None]


def _rows_meet(weight: Array) -> bool:
    """Whether a row may have elements of the one before: then each is scaled as that left it."""
    down, right = weight.strides
    return down < weight.shape[1] * right and right < weight.shape[0] * down


def one_hot(target: Array, classes: int) -> Array:
    """Ones at the classes, along a new last axis."""
    if not target.size or target.min() < 0 or target.max() >= classes:
        return (target[..., None] == np.arange(classes)).astype(np.int64)
    out = np.zeros((*target.shape, classes), np.int64)
    out.reshape(-1)[np.arange(0, out.size, classes) + target.reshape(-1)] = 1
    return out


# Bags.


def bag_numbers(offsets: Array, count: int) -> Array:
    """For each index the bag that it is in."""
    return np.searchsorted(offsets, np.arange(count), "right") - 1


def bag_sizes(indices: Array, offsets: Array, but: int) -> Array:
    """How many members count in each bag; at least 1."""
    counted = indices != but
    bags = bag_numbers(offsets, len(indices))
    return np.maximum(np.bincount(bags[counted], minlength=len(offsets)), 1)


def bag_shares(indices: Array, offsets: Array, g: Array, but: int) -> Array:
    """What of the mean's cotangent g each member has, (bags, 1), rounded to the dtype of g before it is multiplied with it."""
    return (1 / in_single(bag_sizes(indices, offsets, but).astype(g.dtype))).astype(g.dtype)[:, None]


@register(bags.bag_sums)
def embedding_bag(
    weight: Array, indices: Array, offsets: Array, scales: Array | None = None, mode: str = "mean", but: int = -1
) -> Array:
    """Sums, means or maxima of the rows that each bag names; a row ``but`` does not count."""
    if mode == "max":
        chosen = bag_argmax(weight, indices, offsets, but)
        columns = np.arange(weight.shape[1])
        return np.where(chosen < 0, weight.dtype.type(0), weight[np.maximum(chosen, 0), columns]) if weight.size else (
            np.zeros((len(offsets), weight.shape[1]), weight.dtype))  # fmt: skip
    rows = in_single(_rows(weight, indices))
    if scales is not None:
        rows = rows * scales[:, None]
    out = np.zeros((len(offsets), weight.shape[1]), rows.dtype)
    counted = indices != but
    add_rows(out, bag_numbers(offsets, len(indices))[counted], rows[counted], True)
    # The sum is rounded before it is divided, and in bfloat16, where no row is left out, halves away from zero.
    out = _away_from_zero(out, weight.dtype) if weight.dtype.kind == "V" and but < 0 else out.astype(weight.dtype, copy=False)
    if mode == "mean":
        out = (in_single(out) / bag_sizes(indices, offsets, but)[:, None].astype(rows.dtype)).astype(out.dtype, copy=False)
    return out


@register(bags.bag_argmax)
def bag_argmax(weight: Array, indices: Array, offsets: Array, but: int) -> Array:
    """For each bag and column the number of the row that is largest there; -1 for an empty bag."""
    out = np.full((len(offsets), weight.shape[1]), -1)
    ends = [*offsets[1:], len(indices)] if len(offsets) else []
    rows = _rows(weight, indices)
    for bag, (start, end) in enumerate(zip(offsets, ends, strict=True)):
        members = indices[start:end]
        counted = members != but
        if counted.any():
            out[bag] = members[counted][np.argmax(rows[start:end][counted], 0)]
    return out


def bag_places(chosen: Array) -> Array:
    """Where in the line of a weight's elements those are that :func:`bag_argmax` chose; the first row for empty bags."""
    columns = chosen.shape[1]
    return (np.maximum(chosen, 0) * columns + np.arange(columns)).reshape(-1)


def _away_from_zero(sums: Array, dtype: np.dtype[np.void]) -> Array:
    return ((sums.view(np.uint32) + np.uint32(0x8000)) >> 16).astype(np.uint16).view(dtype)
