"""Reductions of segments: stretches of an axis, one after another, of given lengths."""

from __future__ import annotations

import numpy as np

from ..base.errstate import silent
from .numpy import Array

_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
_UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def reduce_segments(data: Array, lengths: Array, axis: int, reduce: str, initial: float | None) -> Array:
    """``lengths`` has the axes of ``data`` up to ``axis``, where it lists the segments."""
    rows, counts = _rows(data, lengths, axis)
    out = np.full((*counts.shape, rows.shape[2]), _STARTS[reduce] if initial is None else initial, rows.dtype)
    for row, count, result in zip(rows, counts, out, strict=True):
        ids = np.repeat(np.arange(len(count)), count)
        _UFUNCS[reduce].at(result, ids, row[: len(ids)])
    if reduce == "mean":
        with silent():
            mean = out / counts[:, :, None].astype(rows.dtype)
        out = mean if initial is None else np.where(counts[:, :, None] == 0, out, mean)
    return out.astype(data.dtype).reshape(lengths.shape + data.shape[axis + 1 :])


def segment_reduce_backward(
    g: Array, data: Array, out: Array, lengths: Array, axis: int, reduce: str, initial: float | None
) -> Array:
    """The gradient of :func:`reduce_segments`: shared among equals by a maximum, 0 outside of all segments."""
    rows, counts = _rows(data, lengths, axis)
    grads, values = (x.reshape(*counts.shape, -1).astype(rows.dtype) for x in (g, out))
    result = np.zeros_like(rows)
    factor = 1 if initial is None else initial
    for row, count, grad, value, into in zip(rows, counts, grads, values, result, strict=True):
        start = 0
        for segment, length in enumerate(count.tolist()):
            part = row[start : start + length]
            into[start : start + length] = grad[segment] * _partials(part, value[segment], reduce, factor)
            start += length
    return result.astype(data.dtype).reshape(data.shape)


def _partials(part: Array, value: Array, reduce: str, factor: float) -> Array:
    """The derivative of a segment's result with respect to each of its elements."""
    with silent():
        if reduce == "sum":
            return np.ones_like(part)
        if reduce == "mean":
            return np.full_like(part, 1 / max(len(part), 1))
        if reduce == "prod":
            before = np.cumprod(np.concatenate([np.ones_like(part[:1]), part[:-1]]), 0)
            after = np.cumprod(np.concatenate([np.ones_like(part[:1]), part[:0:-1]]), 0)[::-1]
            return np.asarray(before * after * factor, part.dtype)
        equal = (part == value) | np.isnan(part)
        return np.asarray(equal / np.maximum(equal.sum(0), 1), part.dtype)


def _rows(data: Array, lengths: Array, axis: int) -> tuple[Array, Array]:
    """The data as (outer, along, inner), with room to sum halves in, and the lengths as (outer, segment)."""
    outer = int(np.prod(data.shape[:axis], dtype=np.int64))
    inner = int(np.prod(data.shape[axis + 1 :], dtype=np.int64))
    wide = data.astype(np.float32) if data.dtype.itemsize < 4 else data
    return wide.reshape(outer, data.shape[axis], inner), lengths.reshape(outer, lengths.shape[axis])
