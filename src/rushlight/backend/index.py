"""Kernels that pick elements by index, and put them back."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels import flat_indices as compiled
from ..kernels import register
from .extremes import take_along
from .flat_indices import (
    FEW,
    add_at,
    add_in_step,
    add_rows,
    as_it_lies,
    at_in_line,
    check,
    check_along,
    in_line,
    put_in_step,
    within,
)
from .notes import with_notes
from .numpy import Array, Shape, in_rows, ordered, steps_within
from .shape import clone
from .unbroadcast import sum_to

Indices = list[Array | None]


def _key(indices: Indices, ndim: int) -> tuple[Any, ...]:
    return tuple(slice(None) if one is None else one for one in indices)


def _nothing_picked(error: Exception, x: Array, indices: Indices) -> Array:
    """The result of indices out of range where there is nothing to pick; otherwise the error, in PyTorch's words."""
    arrays = [one for one in indices if one is not None]
    if not arrays:
        raise IndexError("at least one index must be provided") from None
    try:
        np.broadcast_shapes(*(one.shape for one in arrays))
    except ValueError:
        shapes = ", ".join(str(list(one.shape)) for one in arrays)
        raise IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}") from None
    sizes = [size for size, one in zip(x.shape, indices, strict=False) if one is not None]
    if 0 in sizes:
        raise IndexError("index is out of bounds for dimension with size 0") from None
    # The same without bounds: each indexed dimension of size 1, each index 0.
    one_each = np.empty([1 if axis < len(indices) and indices[axis] is not None else size
                         for axis, size in enumerate(x.shape)], x.dtype)  # fmt: skip
    picked = one_each[_key([None if one is None else np.zeros_like(one) for one in indices], x.ndim)]
    if not picked.size:
        return picked
    for place, (size, one) in enumerate(zip(sizes, arrays, strict=True)):
        one = as_it_lies(one)  # PyTorch names the first that it meets in memory
        bad = one[(one < -size) | (one >= size)]
        if bad.size:
            raise IndexError(f"index {bad[0]} is out of bounds for dimension {place} with size {size}") from None
    raise error


def index(x: Array, indices: Indices) -> Array:
    """``x`` at integer arrays; None keeps a dimension whole. The arrays' common shape stands where the first one did if
    they are neighbours, else in front."""
    try:
        one, axis = indices[-1], len(indices) - 1
        alone = one is not None and (not axis or all(other is None for other in indices[:axis]))
        if alone and (x.flags.c_contiguous or x.ndim == 1):
            return x.take(one, axis) if x.ndim > 1 else x[one]  # type: ignore[arg-type]
        out = x[_key(indices, x.ndim)]
        if x.flags.c_contiguous or x.ndim == 1:
            return out if out.flags.c_contiguous else np.ascontiguousarray(out)
        return _as_the_source(out, x, indices)
    except IndexError as error:
        return _nothing_picked(error, x, indices)


def _as_the_source(out: Array, x: Array, indices: Indices) -> Array:
    """What was picked from ``x``, in the order of its dimensions in memory: the picked ones are where they come out."""
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    first = axes[0] if axes[-1] - axes[0] + 1 == len(axes) else 0
    picked = out.ndim - len(kept)
    steps = [x.strides[axis] for axis in kept]
    common = out.shape[first : first + picked]
    orders = [(*steps[:first], *(0,) * picked, *steps[first:])]
    whole = (*(1,) * first, *common, *(1,) * (len(kept) - first))
    for axis in axes:
        one: Array = np.broadcast_to(indices[axis], common)  # type: ignore[arg-type]
        stretched = one.reshape(whole)
        orders.append(steps_within(out.shape, stretched.shape, stretched.strides))
    laid = ordered(out.shape, orders, out.dtype)
    if laid.strides == out.strides:
        return out
    laid[...] = out
    return laid


