"""Kernels that change the shape of an array: views where NumPy makes views, and the adjoints of those."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from ..base.strides import dense
from ..kernels import register, turns
from . import numpy as backend
from .bits import only
from .creation import in_order
from .line_sums import total
from .memory import block
from .memory_formats import has_channels_last, with_channels_last
from .numpy import Array, Shape, converted, in_rows, real_part
from .pointwise import real_if

_ALL = slice(None)


def reshape(x: Array, shape: Shape) -> Array:
    return x.reshape(shape)


@register(turns.contiguous)
def contiguous(x: Array) -> Array:
    return x.copy("C")


def view(x: Array, shape: Shape) -> Array:
    """The same memory under another shape; ValueError where that would need a copy."""
    if x.flags.c_contiguous:
        seen = x.reshape(shape)
        if 1 not in x.shape or 1 not in shape:
            return seen
    else:
        try:
            seen = x.reshape(shape, copy=False)
        except ValueError:
            raise not_a_view() from None
    strides = seen_strides(x.shape, steps(x), seen.shape) if 1 in seen.shape and x.size else None
    if strides is None or strides == steps(seen):
        return seen
    return backend.strided(seen, seen.shape, tuple([step * x.itemsize for step in strides]))  # NumPy's differ along sizes of 1


def not_a_view() -> RuntimeError:
    return RuntimeError(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
        "subspaces). Use .reshape(...) instead."
    )


@functools.lru_cache(1024)
def seen_strides(sizes: Shape, strides: Shape, shape: Shape) -> Shape | None:
    """The strides, in elements, of a view in another shape; None where there is none."""
    if 0 in sizes:
        return dense(shape)
    if not sizes:
        return (1,) * len(shape)
    found: list[int] = []
    left, base, whole = list(shape), strides[-1], 1
    for axis in reversed(range(len(sizes))):
        whole *= sizes[axis]
        if axis and (sizes[axis - 1] == 1 or strides[axis - 1] == whole * base):
            continue
        part = 1
        while left and (part < whole or left[-1] == 1):
            found.append(part * base)
            part *= left.pop()
        if part != whole:
            return None
        base, whole = strides[axis - 1], 1
    return tuple(reversed(found))


def steps(x: Array) -> tuple[int, ...]:
    """Strides in elements; where nothing lies NumPy gives none, PyTorch those of a contiguous tensor."""
    if not x.size and not any(x.strides):
        return dense(x.shape)
    return tuple([stride // x.itemsize for stride in x.strides])


def reinterpret(x: Array, dtype: np.dtype[Any]) -> Array:
    """The same bytes as elements of another type, more or fewer of them along the last dimension."""
    if x.size or dtype.itemsize == x.itemsize:
        return x.view(dtype)
    shape = (*x.shape[:-1], x.shape[-1] * x.itemsize // dtype.itemsize)
    strides = (*(step * x.itemsize for step in steps(x)[:-1]), dtype.itemsize)
    return np.ndarray(shape, dtype, bytearray(), 0, strides)


expand = backend.expand


def permute_dims(x: Array, axes: tuple[int, ...]) -> Array:
    return x.transpose(axes)


def transpose(x: Array, axis0: int, axis1: int) -> Array:
    return x.swapaxes(axis0, axis1) if x.ndim else x.view()


def t(x: Array) -> Array:
    return x.T


def squeeze(x: Array, axes: tuple[int, ...]) -> Array:
    return x.squeeze(axes) if axes else x.view()


def expand_dims(x: Array, axis: int) -> Array:
    shape = x.shape
    if x.flags.c_contiguous and x.size and 1 not in shape:  # NumPy's reshape gives such a dimension another step
        return x.reshape((*shape[:axis], 1, *shape[axis:]))
    strides = x.strides
    step = shape[axis] * strides[axis] if axis < len(shape) else x.itemsize
    return backend.strided(x, (*shape[:axis], 1, *shape[axis:]), (*strides[:axis], step, *strides[axis:]))


def select(x: Array, axis: int, index: int) -> Array:
    return x[index, ...] if not axis else x[(_ALL,) * axis + (index, ...)]


def slice_(x: Array, axis: int, start: int, stop: int, step: int) -> Array:
    part = x[start:stop:step] if not axis else x[(_ALL,) * axis + (slice(start, stop, step),)]
    if part.size or not start:
        return part
    return backend.strided(x, part.shape, part.strides, start * x.strides[axis])  # NumPy's begins where x does


def embed_select(g: Array, shape: Shape, axis: int, index: int) -> Array:
    """Zeros of ``shape`` with ``g`` at ``index`` of ``axis``: the adjoint of select."""
    out = np.zeros(shape, g.dtype)
    out[(slice(None),) * axis + (index,)] = g
    return out


def embed_slice(g: Array, shape: Shape, axis: int, start: int, stop: int, step: int) -> Array:
    out = np.zeros(shape, g.dtype)
    out[(slice(None),) * axis + (slice(start, stop, step),)] = g
    return out


def diagonal(x: Array, offset: int, axis1: int, axis2: int) -> Array:
    offset = min(max(offset, -x.shape[axis1]), x.shape[axis2])  # beyond there is nothing, however far
    part = x.diagonal(offset, axis1, axis2)  # not to be written
    start = offset * x.strides[axis2] if offset > 0 else -offset * x.strides[axis1]
    return backend.strided(x, part.shape, part.strides, start)


def embed_diagonal(g: Array, shape: Shape, offset: int, axis1: int, axis2: int) -> Array:
    out = np.zeros(shape, g.dtype)
    diagonal(out, offset, axis1, axis2)[...] = g
    return out


def unfold(x: Array, axis: int, size: int, step: int) -> Array:
    """Windows of ``size`` every ``step`` along ``axis``, as a new last dimension."""
    if not x.ndim:
        return backend.strided(x, (size,), (x.itemsize,))
    count = (x.shape[axis] - size) // step + 1
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :], size)
    apart = x.strides if x.size else tuple([each * x.itemsize for each in steps(x)])
    strides = (*apart[:axis], apart[axis] * step, *apart[axis + 1 :], apart[axis])
    return backend.strided(x, shape, strides) if x.size else np.ndarray(shape, x.dtype, x, 0, strides)


def fold_windows(g: Array, shape: Shape, axis: int, size: int, step: int) -> Array:
    """Adds windows back where they came from: the adjoint of unfold."""
    if not shape:
        return np.asarray(g.sum(dtype=g.dtype))
    out = np.zeros(shape, g.dtype)
    windows = unfold(out, axis, size, step)
    if step >= size:
        windows[...] = g
    else:
        for start in reversed(range(0, size, step)):  # so many neighbours lie apart; the first window comes first
            part = slice(start, start + step)
            windows[..., part] += g[..., part]
    return out


def flip(x: Array, axes: tuple[int, ...]) -> Array:
    if not axes:
        return clone(x)
    key = [slice(None)] * x.ndim
    for axis in axes:
        key[axis] = slice(None, None, -1)
    out = _backwards((x if 0 not in x.strides else clone(x))[tuple(key)])
    # The step of a dimension of size 1 is kept where what there is lies without gaps.
    return backend.strided(out, x.shape, x.strides) if x.flags.c_contiguous and out.strides != x.strides else out


@register(turns.backwards)
def _backwards(x: Array) -> Array:
    return x.copy("K")


def roll(x: Array, shifts: tuple[int, ...], axes: tuple[int, ...] | None) -> Array:
    return in_rows(np.roll(x, shifts if axes else shifts[0], axes))


def clone(x: Array) -> Array:
    out = backend.copied(x, x.dtype)
    if x.shape == (1,) and x.strides[0] > x.itemsize:  # one of a slice with steps, which its copy keeps
        return backend.strided(out, x.shape, x.strides)
    return out


def clone_in_place(x: Array) -> Array:
    """A copy in a copy of all of the memory that ``x`` lies in, unless some of its elements share their place."""
    if not x.size or any(not step and size > 1 for step, size in zip(x.strides, x.shape, strict=True)):
        return clone(x)
    start = backend.address(x) - backend.address(backend.root(x))
    return np.ndarray(x.shape, x.dtype, block(x).copy(), start, x.strides)


def laid_out(x: Array, order: tuple[int, ...]) -> Array:
    """A copy whose dimensions lie in memory in this order, the outermost first."""
    out = in_order(x.shape, x.dtype, order)
    out[...] = x
    return out


def astype(x: Array, dtype: np.dtype[Any]) -> Array:
    if x.dtype.kind in "cW" and dtype.kind not in "cW":
        x = real_part(x)
    return converted(x, dtype)


def cast(xs: list[Array], dtype: np.dtype[Any]) -> list[Array]:
    return [x.astype(dtype, copy=False) for x in xs]


def concat(xs: list[Array], axis: int) -> Array:
    try:
        joined = np.concatenate(xs, axis)
    except ValueError:
        # Vectors without elements join anything, by old custom.
        joined = np.concatenate([x for x in xs if x.shape != (0,)], axis)
    # Of the orders in memory, only channels last is passed on.
    if joined.ndim in (4, 5) and all(has_channels_last(x) for x in xs):
        return with_channels_last(joined)
    return np.ascontiguousarray(joined)


def stack(xs: list[Array], axis: int) -> Array:
    first = xs[0]
    if axis < first.ndim > 3 and has_channels_last(first):  # PyTorch concatenates, and takes the axis apart
        return view(concat(xs, axis), (*first.shape[:axis], len(xs), *first.shape[axis:]))
    if not axis:
        return np.array(xs)
    # NumPy's stack is a concatenation too, behind several Python functions.
    place: Any = (*(slice(None),) * axis, None)
    joined = np.concatenate([x[place] for x in xs], axis)
    return joined if joined.flags.c_contiguous else np.ascontiguousarray(joined)


def unbind(x: Array, axis: int) -> list[Array]:
    if not axis:
        return [x[index, ...] for index in range(x.shape[0])]
    lead: Any = (slice(None),) * axis
    return [x[(*lead, index, ...)] for index in range(x.shape[axis])]


def split(x: Array, sizes: tuple[int, ...], axis: int) -> list[Array]:
    return [x[each] for each in _cuts(sizes, axis)]


@functools.lru_cache(1024)
def _cuts(sizes: tuple[int, ...], axis: int) -> list[tuple[slice, ...]]:
    """The indices of parts of these sizes along an axis."""
    stops = list(itertools.accumulate(sizes, initial=0))
    return [(_ALL,) * axis + (slice(start, stop),) for start, stop in itertools.pairwise(stops)]


def tril(x: Array, offset: int) -> Array:
    return only(np.ascontiguousarray(x), _below(x, offset))


def triu(x: Array, offset: int) -> Array:
    return only(np.ascontiguousarray(x), ~_below(x, offset - 1))


def _below(x: Array, offset: int) -> Array:
    """Where a matrix of x has a diagonal, and below it."""
    rows, columns = x.shape[-2:]
    return np.tri(rows, columns, min(max(offset, -rows), columns), np.bool_)  # which takes no 64 bits


def repeat(x: Array, counts: tuple[int, ...]) -> Array:
    have = (1,) * (len(counts) - x.ndim) + x.shape
    out = np.empty([count * size for count, size in zip(counts, have, strict=True)], x.dtype)
    apart = [number for pair in zip(counts, have, strict=True) for number in pair]
    out.reshape(apart)[...] = x.reshape([number for size in have for number in (1, size)])
    return out


def unrepeat(g: Array, counts: tuple[int, ...], shape: Shape) -> Array:
    """Sums the copies that repeat made: its adjoint."""
    lead = len(counts) - len(shape)
    split_shape: list[int] = list(counts[:lead])
    axes = list(range(lead))
    for count, size in zip(counts[lead:], shape, strict=True):
        axes.append(len(split_shape))
        split_shape += [count, size]
    return total(g.reshape(split_shape), tuple(axes))


def rot90(x: Array, times: int, axes: tuple[int, int]) -> Array:
    times %= 4
    if not times:
        return x.copy("C")
    if times == 2:
        return flip(x, axes)
    return flip(x, (axes[1] if times == 1 else axes[0],)).swapaxes(*axes)


def diag_embed(x: Array, offset: int, axis1: int, axis2: int) -> Array:
    shape = list(x.shape[:-1])
    for axis in sorted((axis1, axis2)):
        shape.insert(axis, x.shape[-1] + abs(offset))
    out = np.zeros(shape, x.dtype)
    diagonal(out, offset, axis1, axis2)[...] = x
    return out


def block_diag(xs: list[Array]) -> Array:
    matrices = [np.atleast_2d(x) for x in xs]
    rows, columns = sum(m.shape[0] for m in matrices), sum(m.shape[1] for m in matrices)
    out = np.zeros((rows, columns), np.result_type(*matrices))
    row = column = 0
    for m in matrices:
        out[row : row + m.shape[0], column : column + m.shape[1]] = m
        row, column = row + m.shape[0], column + m.shape[1]
    return out


def select_scatter(x: Array, value: Array, axis: int, index: int) -> Array:
    out = clone_in_place(x)
    out[(slice(None),) * axis + (index,)] = real_if(value, x.dtype)
    return out


def slice_scatter(x: Array, value: Array, axis: int, start: int, stop: int, step: int) -> Array:
    out = clone_in_place(x)
    out[(slice(None),) * axis + (slice(start, stop, step),)] = real_if(value, x.dtype)
    return out


def diagonal_scatter(x: Array, value: Array, offset: int, axis1: int, axis2: int) -> Array:
    out = clone_in_place(x)
    diagonal(out, offset, axis1, axis2)[...] = real_if(value, x.dtype)
    return out
