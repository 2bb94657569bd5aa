"""Compiled attention, a block of rows of scores at a time. It takes float32 and float64, and masks that are added."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Sizes = tuple[int, ...]


def _sizes(query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool) -> Sizes | None:
    """What native/attention.cpp calls Heads; None where the arrays are not taken."""
    given = [query, key, value] if mask is None else [query, key, value, mask]
    if native is None or any(each.dtype is not query.dtype or not each.size for each in given):
        return None
    if query.dtype.char not in "fd" or query.ndim != 4 or key.shape != value.shape or key.shape[:2] != query.shape[:2]:
        return None
    masks = (0, 0, 0)
    if mask is not None:
        if mask.ndim > 4 or not mask.ndim or mask.shape[-1] != key.shape[2]:
            return None
        masks = ((1,) * (4 - mask.ndim) + mask.shape)[:3]
    return (*query.shape[:3], key.shape[2], query.shape[3], *masks, int(is_causal))


def _rows(x: Array) -> Array:
    """The array, whose rows may lie apart, but no numbers of one."""
    return x if x.strides[3] == x.itemsize else np.ascontiguousarray(x)


def attention(query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float) -> Array | None:
    sizes = _sizes(query, key, value, mask, is_causal)
    if native is None or sizes is None:
        return None
    out, added = np.empty(query.shape, query.dtype), None if mask is None else np.ascontiguousarray(mask)
    return out if native.attention(out, _rows(query), _rows(key), _rows(value), added, scale, sizes) else None


def attention_backward(
    g: Array, query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array, Array] | None:
    sizes = _sizes(query, key, value, mask, is_causal)
    if native is None or sizes is None or g.dtype is not query.dtype:
        return None
    out = np.empty(query.shape, query.dtype), np.empty(key.shape, query.dtype), np.empty(key.shape, query.dtype)
    added, given = None if mask is None else np.ascontiguousarray(mask), map(_rows, (g, query, key, value))
    return out if native.attention_backward(*out, *given, added, scale, sizes) else None