def nonzero(x: Array) -> tuple[Array, ...]:
    """As ``np.nonzero``, which takes two to five times as long for many elements in several dimensions."""
    if x.ndim < 2 or x.size < FEW or not x.flags.c_contiguous:
        return np.nonzero(x)
    outer, found = np.flatnonzero(x), []
    for size in x.shape[:0:-1]:
        whole = outer // size
        found.append(outer - whole * size)
        outer = whole
    return outer, *found[::-1]


def picked_shape(shape: Shape, indices: Sequence[Array | None]) -> Shape:
    """The shape of what :func:`index` picks."""
    axes = [axis for axis, one in enumerate(indices) if one is not None]
    if not axes:
        return shape
    arrays = [indices[axis].shape for axis in axes]  # type: ignore[union-attr]
    try:
        common = arrays[0] if len(arrays) == 1 else np.broadcast_shapes(*arrays)
    except ValueError:
        shapes = ", ".join(str(list(one)) for one in arrays)
        raise IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}") from None
    first, last = axes[0], axes[-1]
    if last - first + 1 == len(axes):
        return (*shape[:first], *common, *shape[last + 1 :])
    return (*common, *(size for axis, size in enumerate(shape) if axis not in axes))


def stretches(have: Shape, shape: Shape) -> bool:
    """Whether an array of one shape broadcasts to another."""
    lead = len(shape) - len(have)
    return lead >= 0 and all(size in (1, wanted) for size, wanted in zip(have, shape[lead:], strict=True))


def index_adjoint(g: Array, indices: Indices, shape: Shape) -> Array:
    """Adds ``g`` into zeros where index took it from."""
    out = np.zeros(shape, g.dtype)
    if g.size:
        picked = [(one, size) for one, size in zip(indices, shape, strict=False) if one is not None]
        for place, (one, size) in enumerate(picked):
            check(as_it_lies(one), -size, size, functools.partial(_beyond, place, size))
        _add_at(out, indices, g, True)
    return out


def _beyond(place: int, size: int, index: int) -> IndexError:
    """In PyTorch's words, which counts dimensions here with those that are picked from in front."""
    return IndexError(f"index {index} is out of bounds for dimension {place} with size {size}")


def _add_at(out: Array, indices: Indices, values: Array, is_zero: bool) -> None:
    """Adds values at indices within their bounds to ``out``, of which ``is_zero`` says whether it is zero so far."""
    first = indices[0]
    if not out.flags.c_contiguous or max([values.size, *(one.size for one in indices if one is not None)]) <= FEW:
        np.add.at(out, _key(indices, out.ndim), values)
    elif len(indices) == 1 and first is not None and out.ndim > 1:
        rows = first.reshape(-1)
        parts = np.broadcast_to(values, (*first.shape, *out.shape[1:])).reshape(rows.size, *out.shape[1:])
        add_rows(out, np.where(rows < 0, rows + len(out), rows), parts, is_zero)
    else:
        add_at(out, at_in_line(indices, out.shape), values)


def index_put(x: Array, values: Array, indices: Indices, accumulate: bool) -> Array:
    out = clone(x)
    try:
        if not accumulate:
            out[_key(indices, out.ndim)] = values
        elif all(one is None or within(one, -size, size) for one, size in zip(indices, out.shape, strict=False)):
            _add_at(out, indices, values, False)
        else:
            np.add.at(out, _key(indices, out.ndim), values)
    except (IndexError, ValueError) as error:
        _nothing_picked(error, x, indices)
    return out


@register(compiled.take_along)
def gather(x: Array, index: Array, axis: int) -> Array:
    if not index.size:
        return np.empty(index.shape, x.dtype)
    check_along(index, x.shape[axis] if x.ndim else 1, axis)
    if not x.ndim:
        return np.broadcast_to(x, index.shape).copy()
    return take_along(x, index, axis)


