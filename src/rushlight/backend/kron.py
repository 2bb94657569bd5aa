"""How PyTorch lays out the product of which a Kronecker product is a view: where that cannot be one, it raises."""

from __future__ import annotations

import numpy as np

from ..base.strides import dense
from .array_dtypes import common
from .numpy import Array, Shape, in_memory
from .shape import seen_strides, steps

_Layout = tuple[Shape, Shape]  # sizes and strides


def can_be_seen(x: Array, y: Array, shape: Shape) -> bool:
    """Whether the product of all pairs of elements, a dimension of ``x`` before each of ``y``, can be seen in ``shape``."""
    factors = []
    for one, first in ((x, True), (y, False)):
        own = (1,) * (len(shape) - one.ndim) + one.shape
        apart = tuple(part for size in own for part in ((size, 1) if first else (1, size)))
        strides = seen_strides(one.shape, steps(one), apart)
        if strides is None:
            return False
        cast = one.dtype != common(x, y)
        factors.append(_copied((apart, strides)) if cast else (apart, strides))
    return seen_strides(*_product(*factors), shape) is not None


def _copied(layout: _Layout) -> _Layout:
    """A copy of another dtype: it lies as its source where that lies without gaps, else in the order of its dimensions."""
    sizes, strides = layout
    reach = 1
    for step, size in sorted((step, size) for size, step in zip(*layout, strict=True) if size != 1):
        if step != reach:
            return sizes, _in_order(sizes, [strides])
        reach *= size
    return layout


def _product(one: _Layout, other: _Layout) -> _Layout:
    """What an op makes, element by element, of two that are stretched to one another's shape."""
    shape = np.broadcast_shapes(one[0], other[0])
    if one[0] == other[0]:
        return shape, dense(shape)
    operands = [
        tuple(0 if size != whole else step for size, step, whole in zip(*layout, shape, strict=True)) for layout in (one, other)
    ]
    return shape, _in_order(shape, operands)


def _in_order(shape: Shape, operands: list[Shape]) -> Shape:
    """The strides of a new tensor whose dimensions lie as those of the operands do."""
    slowest_first, places = in_memory(shape, operands)
    strides = dense(slowest_first)
    return tuple(strides[place] for place in places)
