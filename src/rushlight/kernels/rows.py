"""Compiled kernels along rows: softmax, its logarithm, and layer norm, with their slopes; what folds rows to one number each.

They take float32 and float64 that lie in order, reduced along one axis (of layer norm the last axes), with one number at least.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from . import native
from .half_precision import Array, bits, by_single, is_half, kept

Axes = tuple[int, ...]
Axis = int | tuple[()]


def _inner(x: Array, axis: Axis) -> int:
    """How many numbers stand beside one another behind the axis; 0 where x is not taken."""
    if isinstance(axis, tuple) or x.dtype.char not in "fd" or not x.flags.c_contiguous or not x.size:
        return 0
    return 1 if axis == x.ndim - 1 else math.prod(x.shape[axis + 1 :])


def _beside(g: Array, y: Array) -> Array | None:
    """``g`` as ``y`` lies; a sum's cotangent is one number everywhere. None where it is of another kind."""
    if g.dtype is not y.dtype or g.shape != y.shape:
        return None
    return g if g.flags.c_contiguous else np.ascontiguousarray(g)


def _function(name: str) -> Callable[[Array, Axis], Array | None]:
    loop: Callable[[Array, Array, int, int], bool] | None = getattr(native, name, None)

    def kernel(x: Array, axis: Axis) -> Array | None:
        if loop and (inner := _inner(x, axis)) and not isinstance(axis, tuple):
            out = np.empty(x.shape, x.dtype)
            if loop(out, x, x.shape[axis], inner):
                return out
        return by_single(kernel, x, axis) if x.dtype.itemsize == 2 and not isinstance(axis, tuple) else None

    return kernel


def _grad(name: str) -> Callable[[Array, Array, Axis], Array | None]:
    loop: Callable[[Array, Array, Array, int, int], bool] | None = getattr(native, name, None)

    def kernel(v: Array, y: Array, axis: Axis) -> Array | None:
        if loop and (inner := _inner(y, axis)) and not isinstance(axis, tuple) and (g := _beside(v, y)) is not None:
            out = np.empty(y.shape, y.dtype)
            if loop(out, y, g, y.shape[axis], inner):
                return out
        return by_single(kernel, v, y, axis) if v.dtype.itemsize == 2 and not isinstance(axis, tuple) else None

    return kernel


softmax, softmax_grad = _function("softmax"), _grad("softmax_backward")
_log_softmax, log_softmax_grad = _function("log_softmax"), _grad("log_softmax_backward")


def log_softmax(x: Array, axis: Axis) -> Array | None:
    """Of half precision along the last dimension PyTorch keeps each total, and its logarithm, in the dtype of ``x``."""
    if x.dtype.itemsize != 2 or axis != x.ndim - 1:
        return _log_softmax(x, axis)

    def by_steps(wide: Array, axis: Axis) -> Array | None:
        out = _log_softmax(wide, axis)
        if out is not None:
            total = -out.max(-1, keepdims=True)  # its logarithm, since the greatest number is 0 off itself
            out += total - kept(np.log(kept(np.exp(total), x.dtype)), x.dtype)
        return out

    return by_single(by_steps, x, axis)


_MANY = 1 << 10  # numbers: fewer are added in PyTorch's order, and multiplied by NumPy as quickly


def _fold(name: str) -> Callable[[Array, Axes | int | None, bool], Array | None]:
    loop: Callable[[Array, Array, int], bool] | None = getattr(native, name, None)

    def kernel(x: Array, axis: Axes | int | None, keepdims: bool) -> Array | None:
        if loop and x.size > _MANY and axis == (x.ndim - 1,) and x.dtype.char in "fd" and x.flags.c_contiguous:
            out = np.empty((*x.shape[:-1], *(1,) * keepdims), x.dtype)
            if loop(out, x, x.shape[-1]):
                return out
        return None

    return kernel


squares, products = _fold("row_squares"), _fold("row_products")
maxima, minima = _fold("row_maxima"), _fold("row_minima")


def total(flat: Array) -> Array | None:
    """The sum of a line of numbers, as backend/summation.py adds them."""
    if native is None or flat.dtype.char not in "fd":
        return None
    out = np.empty((), flat.dtype)
    return out if native.total(out, flat) else None


_number_sums = _fold("row_number_sums")


def nansum(
    x: Array, axis: Axes | int | None, keepdims: bool = False, dtype: np.dtype[np.generic] | None = None
) -> Array | None:
    if native is None or (dtype is not None and dtype is not x.dtype):
        return None
    if axis is not None and axis != tuple(range(x.ndim)):
        return _number_sums(x, axis, keepdims)
    out = _number_sums(x.reshape(1, -1), (1,), False) if x.flags.c_contiguous else None
    return None if out is None else out.reshape((1,) * (x.ndim if keepdims else 0))