def scatter(x: Array, src: Array, index: Array, axis: int) -> Array:
    out = np.array(x, order="C")
    if not index.size:
        return out
    check_along(index, out.shape[axis] if out.ndim else 1, axis)
    if not out.ndim:
        return src.reshape(-1)[0].reshape(()).copy()
    return put_in_step(out, index, _corner(src, index.shape), axis)


def _corner(src: Array, shape: Shape) -> Array:
    """As much of ``src`` as there are indices for; one number may have no dimension."""
    return src[tuple([slice(0, size) for size in shape])] if src.ndim else src


def _accumulator(x: Array) -> Array:
    """A copy of ``x`` that sums grow in: numbers of two bytes are rounded once they are all together."""
    return np.array(x, np.float32 if x.dtype.kind in "fV" and x.itemsize == 2 else x.dtype, order="C")


def scatter_add(x: Array, src: Array, index: Array, axis: int) -> Array:
    out = _accumulator(x)
    if not index.size:
        return out.astype(x.dtype, copy=False)
    part = _corner(src, index.shape)
    if not out.ndim:
        return np.asarray(out + part.sum()).astype(x.dtype)
    add_in_step(out, index, part, axis)
    return out.astype(x.dtype, copy=False)


def gather_adjoint(g: Array, index: Array, shape: Shape, axis: int) -> Array:
    check_along(index, shape[axis] if shape else 1, axis)
    return scatter_add(np.zeros(shape, g.dtype), g, index, axis)


_COMBINE = {
    "sum": np.add,
    "mean": np.add,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
    "max": np.maximum,
    "min": np.minimum,
}
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1}


def neutral(reduce: str, dtype: np.dtype[Any]) -> Any:
    """What a reduction starts from when the tensor's own values do not count."""
    if reduce in _NEUTRAL:
        return _NEUTRAL[reduce]
    if dtype.kind == "b":
        return reduce in ("amin", "min")
    limits = (-np.inf, np.inf) if dtype.kind in "fV" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return limits[reduce in ("amin", "min")]


def scatter_reduce(x: Array, src: Array, index: Array, axis: int, reduce: str, include_self: bool) -> Array:
    """Values of src brought together at their indices by sum, prod, mean, amax or amin."""
    return _reduced_into(_accumulator(x), x, src, index, axis, reduce, include_self)


