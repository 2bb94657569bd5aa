"""Adding up in PyTorch's order, so that sums agree with its sums to the last bit.

A row of n numbers is added in lanes of 32 bytes, four lanes side by side, and the lanes one after another behind what
is left over; long lanes cascade: runs of 16 are added first, then runs of their sums. Below one lane's length the same
is done with single numbers in place of lanes. Larger arrays are added by compiled kernels, or in NumPy's own order: as good, and faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import register, rows
from . import line_sums
from .arithmetic import fused
from .numpy import MANY, Array

_Reduction = Callable[[Array, tuple[int, ...] | int | None, bool], Any]

# NumPy's reductions by their own names: found faster, and free of overloads that know keepdims only as a constant.
add_up: Any = np.add.reduce
multiply_up: Any = np.multiply.reduce
greatest: Any = np.maximum.reduce
least: Any = np.minimum.reduce

_LARGEST = 512
_LARGEST_MATRIX = 1024
_LANE_BYTES = 32

# Orders for up to one lane and its rest, where all is one run: what is left over first, then the lane (or, below one
# lane, the fifth and further numbers right behind the first).
_orders: dict[Any, dict[int, Array]] = {}
for _dtype, _lane in (("float32", 8), ("float64", 4)):
    _known = _orders[np.dtype(_dtype)] = {}
    for _size in range(5, _lane):
        _known[_size] = np.array([0, *range(4, _size), 1, 2, 3])
    for _size in range(_lane, 2 * _lane):
        _known[_size] = np.array([*range(_lane, _size), *range(_lane)])


def total(x: Array) -> Array:
    """The sum of all elements, in the order of their memory."""
    size = x.size
    if size > _LARGEST and not x.flags.forc:
        return add_up(x, None)
    flat = x.ravel("K")
    if size > 4:
        return _total(flat)
    if not size:
        return add_up(flat)
    # Half the time of add_up, which adds so few one after another too; adding 0 makes 0.0 of -0.0, as it does.
    return np.add.accumulate(flat)[-1] + 0


@register(rows.total)
def _total(flat: Array) -> Array:
    """The sum of a vector of more than four."""
    if flat.size > _LARGEST:
        return add_up(flat)
    order = _orders[flat.dtype].get(flat.size)
    return _line(flat) if order is None else np.add.accumulate(flat.take(order))[-1] + 0


def along(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sums along axes: in PyTorch's order where one axis, the first or the last of contiguous memory, is reduced."""
    if len(axis) == x.ndim:
        out: Any = total(x)
        return np.asarray(out).reshape((1,) * x.ndim) if keepdims else out
    if len(axis) == 1 and x.size < MANY and x.shape[axis[0]] < 5:  # in the order in which NumPy adds so few too
        return add_up(x, axis[0], None, None, keepdims)
    sums = line_sums.sums(x, axis, keepdims)
    if sums is not None:
        return sums
    if len(axis) != 1 or not x.flags.c_contiguous or x.size > _LARGEST_MATRIX or not x.size:
        return add_up(x, axis, None, None, keepdims)
    one = axis[0] % x.ndim
    size = x.shape[one]
    if one == x.ndim - 1:
        out = _rows(x.reshape(-1, size))
    elif size == x.size:
        out = np.asarray(total(x))
    elif one == 0:
        out = _columns(x.reshape(size, -1))
    else:
        return add_up(x, axis, None, None, keepdims)
    shape = x.shape[:one] + ((1,) if keepdims else ()) + x.shape[one + 1 :]
    return out.reshape(shape)


