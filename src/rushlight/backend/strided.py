"""Arrays seen through strides in the memory of others: taken from it, added to it, written.

Strides and offsets count elements; ``x_strides`` and ``x_offset`` tell how x lay in its memory.
"""

from __future__ import annotations

import numpy as np

from ..base.strides import reach
from . import numpy as backend
from .flat_indices import add_at
from .numpy import Array, Shape

_Geometry = tuple[Shape, Shape, int]  # sizes, strides and offset

_TOGETHER = 32  # numbers that are worth an addition of their own


def as_strided(x: Array, shape: Shape, strides: Shape, offset: int) -> Array:
    """Strides in elements; ``offset`` in elements from the start of the storage."""
    size = x.itemsize
    whole = backend.root(x)
    if whole.dtype != x.dtype:
        whole = whole.reshape(-1).view(x.dtype) if whole.flags.c_contiguous else x
    if shape and 0 not in shape:
        reach = _reach(shape, strides, offset)
        if (reach - 1) * size >= whole.nbytes:
            raise RuntimeError(
                f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and itemsize {size} "
                f"requiring a storage size of {reach * size} are out of bounds for storage of size {whole.nbytes}"
            )
    return _seen(whole, shape, strides, offset)


def as_strided_adjoint(
    g: Array, x_shape: Shape, x_strides: Shape, x_offset: int, shape: Shape, strides: Shape, offset: int
) -> Array:
    """Adds ``g`` into zeros where as_strided took it from."""
    x = x_shape, x_strides, x_offset
    return _moved(g, (shape, strides, offset), x, x).copy("K")


def gather_strided(
    x: Array, x_shape: Shape, x_strides: Shape, x_offset: int, shape: Shape, strides: Shape, offset: int
) -> Array:
    """What as_strided takes from memory in which ``x`` lies as told, nothing beside it: the adjoint of the above."""
    own = x_shape, x_strides, x_offset
    return _moved(x, own, (shape, strides, offset), own).copy()


def _moved(values: Array, source: _Geometry, target: _Geometry, x: _Geometry) -> Array:
    """What ``target`` sees where values were added to zeros as ``source`` sees them, shared out among x's elements of a place."""
    storage = np.zeros(max(_reach(*source), _reach(*target)), values.dtype)
    _add(storage, values, *source[1:])
    _share(storage, *x)
    return _seen(storage, *target)


def strided_scatter(x: Array, src: Array, shape: Shape, strides: Shape, offset: int, x_strides: Shape, x_offset: int) -> Array:
    """A copy of ``x``, laid out as it was, with ``src`` where as_strided with these numbers would see."""
    storage = np.zeros(max(_reach(shape, strides, offset), _reach(x.shape, x_strides, x_offset)), x.dtype)
    out = _seen(storage, x.shape, x_strides, x_offset)
    out[...] = x
    _seen(storage, shape, strides, offset)[...] = src
    return out


def _seen(storage: Array, shape: Shape, strides: Shape, offset: int) -> Array:
    size = storage.itemsize
    return backend.strided(storage, shape, tuple(step * size for step in strides), offset * size)


def _reach(shape: Shape, strides: Shape, offset: int) -> int:
    """How many elements of memory there must be."""
    return offset + 1 if 0 in shape else offset + 1 + reach(shape, strides)


def _add(storage: Array, values: Array, strides: Shape, offset: int) -> None:
    """Adds values to a line where strides see it, which may be the same place several times."""
    if not values.size:
        return
    stretched = tuple(axis for axis, step in enumerate(strides) if step == 0)
    if stretched:
        values, strides = values.sum(stretched, dtype=values.dtype), tuple(step for step in strides if step)
    outer, inner, apart = _overlap(values.shape, strides)
    if outer is None:
        seen = _seen(storage, values.shape, strides, offset)
        seen += values
    elif apart > 0 and values.size * apart > values.shape[inner] * _TOGETHER:
        for start in reversed(range(0, values.shape[inner], apart)):  # in the order in which the line is seen
            part = values[(slice(None),) * inner + (slice(start, start + apart),)]
            _add(storage, part, strides, offset + start * strides[inner])
    else:
        add_at(storage, _seen(np.arange(storage.size), values.shape, strides, offset), values)


def _overlap(shape: Shape, strides: Shape) -> tuple[int | None, int, int]:
    """The first dimension, from the innermost, whose steps are no greater than what lies within; the next one inside, and how
    many of its elements lie apart. None where no place is seen twice."""
    within = before = inner = 0
    for axis in sorted(range(len(shape)), key=strides.__getitem__):
        if shape[axis] > 1:
            if strides[axis] <= within:
                return axis, inner, (strides[axis] - 1 - before) // strides[inner] + 1
            before, inner = within, axis
            within += (shape[axis] - 1) * strides[axis]
    return None, 0, 0


def _share(storage: Array, shape: Shape, strides: Shape, offset: int) -> None:
    """Divides each place by the number of a tensor's elements that lie there."""
    if 0 in strides or _overlap(shape, strides)[0] is not None:
        counts = np.zeros(storage.size, storage.real.dtype)
        _add(counts, np.ones(shape, counts.dtype), strides, offset)
        storage /= np.maximum(counts, 1)
