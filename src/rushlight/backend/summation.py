"""Adding up in PyTorch's order, so that sums agree with its sums to the last bit.

A row of n numbers is added in lanes of 32 bytes, four lanes side by side, and the lanes one after another behind what is
left over; long lanes cascade: runs of 16 are added first, then runs of their sums. Below one lane's length the same is
done with single numbers in place of lanes. Larger arrays are added in NumPy's own order, which is as good and faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy import Array

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


def total(x: Array) -> Any:
    """The sum of all elements, in the order of their memory."""
    size = x.size
    if size > _LARGEST:
        return np.add.reduce(x, None)
    flat = x.ravel("K")
    if size < 5:
        return np.add.reduce(flat)
    order = _orders[x.dtype].get(size)
    if order is not None:
        run = flat.take(order)
        return np.add.reduce(run) if size < 8 else np.add.accumulate(run)[-1]
    return _line(flat)


def along(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sums along axes: in PyTorch's order where one axis, the first or the last of contiguous memory, is reduced."""
    if len(axis) == x.ndim:
        out = total(x)
        return np.asarray(out).reshape((1,) * x.ndim) if keepdims else out
    if len(axis) != 1 or not x.flags.c_contiguous or x.size > _LARGEST_MATRIX or not x.size:
        return np.add.reduce(x, axis, None, None, keepdims)
    one = axis[0]
    size = x.shape[one]
    if size < 5:
        return np.add.reduce(x, axis, None, None, keepdims)
    if one == x.ndim - 1:
        out = _rows(x.reshape(-1, size))
    elif size == x.size:
        out = np.asarray(total(x))
    elif one == 0:
        out = _columns(x.reshape(size, -1))
    else:
        return np.add.reduce(x, axis, None, None, keepdims)
    shape = x.shape[:one] + ((1,) if keepdims else ()) + x.shape[one + 1 :]
    return out.reshape(shape)


def _line(x: Array) -> Any:
    """The sum of a vector of at least one lane."""
    lane = _LANE_BYTES // x.itemsize
    size = x.size
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
        return np.add.reduce(x, 0)  # type: ignore[no-any-return]
    whole = size - size % 4
    parts = _cascade(x[:whole].reshape(-1, 4, *x.shape[1:])) if size > 7 else x[:4].copy()
    for index in range(whole, size):
        parts[0] += x[index]
    return np.add.reduce(parts, 0)  # type: ignore[no-any-return]


def _in_turn(x: Array) -> Array:
    """Sums over the first axis, one after another."""
    if x[0].size > 1 or len(x) < 8:
        return np.add.reduce(x, 0)  # type: ignore[no-any-return]
    return np.add.accumulate(x, 0)[-1]  # type: ignore[no-any-return]


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
        x = np.add.reduce(x, 1) if x[0, 0].size > 1 else np.add.accumulate(x, 1)[:, -1]
    return result  # type: ignore[return-value]