def in_turn(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sums along axes, one element after another where that is cheap."""
    if x.dtype not in _orders or x.size > _LARGEST_MATRIX or not x.size:
        return add_up(x, axis, None, None, keepdims)
    if len(axis) == x.ndim:
        return np.add.accumulate(x.ravel())[-1:].reshape((1,) * x.ndim if keepdims else ())
    if len(axis) != 1:
        return add_up(x, axis, None, None, keepdims)
    last: Any = slice(-1, None) if keepdims else -1
    return np.add.accumulate(x, axis[0])[(slice(None),) * axis[0] + (last,)].copy()


def all_in_turn(x: Array) -> Any:
    """The sum of all elements, one after another where that is cheap."""
    return np.add.accumulate(x.ravel())[-1] if 0 < x.size <= _LARGEST_MATRIX else add_up(x, None)


def squares(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sums of squares along axes: rows in lanes, one after another, and what is left over behind them."""
    if x.dtype not in _orders or x.size > _LARGEST_MATRIX or not x.size:
        return _many_squares(x, axis, keepdims)
    if len(axis) == x.ndim:
        line = _squares_of_rows(x.reshape(1, -1))
        return line.reshape((1,) * x.ndim) if keepdims else line[0]
    if axis != (x.ndim - 1,):
        return in_turn(x * x, axis, keepdims)
    shape = x.shape[:-1] + (1,) * keepdims
    return _squares_of_rows(x.reshape(-1, x.shape[-1])).reshape(shape)


@register(rows.squares)
def _many_squares(x: Array, axis: tuple[int, ...] | int | None, keepdims: bool) -> Array:
    out: Array = add_up(x * x, axis, None, None, keepdims)
    return out


def _reduction(name: str, reduce: Any, compiled: _Reduction) -> _Reduction:
    def kernel(x: Array, axis: tuple[int, ...] | int | None, keepdims: bool) -> Array:
        out: Array = reduce(x, axis, None, None, keepdims)
        return out

    kernel.__name__ = name
    return register(compiled)(kernel)


# Products, and the greatest and the least, or nan, along axes.
multiplied = _reduction("multiplied", multiply_up, rows.products)
maxima = _reduction("maxima", greatest, rows.maxima)
minima = _reduction("minima", least, rows.minima)


def _squares_of_rows(x: Array) -> Array:
    lane = _LANE_BYTES // x.itemsize
    height, size = x.shape
    whole = size - size % lane
    # The last up to three squares are added as a fused multiply and add does it, unrounded.
    last = size % 4
    out = np.zeros(height, x.dtype)
    if size > 3:
        run = x * x
        if whole:
            lanes = add_up(run[:, :whole].reshape(height, -1, lane), 1)
            run = np.concatenate((lanes, run[:, whole : size - last]), 1)
        out = np.add.accumulate(run[:, : size - last], 1)[:, -1]
    if x.itemsize == 8:
        for index in range(size - last, size):
            out = fused(x[:, index], x[:, index], out)
    elif last:
        rest = x[:, size - last :].astype(np.float64)
        rest *= rest
        for column in rest.T:
            out = (out + column).astype(x.dtype)
    return out


def _line(x: Array) -> Any:
    """The sum of a vector of at least one lane."""
    lane = _LANE_BYTES // x.itemsize
    size = x.size
    if size % (4 * lane) == 0 and size <= 64 * lane:  # one run, and nothing left over
        return np.add.accumulate(add_up(add_up(x.reshape(-1, 4, lane), 0), 0))[-1]
    whole = size - size % lane
    sums = _abreast(x[:whole].reshape(-1, lane))
    if whole != size:
        sums = np.concatenate((x[whole:], sums))
    return np.add.accumulate(sums)[-1]


def _rows(x: Array) -> Array:
    """The sum of each row of a matrix."""
    lane = _LANE_BYTES // x.itemsize
    height, size = x.shape
    if size < lane:
        return _abreast(x.T)
    whole = size - size % lane
    sums = np.concatenate((x[:, whole:].T, _abreast(x[:, :whole].reshape(height, -1, lane).swapaxes(0, 1)).T))
    return _in_turn(np.ascontiguousarray(sums))


def _columns(x: Array) -> Array:
    """The sum of each column: blocks of four lanes cascade as they are, further columns are added four rows abreast."""
    width = x.shape[1]
    lane = _LANE_BYTES // x.itemsize
    block = 4 * lane if width >= lane else 4
    whole = width - width % block
    if whole == width:
        return _cascade(x)
    if not whole:
        return _abreast(x)
    return np.concatenate((_cascade(x[:, :whole]), _abreast(x[:, whole:])))


def _abreast(x: Array) -> Array:
    """Sums over the first axis, every fourth together; what is left over goes to the first of the four."""
    size = len(x)
    if size < 4:
        return add_up(x, 0)
    whole = size - size % 4
    parts = _cascade(x[:whole].reshape(-1, 4, *x.shape[1:])) if size > 7 else x[:4].copy()
    for index in range(whole, size):
        parts[0] += x[index]
    return add_up(parts, 0)


def _in_turn(x: Array) -> Array:
    """Sums over the first axis, one after another."""
    if x[0].size > 1 or len(x) < 8:
        return add_up(x, 0)
    return np.add.accumulate(x, 0)[-1]


def _cascade(x: Array) -> Array:
    """Sums over the first axis by runs of 16 (or more, for a long axis), then runs of those sums, three levels deep."""
    size = len(x)
    if size <= 16:
        return _in_turn(x)
    run = 1 << max(4, (size - 1).bit_length() // 4)
    result = None
    for level in range(4):
        runs = len(x) // run if level < 3 else 0
        rest = x[runs * run :]
        if len(rest):
            part = _in_turn(rest)
            result = part if result is None else result + part
        if not runs:
            break
        x = x[: runs * run].reshape(runs, run, *x.shape[1:])
        x = add_up(x, 1) if x[0, 0].size > 1 else np.add.accumulate(x, 1)[:, -1]
    return result  # type: ignore[return-value]
