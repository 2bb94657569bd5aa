"""Kernels of discrete Fourier transforms.

``norm`` says what the sums are divided by: 0 nothing, 1 the root of the number of points, 2 that number. Results lie in
memory as PyTorch's do: the axes that were not transformed first, then the transformed ones, the last of them innermost.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import numpy as np

from ..base.errstate import silent
from .numpy import Array

NONE, ROOT, COUNT = 0, 1, 2
_Mode = Literal["backward", "ortho", "forward"]
_FORWARD: tuple[_Mode, ...] = ("backward", "ortho", "forward")
_BACKWARD: tuple[_Mode, ...] = ("forward", "ortho", "backward")


def c2c(x: Array, axes: tuple[int, ...], norm: int, forward: bool) -> Array:
    """Complex to complex; ``forward`` is the sign of the exponent."""
    if not axes:
        return x.copy()
    return _in_layout(x, axes, True, functools.partial(_whole, count=len(axes), norm=norm, forward=forward))


def r2c(x: Array, axes: tuple[int, ...], norm: int, onesided: bool) -> Array:
    """Real to complex, forward; of the last axis only the first half and the middle if ``onesided``."""

    def half(y: Array) -> Array:
        return _whole(np.fft.rfft(y, norm=_FORWARD[norm]), len(axes) - 1, norm, True, before=1)

    return _in_layout(x, axes, False, half if onesided else functools.partial(_whole, count=len(axes), norm=norm, forward=True))


def c2r(x: Array, axes: tuple[int, ...], norm: int, size: int) -> Array:
    """Complex to real, backward: the last axis has half of what would give ``size`` real points."""

    def full(y: Array) -> Array:
        return np.fft.irfft(_whole(y, len(axes) - 1, norm, False, before=1), size, norm=_BACKWARD[norm])

    return _in_layout(x, axes, False, full)


def _whole(y: Array, count: int, norm: int, forward: bool, before: int = 0) -> Array:
    """Complex to complex along ``count`` axes, the last ones ``before`` the last ones, from the innermost."""
    transform, names = (np.fft.fft, _FORWARD) if forward else (np.fft.ifft, _BACKWARD)
    for axis in range(-1 - before, -1 - before - count, -1):
        y = transform(y, axis=axis, norm=names[norm])
    return y


def _order(x: Array, axes: tuple[int, ...], sort_last: bool) -> list[int]:
    """The axes from outermost to innermost as the result has them."""
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    rest.sort(key=lambda axis: -x.strides[axis])
    among = list(axes if sort_last else axes[:-1])
    among.sort(key=lambda axis: -x.strides[axis])
    return rest + among + ([] if sort_last else [axes[-1]])


def _in_layout(x: Array, axes: tuple[int, ...], sort_last: bool, transform: Callable[[Array], Array]) -> Array:
    """Transforms the axes, brought to the end for the time."""
    order = _order(x, axes, sort_last)
    with silent():
        if order == list(range(x.ndim)):
            return np.ascontiguousarray(transform(x))
        out = np.ascontiguousarray(transform(x.transpose(order)))
    return out.transpose(np.argsort(order))


def scale_part(x: Array, axis: int, start: int, count: int, factor: float) -> Array:
    """``count`` entries along an axis, from ``start``, times a number."""
    out = np.array(x, order="C")
    where = (slice(None),) * axis + (slice(start, start + count),)
    out[where] *= factor
    return out


def frequencies(count: int, first_negative: int, step: float, dtype: np.dtype[np.floating]) -> Array:
    """0, 1, 2, ... times a step; from ``first_negative`` on counted from behind."""
    index = np.arange(count, dtype=np.float64)
    index[first_negative:] -= count
    wide = np.dtype(np.float64 if dtype == np.float64 else np.float32)
    with silent():
        values: Array = (index.astype(dtype).astype(wide) * wide.type(step)).astype(dtype)
    return values