def _reduced_into(start: Array, x: Array, src: Array, index: Array, axis: int, reduce: str, include_self: bool) -> Array:
    """The same with ``start``, a copy of ``x`` of the type that the results grow in, each step rounded to it."""
    flat = not x.ndim
    out = start.reshape(-1) if flat else start
    where = index.reshape(-1) if flat else index
    if not where.size:
        return out.reshape(x.shape).astype(x.dtype, copy=False)
    part = _corner(src.reshape(-1) if flat else src, where.shape)
    flat_indices, line = in_line(where, out.shape, axis).reshape(-1), out.reshape(-1)
    if not include_self:
        line[flat_indices] = neutral(reduce, out.dtype)
    _COMBINE[reduce].at(line, flat_indices, np.broadcast_to(part, where.shape).reshape(-1))
    out = out.astype(x.dtype, copy=False)
    if reduce == "mean":
        count = np.full(out.shape, 1 if include_self else 0, np.int64)
        np.add.at(count.reshape(-1), flat_indices, 1)
        count[count == 0] = 1
        if out.dtype.kind == "c":
            count = count.astype(out.dtype)
        out = (out // count if out.dtype.kind in "iu" else out / count).astype(out.dtype)
    return out.reshape(x.shape)


def index_select(x: Array, index: Array, axis: int) -> Array:
    if not x.ndim:
        return x.copy()
    return _slices(x, index.reshape(-1), axis)


@register(compiled.take_slices)
def _slices(x: Array, index: Array, axis: int) -> Array:
    return x.take(index, axis)


def index_select_adjoint(g: Array, index: Array, shape: Shape, axis: int) -> Array:
    if len(shape) > 1:
        check_along(index, shape[axis], axis)
    else:
        check(index, 0, shape[0] if shape else 1, lambda i: IndexError("index out of range in self"))
    return index_add(np.zeros(shape, g.dtype), g, index, axis, 1)


def index_add(x: Array, src: Array, index: Array, axis: int, alpha: Any) -> Array:
    out = np.array(x, order="C")
    if alpha != 1 or alpha is True:
        src = src * (alpha if src.dtype.kind != "V" else src.dtype.type(alpha))
    whole, values = (out, src) if out.ndim else (out.reshape(1), src.reshape(1))
    rows = index.reshape(-1)
    if not axis:
        add_rows(whole, rows, values, False)
    else:
        along = rows.reshape(-1, *(1,) * (values.ndim - 1 - axis))
        add_in_step(whole, np.broadcast_to(along, values.shape), values, axis)
    return out


def index_copy(x: Array, src: Array, index: Array, axis: int) -> Array:
    out = np.array(x, order="C")
    if not out.ndim:
        return src.reshape(-1)[-1].reshape(()).copy()
    out[(slice(None),) * axis + (index.reshape(-1),)] = src
    return out


def index_fill(x: Array, value: Array, index: Array, axis: int) -> Array:
    out = clone(np.asarray(x))
    if out.size:
        whole = out.reshape(1) if not out.ndim else out
        whole[(slice(None),) * axis + (index.reshape(-1),)] = value
    return out


def index_reduce(x: Array, src: Array, index: Array, axis: int, reduce: str, include_self: bool) -> Array:
    shape = [1] * src.ndim
    shape[axis : axis + 1] = [-1] * min(src.ndim, 1)
    where = np.broadcast_to(index.reshape(shape), src.shape) if src.ndim else index.reshape(())
    return _reduced_into(np.array(x, order="C"), x, src, np.asarray(where), axis, reduce, include_self)


def take(x: Array, index: Array) -> Array:
    return in_rows(x.reshape(-1)[index])


def take_adjoint(g: Array, index: Array, shape: Shape) -> Array:
    out = np.zeros(int(np.prod(shape)), g.dtype)
    np.add.at(out, index, g)
    return out.reshape(shape)


def put(x: Array, src: Array, index: Array, accumulate: bool) -> Array:
    out = clone(np.asarray(x))
    flat = out.reshape(-1)
    if accumulate:
        np.add.at(flat, index.reshape(-1), src.reshape(-1))
    else:
        flat[index.reshape(-1)] = src.reshape(-1)
    if not out.flags.c_contiguous:  # flat is a copy
        out[...] = flat.reshape(x.shape)
    return out


def masked_select(x: Array, mask: Array) -> Array:
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def masked_select_adjoint(g: Array, mask: Array, shape: Shape) -> Array:
    whole = np.broadcast_shapes(shape, mask.shape)
    out = np.zeros(whole, g.dtype)
    out[np.broadcast_to(mask, whole)] = g
    return sum_to(out, shape)


def masked_scatter(x: Array, source: Array, mask: Array) -> Array:
    mask = np.broadcast_to(mask, np.broadcast_shapes(x.shape, mask.shape))
    out = np.array(np.broadcast_to(x, mask.shape), order="C")
    count = int(mask.sum())
    if source.size < count:
        raise with_notes(
            RuntimeError("Number of elements of source < number of ones in mask"),
            f"There are {source.size} elements and {count} ones.",
        )
    out[mask] = source.reshape(-1)[:count]
    return out


def masked_scatter_adjoint(g: Array, mask: Array, shape: Shape) -> Array:
    """The cotangent of masked_scatter's source: what stands under the mask, then zeros."""
    picked = g[np.broadcast_to(mask, g.shape)]
    out = np.zeros(int(np.prod(shape)), g.dtype)
    out[: picked.size] = picked
    return out.reshape(shape)
