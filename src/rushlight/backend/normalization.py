"""Kernels that bring groups of elements to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activations import in_single
from .numpy import Array

Axes = tuple[int, ...]


def moments(x: Array, axes: Axes, eps: float) -> tuple[Array, Array]:
    """Mean and 1 / standard deviation along axes (kept), added up in double precision."""
    wide = x if x.dtype == np.float64 else x.astype(np.float64)
    with np.errstate(all="ignore"):
        mean = np.mean(wide, axes, keepdims=True)
        off = wide - mean
        spread = np.mean(off * off, axes, keepdims=True)
    dtype = in_single(x).dtype
    return mean.astype(dtype), (1 / np.sqrt(spread + eps)).astype(dtype)


def applied(x: Array, mean: Array, rstd: Array, weight: Array | None, bias: Array | None) -> Array:
    out = (in_single(x) - mean) * rstd
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out.astype(x.dtype, copy=False)  # type: ignore[no-any-return]


def layer_norm(x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5) -> Array:
    """Normalizes over the last axes; weight and bias have their shape."""
    return applied(x, *moments(x, axes, eps), weight, bias)


def layer_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    mean, rstd = moments(x, axes, eps)
    return applied(x, mean, rstd, weight, bias), mean, rstd


def per_channel(values: Array | None, ndim: int) -> Any:
    """A vector as long as axis 1, made to broadcast against it."""
    return None if values is None else values.reshape(-1, *(1,) * (ndim - 2))


def all_but_channels(ndim: int) -> Axes:
    return (0, *range(2, ndim))


def batch_norm(x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5) -> Array:
    """Normalizes each channel (axis 1)."""
    mean, rstd = moments(x, all_but_channels(x.ndim), eps)
    return applied(x, mean, rstd, per_channel(weight, x.ndim), per_channel(bias, x.ndim))


def batch_norm_given(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Normalizes each channel with a mean and a variance that were measured before."""
    with np.errstate(all="ignore"):
        rstd = 1 / np.sqrt(var + mean.dtype.type(eps))
    columns = [per_channel(values, x.ndim) for values in (mean, rstd, weight, bias)]
    return applied(x, *columns)


def group_norm(x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5) -> Array:
    """Normalizes each sample's groups of channels."""
    return group_norm_with_moments(x, weight, bias, groups, eps)[0]


def group_norm_with_moments(
    x: Array, weight: Array | None = None, bias: Array | None = None, groups: int = 1, eps: float = 1e-5
) -> tuple[Array, Array, Array]:
    size = x.size // (x.shape[0] * groups) if x.size else 0
    rows = x.reshape(x.shape[0], groups, size)
    mean, rstd = moments(rows, (2,), eps)
    out = ((in_single(rows) - mean) * rstd).reshape(x.shape)
    if weight is not None:
        out *= per_channel(weight, x.ndim)
    if bias is not None:
        out += per_channel(bias, x.ndim)
    return out.astype(x.dtype, copy=False), mean[..., 0], rstd[..., 0]
