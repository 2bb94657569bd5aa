"""Flat indices: indices along an axis, as indices into the one line of all elements, where NumPy picks, writes and adds fastest.

Given several arrays of indices NumPy follows each of them for every element. Measured for 262,144 floats, several and one:
picked 1,100 to 2,400 us and 750 to 1,300, added 4,400 to 8,400 and 1,000 to 1,900.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..kernels import flat_indices as compiled
from ..kernels import register
from .numpy import MANY, Array, Shape

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
FEW = 256  # so many numbers np.add.at has added before flat indices are worked out
_NARROW = 32  # numbers in a row
_TURNS = 8  # rows of one index that are added turn by turn


def in_line(indices: Array, shape: Shape, axis: int) -> Array:
    """Where in the line of an array of ``shape`` those elements are that ``indices`` name along ``axis``, the other axes in step.

    The indices must be within their bounds: in the line others would be taken for elements of another row.
    """
    slices = whole_slices(indices, axis)
    if slices is not None and math.prod(shape) <= indices.size:
        return np.arange(math.prod(shape)).reshape(shape)[corner(indices.shape, axis)].take(slices, axis)
    step, others = _steps(indices.shape, shape, axis)
    if step != 1:
        along = np.multiply(once(indices, axis), step, order="C", dtype=np.int64)
        if along.shape == indices.shape:
            return np.add(along, others, along)
        indices = along
    return np.add(indices, others, order="C", dtype=np.int64)


@register(compiled.within)
def within(index: Array, low: int, size: int) -> bool:
    """Whether all of some indices lie in [low, size)."""
    index = once(index)
    if index.size <= 16:  # NumPy takes longer to begin than these take
        numbers = index.ravel().tolist()
        return not numbers or (low <= min(numbers) and max(numbers) < size)
    if low == 0 and index.dtype is _INT64:
        unsigned = index.view(_UINT64)  # as which a negative number is a great one
        return unsigned.item(unsigned.argmax()) < size
    return bool(index.min() >= low and index.max() < size)


def check(index: Array, low: int, size: int, error: Callable[[int], Exception]) -> None:
    """Raises ``error(index)`` for the first index outside of [low, size)."""
    if not within(index, low, size):
        raise error(int(index[(index < low) | (index >= size)].flat[0]))


def as_it_lies(index: Array) -> Array:
    """With its dimensions in the order in which they lie in memory."""
    return index.transpose(sorted(range(index.ndim), key=lambda axis: -abs(index.strides[axis])))


def check_along(indices: Array, size: int, axis: int) -> None:
    """Raises a RuntimeError for indices outside of ``axis``; a backward pass asks again, as its own may have been written since."""
    if not within(indices, 0, size):
        walked = _as_walked(indices, axis)
        check(walked, 0, size, lambda i: RuntimeError(f"index {i} is out of bounds for dimension {axis} with size {size}"))


def _as_walked(indices: Array, axis: int) -> Array:
    """With ``axis`` first where PyTorch walks along it last: if it is the last of the longer ones, and no longer than the rest."""
    if axis + 1 >= indices.ndim or math.prod(indices.shape[axis + 1 :]) > 1:  # a vector lies along any axis
        return indices
    if math.prod(indices.shape[:axis]) < indices.shape[axis]:
        return indices
    return np.moveaxis(indices, axis, 0)


def once(array: Array, but: int = -1) -> Array:
    """What stretching has repeated, in all dimensions but one, once only."""
    if 0 not in array.strides:
        return array
    return array[tuple([slice(1 if step == 0 and axis != but else None) for axis, step in enumerate(array.strides)])]


def whole_slices(indices: Array, axis: int) -> Array | None:
    """The indices along ``axis`` of many elements, if they are the same along all other axes and so name whole slices."""
    if indices.size < MANY or 0 not in indices.strides:
        return None
    for place, (size, step) in enumerate(zip(indices.shape, indices.strides, strict=True)):
        if step and size > 1 and place != axis:
            return None
    return indices[tuple([slice(None) if place == axis else 0 for place in range(indices.ndim)])]


def corner(shape: Shape, but: int) -> tuple[slice, ...]:
    """As much as ``shape`` says along each axis but one."""
    return tuple([slice(None if axis == but else size) for axis, size in enumerate(shape)])


def _steps(picked: Shape, shape: Shape, axis: int) -> tuple[int, Array]:
    """How far apart neighbours along ``axis`` are, and where the first one is for each index along the others."""
    first: Array = np.zeros((1,) * len(picked), np.int64)
    for start, stop in ((0, axis), (axis + 1, len(picked))):
        whole = picked[start + 1 : stop] == shape[start + 1 : stop]  # then what is before and behind the axis is each one range
        for begin, end in ((start, stop),) if whole else ((other, other + 1) for other in range(start, stop)):
            along = [1] * len(picked)
            along[begin:end] = picked[begin:end]
            numbers = np.arange(math.prod(picked[begin:end])) * math.prod(shape[end:])
            first = first + numbers.reshape(along)
    return math.prod(shape[axis + 1 :]), first


def at_in_line(indices: list[Array | None], shape: Shape) -> Array:
    """The same of elements that arrays of indices within their bounds name together; None keeps a dimension whole.

    The arrays' common shape stands where the first one did if they are neighbours, else in front.
    """
    whole: list[Array | None] = [*indices, *[None] * (len(shape) - len(indices))]
    named = [axis for axis, one in enumerate(whole) if one is not None]
    if len(named) == len(shape):
        return np.asarray(np.ravel_multi_index(tuple(whole), shape, mode="wrap"))  # type: ignore[arg-type, call-overload]
    common = np.broadcast_shapes(*(one.shape for one in whole if one is not None))
    lead = named[0] if named[-1] - named[0] + 1 == len(named) else 0
    kept = [axis for axis, one in enumerate(whole) if one is None]
    before, after = kept[:lead], kept[lead:]
    ndim = len(kept) + len(common)
    flat: Array = np.zeros((1,) * ndim, np.int64)
    for axis, (size, one) in enumerate(zip(shape, whole, strict=True)):
        step = math.prod(shape[axis + 1 :])
        if one is not None:
            steps = np.where(one < 0, one + size, one) * np.int64(step)
            flat = flat + steps.reshape(steps.shape + (1,) * len(after))
        else:
            behind = len(kept) - 1 - kept.index(axis) + (len(common) if axis in before else 0)
            flat = flat + (np.arange(size) * step).reshape((size,) + (1,) * behind)
    return flat


@register(compiled.add_at)
def add_at(out: Array, indices: Array, values: Array) -> Array:
    """Adds values to ``out``, which lies in order, at flat indices."""
    np.add.at(out.reshape(-1), indices.reshape(-1), np.broadcast_to(values, indices.shape).reshape(-1))
    return out


@register(compiled.put_in_step)
def put_in_step(out: Array, indices: Array, values: Array, axis: int) -> Array:
    """Writes values to ``out``, which lies in order, at indices along ``axis``, the other axes in step."""
    out.reshape(-1)[in_line(indices, out.shape, axis)] = values
    return out


@register(compiled.add_in_step)
def add_in_step(out: Array, indices: Array, values: Array, axis: int) -> Array:
    """The same, added."""
    return add_at(out, in_line(indices, out.shape, axis), values)


@register(compiled.add_rows)
def add_rows(out: Array, rows: Array, values: Array, is_zero: bool) -> Array:
    """Adds values to rows of ``out``, which lies in order: to the first dimension's ``rows``, from 0 on, one after another.

    ``is_zero``  whether ``out`` is zero so far
    """
    width = math.prod(out.shape[1:])
    if values.size <= FEW:
        np.add.at(out, rows, values)
    elif width <= _NARROW or not is_zero or len(out) < len(rows):
        _add_in_line(out, rows, values)
    else:
        _add_in_turns(out, rows, values)
    return out


def _add_in_line(out: Array, rows: Array, values: Array) -> None:
    wide = np.broadcast_to(rows.reshape(-1, *(1,) * (out.ndim - 1)), (len(rows), *out.shape[1:]))
    add_at(out, in_line(wide, out.shape, 0), values)


def _add_in_turns(out: Array, indices: Array, values: Array) -> None:
    """Where few rows have one index: the first ones of each index are written, then the second ones added, and so on."""
    rest = np.arange(len(indices))
    first = np.empty(len(out), np.intp)
    for turn in range(_TURNS):
        there = indices[rest]
        first[there[::-1]] = rest[::-1]  # of those for one index the one written last stays
        leads = first[there] == rest
        if turn:
            out[there[leads]] += values[rest[leads]]
        elif 2 * np.count_nonzero(leads) < len(rest):
            break
        else:
            out[there[::-1]] = values[::-1]
        rest = rest[~leads]
        if not len(rest):
            return
    _add_in_line(out, indices[rest], values[rest])
