"""Kernels that move pixels between space and channels."""

from __future__ import annotations

from .numpy import Array


def pixel_shuffle(x: Array, factor: int) -> Array:
    """(..., C * factor ** 2, H, W) as (..., C, H * factor, W * factor)."""
    *lead, channels, height, width = x.shape
    few = channels // factor**2
    n = len(lead)
    parts = x.reshape(*lead, few, factor, factor, height, width)
    parts = parts.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.reshape((*lead, few, height * factor, width * factor), copy=True)


def pixel_unshuffle(x: Array, factor: int) -> Array:
    """(..., C, H * factor, W * factor) as (..., C * factor ** 2, H, W)."""
    *lead, channels, height, width = x.shape
    n = len(lead)
    parts = x.reshape(*lead, channels, height // factor, factor, width // factor, factor)
    parts = parts.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.reshape((*lead, channels * factor**2, height // factor, width // factor), copy=True)


def channel_shuffle(x: Array, groups: int) -> Array:
    """Channels (axis 1) dealt out anew: the first of each group, then the second of each, ..."""
    samples, channels, *rest = x.shape
    parts = x.reshape(samples, groups, channels // groups, *rest).swapaxes(1, 2)
    return parts.reshape(x.shape, copy=True)
