"""Kernels of attention, and of products of three factors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels import attention as compiled
from ..kernels import register
from ..kernels.half_precision import kept
from . import softmax
from .matmul import product
from .numpy import Array, Shape, converted, in_single


def safe_softmax(x: Array, axis: int) -> Array:
    """Softmax, with zeros along lines that are -inf throughout."""
    out = softmax.softmax(x, axis)
    if x.size and np.isnan(out.take(0, axis)).any():
        out = np.where((x == -np.inf).all(axis, keepdims=True), out.dtype.type(0), out)
    return out


def causal(x: Array) -> Array:
    """-inf above the diagonal of the last two axes."""
    return np.where(np.tri(*x.shape[-2:]) > 0, x, x.dtype.type(-np.inf))


def _stack(x: Array) -> Array:
    """(B, H, L, E) as one batch of matrices (B * H, L, E)."""
    return x.reshape(-1, *x.shape[-2:])


def _weights(query: Array, key: Array, heads: Shape, mask: Array | None, is_causal: bool, scale: float) -> Array:
    """softmax(query @ key.T * scale + mask) of stacks (G, L, E) and (G, S, E), the mask for ``heads`` (B, H) before L and S."""
    scores = product(query, key.swapaxes(1, 2))
    np.multiply(scores, scores.dtype.type(scale), scores)
    if is_causal:
        scores = causal(scores)
    if mask is not None:
        scores = (scores.reshape(*heads, *scores.shape[1:]) + mask).reshape(scores.shape)
    weights = safe_softmax(scores, 2)
    if is_causal and np.isnan(weights[:, :, :1]).any():  # what is not seen has no part in nan
        weights = np.where(np.tri(*scores.shape[1:]) > 0, weights, scores.dtype.type(0))
    return weights


@register(compiled.attention)
def _attention(query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float) -> Array:
    weights = _weights(_stack(query), _stack(key), query.shape[:2], mask, is_causal, scale)
    return product(weights, _stack(value)).reshape(query.shape)


def attention(
    query: Array, key: Array, value: Array, mask: Array | None = None, is_causal: bool = False, scale: float = 1.0
) -> Array:
    """softmax(query @ key.T * scale + mask) @ value for (B, H, L, E), (B, H, S, E), (B, H, S, E); the mask is added.

    Half precision computes in single. The result's dimensions lie in memory as the query's do, where all rows are whole.
    """
    out = _attention(in_single(query), in_single(key), in_single(value), mask, is_causal, scale).astype(query.dtype, copy=False)
    laid = np.empty_like(query)
    if laid.strides == out.strides or any(each.strides[3] != each.itemsize for each in (query, key, value)):
        return out
    np.copyto(laid, out)
    return laid


@register(compiled.attention_backward)
def _attention_backward(
    g: Array, query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array, Array]:
    g3, q, k, v = _stack(g), _stack(query), _stack(key), _stack(value)
    weights = _weights(q, k, query.shape[:2], mask, is_causal, scale)
    for_scores = softmax.softmax_grad(product(g3, v.swapaxes(1, 2)), weights, 2)
    np.multiply(for_scores, for_scores.dtype.type(scale), for_scores)
    return (
        product(for_scores, k).reshape(query.shape),
        product(for_scores.swapaxes(1, 2), q).reshape(key.shape),
        product(weights.swapaxes(1, 2), g3).reshape(value.shape),
    )


def attention_backward(
    g: Array, query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array, Array]:
    """What ``g`` becomes on its way back through :func:`attention` to query, key and value."""
    return _attention_backward(in_single(g), in_single(query), in_single(key), in_single(value), mask, is_causal, scale)


def trilinear(a: Array, weight: Array, b: Array) -> Array:
    """``out[n, o]`` is the sum over i and j of ``a[n, i] * weight[o, i, j] * b[n, j]``."""
    outputs, first, second = weight.shape
    left = kept(in_single(a) @ in_single(weight).transpose(1, 0, 2).reshape(first, outputs * second), a.dtype)
    out = (left.reshape(len(a), outputs, second) * in_single(b)[:, None, :]).sum(2)
    return np.asarray(out).astype(a.dtype, copy=False)


def half_trilinear_grad(g: Array, weight: Array, b: Array) -> Array:
    """What ``g`` in half precision becomes on its way back to a: an output of :func:`trilinear` after the other."""
    return _over_outputs(
        g, weight, lambda one, matrix: (kept(one[..., None] * matrix, g.dtype) * in_single(b)[:, None]).sum(-1)
    )


def half_trilinear_grad_of_last(g: Array, a: Array, weight: Array) -> Array:
    """What it becomes on its way back to b."""
    return _over_outputs(g, weight, lambda one, matrix: kept(in_single(a) @ matrix, g.dtype) * one)


def _over_outputs(g: Array, weight: Array, part: Callable[[Array, Array], Array]) -> Array:
    total: Array = np.zeros((), np.float32)
    for one, matrix in zip(in_single(g).T[..., None], in_single(weight), strict=True):
        total = kept(total + kept(part(one, matrix), g.dtype), g.dtype)
    return converted(total, g.dtype)