def sums_of_groups(array: Array, first: bool, sizes: Axes) -> Array | None:
    """Sums of axes taken together as backend/line_sums.py does: of ``sizes`` every second goes, with the first of them or the second.

    The last axis to go is added up by a kernel, and of those sums what is added up before it in turn.
    """
    count = len(sizes)
    if native is None or array.dtype.char not in "fd" or not 0 < count < 5:
        return None
    if count == 1:
        return total(array) if first else None
    if first is (count % 2 == 0):  # down columns
        out = np.empty((*sizes[:-2], sizes[-1]), array.dtype)
        taken = native.column_sums(out, array, sizes[-2], sizes[-1])
    else:
        out = np.empty(sizes[:-1], array.dtype)
        taken = native.row_sums(out, array, sizes[-1])
    if not taken:
        return None
    return out if count < 3 + (not first) else np.asarray(_in_turn(out, 0 if first else 1))


def _in_turn(lines: Array, axis: int) -> Array:
    """Sums along an axis, one after another: NumPy adds a single column in another order."""
    if axis == lines.ndim - 1 or lines.shape[-1] == 1:
        return np.add.accumulate(lines, axis).take(-1, axis)
    return np.add.reduce(lines, axis)


def _length(x: Array, axes: Axes) -> int:
    """The length of the rows that the last axes make; 0 where ``axes`` are others, or not in order."""
    if axes == tuple(range(x.ndim - len(axes), x.ndim)) and x.dtype.char in "fd" and x.flags.c_contiguous and x.size:
        return math.prod(x.shape[x.ndim - len(axes) :])
    return 0


def layer_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, axes: Axes = (), eps: float = 1e-5
) -> Array | None:
    length = _length(x, axes)
    if native and length:
        out = np.empty(x.shape, x.dtype)
        if native.layer_norm(out, x, weight, bias, length, eps):
            return out
    return _layer_norm_of_halves(x, weight, bias, axes, eps) if x.dtype.itemsize == 2 else None


_FEW = 1 << 8  # numbers of two bytes


def _takes_halves(x: Array, axes: Axes) -> bool:
    return is_half(x) and x.flags.c_contiguous and x.size >= _FEW and axes == tuple(range(axes[0], x.ndim))


def _layer_norm_of_halves(x: Array, weight: Array | None, bias: Array | None, axes: Axes, eps: float) -> Array | None:
    if native is None or not _takes_halves(x, axes):
        return None
    length = math.prod(x.shape[axes[0] :])
    out, moments = np.empty(x.shape, x.dtype), np.empty(2 * (x.size // length), np.float32)
    row, shift = (None if each is None else each.astype(np.float32) for each in (weight, bias))
    taken = native.layer_norm_of_halves(bits(out), moments, bits(x), row, shift, length, eps, x.dtype.char != "e")
    return out if taken else None


def layer_norm_backward(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    """What ``g`` becomes on its way back to x, weight and bias, as far as needed."""
    length = _length(x, axes)
    if native and length and (given := _beside(g, x)) is not None:
        shapes = (x.shape, x.shape[axes[0] :], x.shape[axes[0] :])
        out = [np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs, strict=True)]
        if native.layer_norm_backward(*out, given, x, weight, length, eps):
            return tuple(out)
    return _slopes_of_halves(g, x, weight, axes, eps, needs) if x.dtype.itemsize == 2 else None


def _slopes_of_halves(
    g: Array, x: Array, weight: Array | None, axes: Axes, eps: float, needs: tuple[bool, ...]
) -> tuple[Array | None, ...] | None:
    x = np.ascontiguousarray(x)
    given = _beside(g, x)
    if native is None or given is None or not _takes_halves(x, axes):
        return None
    inner = x.shape[axes[0] :]
    length = math.prod(inner)
    moments, row = np.empty(2 * (x.size // length), np.float32), None if weight is None else weight.astype(np.float32)
    out = [
        np.empty(shape, dtype) if need else None
        for shape, dtype, need in zip((x.shape, inner, inner), (x.dtype, np.float32, np.float32), needs, strict=True)
    ]
    rounds = weight is None or weight.dtype is x.dtype
    slopes = out[0] if out[0] is None else bits(out[0])
    taken = native.layer_norm_backward_of_halves(
        slopes, *out[1:], moments, bits(given), bits(x), row, length, eps, x.dtype.char != "e", rounds
    )
    return tuple(out) if taken else None
