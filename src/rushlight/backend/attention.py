"""Kernels of attention, and of products of three factors."""

from __future__ import annotations

import numpy as np

from .activations import in_single
from .numpy import Array


def safe_softmax(x: Array, axis: int) -> Array:
    """Softmax, with zeros along lines that are -inf throughout."""
    wide = in_single(x)
    high = wide.max(axis, keepdims=True, initial=-np.inf)
    dead = high == -np.inf
    out = np.exp(wide - np.where(dead, wide.dtype.type(0), high))
    total = out.sum(axis, keepdims=True)
    return (out / np.where(dead, total.dtype.type(1), total)).astype(x.dtype, copy=False)


def causal(x: Array) -> Array:
    """-inf above the diagonal of the last two axes."""
    return np.where(np.tri(*x.shape[-2:]) > 0, x, x.dtype.type(-np.inf))


def attention(
    query: Array, key: Array, value: Array, mask: Array | None = None, is_causal: bool = False, scale: float = 1.0
) -> Array:
    """softmax(query @ key.T * scale + mask) @ value over the last two axes; the mask is added."""
    scores = in_single(query) @ in_single(key).swapaxes(-1, -2) * query.dtype.type(scale)
    if is_causal:
        scores = causal(scores)
    if mask is not None:
        scores = scores + mask
    weights = safe_softmax(scores, scores.ndim - 1)
    return (weights @ in_single(value)).astype(query.dtype, copy=False)


def trilinear(a: Array, weight: Array, b: Array) -> Array:
    """``out[n, o]`` is the sum over i and j of ``a[n, i] * weight[o, i, j] * b[n, j]``."""
    outputs, first, second = weight.shape
    left = a @ weight.transpose(1, 0, 2).reshape(first, outputs * second)
    return np.asarray((left.reshape(len(a), outputs, second) * b[:, None, :]).sum(2))
