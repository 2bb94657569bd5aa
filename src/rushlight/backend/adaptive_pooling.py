"""Pooling over windows of unequal lengths: bins that cover the last axes, and windows that begin at random.

Indices of maxima are as in pooling.py, whose ``pool_gather`` picks them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels import pooling as compiled
from ..kernels import register
from ..kernels.half_precision import is_half
from .numpy import Array, Shape, in_single, rounded_once
from .pooling import spread_in_turn

_KEPT = 256  # arrays of indices
_LARGEST = 1 << 14  # numbers that say which element lies in which bin


@register(compiled.adaptive_avg_pool)
@rounded_once
def adaptive_avg_pool(x: Array, size: Shape) -> Array:
    """Means over ``size`` bins that cover the last axes."""
    spatial = x.shape[x.ndim - len(size) :]
    total = np.ascontiguousarray(x)
    product = _product(total, spatial, size, back=False)
    if product is not None:
        total = product
    else:
        for axis, (have, want) in enumerate(zip(spatial, size, strict=True), x.ndim - len(size)):
            if want and have % want == 0:
                bins = total.reshape(*total.shape[:axis], want, have // want, *total.shape[axis + 1 :])
                total = np.add.reduce(bins, axis=axis + 1)
            else:
                total = _sums(total, axis, *_bins(have, want))
    return _shared(total, spatial, size)


@register(compiled.adaptive_avg_pool_input_grad)
def adaptive_avg_pool_input_grad(g: Array, x_shape: Shape, rank: int) -> Array:
    """The transpose of ``adaptive_avg_pool``."""
    spatial, size = x_shape[len(x_shape) - rank :], g.shape[g.ndim - rank :]
    x = _shared(g, spatial, size)
    if is_half(g):
        return spread_in_turn(x, spatial, [_parts(have, want) for have, want in zip(spatial, size, strict=True)])
    product = _product(x, spatial, size, back=True)
    if product is not None:
        x = product
    else:
        for axis, (have, want) in enumerate(zip(spatial, size, strict=True), g.ndim - rank):
            if want and have % want == 0:
                lead, rest = x.shape[:axis], x.shape[axis + 1 :]
                x = np.broadcast_to(np.expand_dims(x, axis + 1), (*lead, want, have // want, *rest)).reshape(*lead, have, *rest)
            else:
                x = _sums(x, axis, *_bins_around(have, want))
    return np.asarray(x)


def _shared(x: Array, spatial: Shape, size: Shape) -> Array:
    """What belongs to each bin divided by the number of its elements."""
    for axis, (have, want) in enumerate(zip(spatial, size, strict=True), -len(size)):
        x = x / _bins(have, want)[1].astype(x.dtype).reshape(-1, *(1,) * (-axis - 1))
    return x


def _product(x: Array, spatial: Shape, size: Shape, back: bool) -> Array | None:
    """The sums of uneven bins, or ``back``: of the bins around each element, by a product with ones and zeros.

    None for large ones, and where something is not finite, which zeros would make nan.
    """
    even = all(want and have % want == 0 for have, want in zip(spatial, size, strict=True))
    if even or x.dtype.kind != "f" or math.prod(spatial) * math.prod(size) > _LARGEST:
        return None
    ones = _membership(spatial, size).astype(x.dtype, copy=False)
    lead = x.shape[: x.ndim - len(size)]
    flat = x.reshape(math.prod(lead), math.prod(size if back else spatial))
    total = flat @ (ones.T if back else ones)
    if not np.isfinite(total).all():
        return None
    return total.reshape(*lead, *(spatial if back else size))


@functools.lru_cache(32)
def _membership(spatial: Shape, size: Shape) -> Array:
    """1 where an element of a plane (rows) lies in a bin (columns), else 0."""
    ones = np.ones((1, 1), np.float32)
    for have, want in zip(spatial, size, strict=True):
        begin, length = _bins(have, want)
        place = np.arange(have)[:, None]
        ones = np.kron(ones, ((begin <= place) & (place < begin + length)).astype(np.float32))
    return ones


@functools.lru_cache(_KEPT)
def _bins(have: int, want: int) -> tuple[Array, Array]:
    """Where each of ``want`` bins over an axis of ``have`` elements begins, and how long it is."""
    number = np.arange(want)
    begin = number * have // max(want, 1)
    return begin, -(-(number + 1) * have // max(want, 1)) - begin


def _parts(have: int, want: int) -> list[tuple[slice, slice]]:
    """Each bin, and its elements."""
    return [
        (slice(at, at + 1), slice(begin, begin + length))
        for at, (begin, length) in enumerate(zip(*_bins(have, want), strict=True))
    ]


@functools.lru_cache(_KEPT)
def _bins_around(have: int, want: int) -> tuple[Array, Array]:
    """The first of the bins that each element lies in, and of how many: neighbours share what does not divide."""
    begin, length = _bins(have, want)
    first = np.searchsorted(begin + length, np.arange(have), "right")
    return first, np.searchsorted(begin, np.arange(have), "right") - first


def _sums(x: Array, axis: int, begin: Array, length: Array) -> Array:
    """Along an axis the sum of each range of elements that begins there and is so long."""
    lead: Any = (slice(None),) * axis
    total = np.zeros((*x.shape[:axis], len(begin), *x.shape[axis + 1 :]), x.dtype)
    for tap in range(int(length.max(initial=0))):
        inside = np.flatnonzero(tap < length)
        total[*lead, inside] += x.take(begin[inside] + tap, axis)
    return total


@register(compiled.adaptive_max_pool)
def adaptive_max_pool(x: Array, size: Shape) -> tuple[Array, Array]:
    """Maxima over ``size`` bins that cover the last axes, and their indices."""
    return _max_of_ragged(x, size, _indices_in_bins(x.shape[-len(size) :], size))


@functools.lru_cache(_KEPT)
def _indices_in_bins(spatial: Shape, size: Shape) -> Array:
    bins = [_bins(have, want) for have, want in zip(spatial, size, strict=True)]
    return _indices(spatial, [begin for begin, _ in bins], [length for _, length in bins])


def fractional_max_pool(x: Array, kernel: Shape, size: Shape, samples: Array) -> tuple[Array, Array]:
    """Maxima over windows that begin where ``samples`` (N, C, len(kernel)) say, in x (N, C, *spatial).

    In two dimensions the first of the samples is for the last axis, as PyTorch has it; in three, for the first.
    """
    rank = len(kernel)
    order = range(rank - 1, -1, -1) if rank == 2 else range(rank)
    begins = []
    for have, taps, want, sample in zip(x.shape[-rank:], kernel, size, order, strict=True):
        where = samples[..., sample, None].astype(x.dtype if x.dtype.itemsize > 2 else np.float32)
        if want > 1:
            apart = where.dtype.type(have - taps) / where.dtype.type(want - 1)
            begin = ((np.arange(want) + where) * apart).astype(np.int64) - (where * apart).astype(np.int64)
            begin[..., -1] = have - taps
        else:
            begin = np.full((*where.shape[:-1], want), have - taps, np.int64)
        begins.append(begin)
    if min(kernel) <= 0:  # windows of nothing: PyTorch says where they begin
        first = _indices(x.shape[-rank:], begins, [np.asarray(1)] * rank)
        shape = (*x.shape[:-rank], *size)
        return np.full(shape, -np.inf, x.dtype), first.reshape(shape)
    return _max_of_ragged(x, size, _indices(x.shape[-rank:], begins, [np.asarray(taps) for taps in kernel]))


def _max_of_ragged(x: Array, size: Shape, read: Array) -> tuple[Array, Array]:
    """Maxima over as many windows as ``size`` says, which ``read`` the elements of :func:`_indices`, and where they are.

    Of equals the first counts, of nan the last.
    """
    lead, taps = x.shape[: x.ndim - len(size)], read.shape[-1]
    planes = in_single(x).reshape(math.prod(lead), -1 if x.size else 0)
    if len(read) == 1:
        seen = planes.take(read[0], 1)
    else:
        seen = np.take_along_axis(planes, read.reshape(len(read), -1), 1).reshape(read.shape)
    first = seen.argmax(-1)
    best = _picked(seen, first)
    if seen.dtype.kind == "f" and (missing := np.isnan(best)).any():
        first[missing] = taps - 1 - np.isnan(seen[missing])[:, ::-1].argmax(-1)
    indices = _picked(read, first)
    return best.reshape(*lead, *size).astype(x.dtype, copy=False), indices.reshape(*lead, *size)


def _picked(values: Array, number: Array) -> Array:
    """Of each line of the last axis the element of that number; lines that all planes share are there once."""
    begins = np.arange(0, values.size, values.shape[-1]).reshape(values.shape[:-1])
    return values.take(begins + number)


def _indices(spatial: Shape, begins: Sequence[Array], lengths: Sequence[Array]) -> Array:
    """Where in a plane each window's elements are: (planes, or 1 for all; windows; elements in row-major order).

    Windows of fewer elements than the largest have the last ones again.
    """
    rank = len(begins)
    indices: Array = np.zeros((), np.int64)
    for axis, (have, begin, length) in enumerate(zip(spatial, begins, lengths, strict=True)):
        taps = np.arange(int(np.max(length, initial=1)))
        along = begin[..., None] + np.minimum(taps, length[..., None] - 1)
        window, tap = [1] * rank, [1] * rank
        window[axis], tap[axis] = along.shape[-2:]
        indices = indices * have + along.reshape(*begin.shape[:-1], *window, *tap)
    shape = indices.shape[indices.ndim - 2 * rank :]
    planes = math.prod(indices.shape[: indices.ndim - 2 * rank])
    return indices.reshape(planes, math.prod(shape[:rank]), math.prod(shape[rank:]))
