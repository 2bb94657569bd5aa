"""Convolution with large kernels, as products of spectra: the work hardly grows with the kernel.

The same sums as in convolution.py, for stride 1, to the rounding of the transforms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .numpy import Array, Shape

# Measured in ns, in float32: per element of a transform and doubling of its size, and per complex multiplication.
_TRANSFORM, _PRODUCT = 0.4, 0.15
# Spectra are not cut into blocks: larger ones than this are left to the direct way.
_MOST_BYTES = 256 << 20


def cost(samples: int, groups: int, depth: int, channels: int, padded: Shape) -> float:
    """What it takes to correlate, in ns; the gradients take as much."""
    size = math.prod(map(_fast_length, padded))
    planes = groups * (samples * (depth + channels) + channels * depth)
    if planes * size * 4 > _MOST_BYTES:
        return math.inf
    return size * (planes * (_TRANSFORM * math.log2(size + 1) + 1) + groups * samples * channels * depth * _PRODUCT)


@np.errstate(all="ignore")
def correlate(x: Array, w: Array, y: Array, offset: Shape, dilation: Shape) -> bool:
    """y[n, g, o, p] = sum over c, t of w[g, o, c, t] * x[n, g, c, p + t * dilation + offset].

    False, and y unfinished, if an inf or nan came in: transforms spread it everywhere.
    """
    kernel, out = w.shape[3:], y.shape[3:]
    reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
    size = tuple(_fast_length(length + room - 1) for length, room in zip(out, reach, strict=True))
    padded = np.empty((*x.shape[:3], *(length + room - 1 for length, room in zip(out, reach, strict=True))), x.dtype)
    fill(padded, x, offset)
    seen = _by_frequency(_transform(padded, size), (1, 0, 2))
    weights = _by_frequency(_transform(_dilated(w, reach, dilation).conj(), size).conj(), (0, 2, 1))
    result = _inverse(_from_frequency(np.matmul(seen, weights), (1, 0, 2), size), size, x.dtype)
    if not np.isfinite(result).all():
        return False
    y[...] = result[_trailing(slice(length) for length in out)]
    return True


@np.errstate(all="ignore")
def correlate_to_weights(g: Array, x: Array, kernel: Shape, offset: Shape, dilation: Shape) -> Array | None:
    """w[g, o, c, t] = sum over n, p of g[n, g, o, p] * x[n, g, c, p + t * dilation + offset]; None as above."""
    out = g.shape[3:]
    reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
    size = tuple(_fast_length(length + room - 1) for length, room in zip(out, reach, strict=True))
    padded = np.empty((*x.shape[:3], *(length + room - 1 for length, room in zip(out, reach, strict=True))), x.dtype)
    fill(padded, x, offset)
    seen = _by_frequency(_transform(padded, size), (1, 0, 2))
    slopes = _by_frequency(_transform(g.conj(), size).conj(), (1, 2, 0))
    result = _inverse(_from_frequency(np.matmul(slopes, seen), (0, 1, 2), size), size, x.dtype)
    if not np.isfinite(result).all():
        return None
    return result[_trailing(slice(0, room, spread) for room, spread in zip(reach, dilation, strict=True))]


def _fast_length(length: int) -> int:
    """The least length from ``length`` on without prime factors above 5."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0 and rest:
                rest //= factor
        if rest == 1:
            return length
        length += 1


def _dilated(w: Array, reach: Shape, dilation: Shape) -> Array:
    if max(dilation) == 1:
        return w
    spread = np.zeros((*w.shape[:3], *reach), w.dtype)
    spread[_trailing(slice(None, None, step) for step in dilation)] = w
    return spread


def _transform(array: Array, size: Shape) -> Array:
    axes = tuple(range(3, 3 + len(size)))
    return np.fft.fftn(array, size, axes) if array.dtype.kind == "c" else np.fft.rfftn(array, size, axes)


def _inverse(array: Array, size: Shape, dtype: np.dtype[Any]) -> Array:
    back = np.fft.ifftn if dtype.kind == "c" else np.fft.irfftn
    return back(array, size, tuple(range(3, 3 + len(size))))


def _by_frequency(spectra: Array, order: tuple[int, int, int]) -> Array:
    """Spectra with three leading axes as matrices: (G, frequencies, rows, columns), axes taken in ``order``."""
    flat = spectra.reshape(*spectra.shape[:3], math.prod(spectra.shape[3:]))
    group, row, column = order
    return np.ascontiguousarray(flat.transpose(group, 3, row, column))


def _from_frequency(matrices: Array, order: tuple[int, int, int], size: Shape) -> Array:
    """(G, frequencies, rows, columns) back to spectra, the leading axes being group, row and column in ``order``."""
    leading = (0, 2, 3)
    flat = np.ascontiguousarray(matrices.transpose(*(leading[axis] for axis in order), 1))
    last = matrices.shape[1] // max(1, math.prod(size[:-1]))
    return flat.reshape(*flat.shape[:3], *size[:-1], last)


def fill(into: Array, x: Array, offset: Shape) -> None:
    """Copies the part of x that begins at ``offset`` of its spatial axes, zero outside x."""
    source: list[slice] = []
    target: list[slice] = []
    for size, have, first in zip(into.shape[3:], x.shape[3:], offset, strict=True):
        low = min(max(first, 0), have)
        high = max(low, min(first + size, have))
        source.append(slice(low, high))
        target.append(slice(low - first, high - first) if high > low else slice(0, 0))
    if any(part.stop - part.start < size for part, size in zip(target, into.shape[3:], strict=True)):
        into.fill(0)
    into[_trailing(target)] = x[_trailing(source)]


def _trailing(parts: Iterable[slice]) -> Any:
    """The index that takes ``parts`` of the last axes."""
    return (..., *parts)
