"""The rules by which ops that pick and write by index take a batch along.

Where all examples share the indices, the batch is one more dimension that is kept whole. Where each has its own, the number of
the example becomes the first index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...autograd import grad_mode
from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor, wrap
from ..batched_tensors import Level, Rule, along, behind, call_op, is_batched
from ..outlines import Refused, Shape, Unbatchable, without_shape
from . import forms
from .forms import as_vectors, by_parameters, dims_of, is_tensor, lifted


class _Picked:
    """Index vectors of one subscript: where they stand in an example, and how its batch is subscripted."""

    def __init__(self, indices: Sequence[Any], level: Level, name: str) -> None:
        self.axes = [axis for axis, one in enumerate(indices) if one is not None]
        given = [indices[axis] for axis in self.axes]
        if any(one._array.dtype.kind == "b" for one in given):
            raise Unbatchable(name)
        self.count = max((one._array.ndim for one in given), default=0)  # how many dimensions of the result they make
        self.first = self.axes[0] if self.axes else 0
        self.adjacent = self.axes == list(range(self.first, self.first + len(self.axes)))
        self.own = any(is_batched(one, level) for one in given)
        if not self.own:
            self.indices = [None, *indices]
            return
        number = wrap(np.arange(level.size).reshape(level.size, *(1,) * self.count))
        self.indices = [number, *(None if one is None else self._lift(one, level) for one in indices)]

    def _lift(self, one: Any, level: Level) -> Any:
        return lifted(one.whole, self.count) if is_batched(one, level) else one

    def _moves(self) -> tuple[list[int], list[int]] | None:
        """How the dimensions that the indices make get from where the batch has them to where an example has them."""
        count = self.count
        if self.own and self.adjacent and self.first:
            return list(range(1, count + 1)), list(range(1 + self.first, 1 + self.first + count))
        if not self.own and not self.adjacent:
            return [count], [0]
        return None

    def to_example(self, whole: Any) -> Any:
        moves = self._moves()
        return whole if moves is None else whole.movedim(*moves)

    def from_example(self, whole: Any) -> Any:
        moves = self._moves()
        return whole if moves is None else whole.movedim(moves[1], moves[0])


def _index(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, indices = inputs
    picked = _Picked(indices, level, op.name)
    return picked.to_example(ops.index(along(x, level), picked.indices))


def _index_adjoint(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    g, indices = inputs
    picked = _Picked(indices, level, op.name)
    return ops.index_adjoint(picked.from_example(along(g, level)), picked.indices, (level.size, *params["shape"]))


def _index_put(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, values, indices = inputs
    picked = _Picked(indices, level, op.name)
    if picked._moves() is not None:
        made = np.broadcast_shapes(*(indices[axis]._array.shape for axis in picked.axes))
        rest = [size for axis, size in enumerate(x._array.shape) if axis not in picked.axes]
        first = picked.first if picked.adjacent else 0
        shape = (level.size, *rest[:first], *made, *rest[first:])
        values = picked.from_example(ops.expand(lifted(along(values, level), len(shape) - 1), shape))
    elif is_batched(values, level):
        values = lifted(values.whole, x._array.ndim - len(picked.axes) + picked.count)
    return ops.index_put(along(x, level), values, picked.indices, params["accumulate"])


def _flat(x: Tensor, level: Level) -> Any:
    return along(x, level).reshape((level.size, -1))


def _take(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    x, index = inputs
    indices = _flat_indices(index, x._array.size, level)
    return ops.gather(_flat(x, level), indices, 1).reshape((level.size, *index._array.shape))


def _take_adjoint(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    g, index = inputs
    shape = params["shape"]
    size = int(np.prod(shape))
    found = ops.gather_adjoint(_flat(g, level), _flat_indices(index, size, level), (level.size, size), 1)
    return found.reshape((level.size, *shape))


def _flat_indices(index: Tensor, size: int, level: Level) -> Any:
    """Indices into all elements of an example, a row for each, counted from the start."""
    flat = _flat(index, level)
    return ops.where(flat < 0, flat + size, flat)


def _embedding(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    weight, indices = inputs
    if not is_batched(weight, level):
        return call_op(op, [weight, indices.whole], params)
    rows, width = weight._array.shape
    flat = weight.whole.reshape((level.size * rows, width))
    out = call_op(op, [flat, _rows(indices, rows, level)], {**params, "but": -1})
    if params["but"] < 0:
        return out
    # The row that gets no gradient, though it has a tangent.
    with grad_mode.no_grad():
        kept = ops.clone(out)
    fixed = ops.expand_dims(ops.eq(along(indices, level), params["but"]), dims_of(indices) + 1)
    return ops.where(fixed, kept, out)


def _bags(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Sums of the rows of a table for each example: of the tables one below the other."""
    weight, indices, offsets, scales = inputs
    if params["but"] >= 0 or params["by_frequency"] or params["sparse"]:
        raise Unbatchable(op.name)
    table, rows, count = weight, along(indices, level), indices._array.shape[0]
    if is_batched(weight, level):
        table = weight.whole.reshape((-1, weight._array.shape[1]))
        rows = _rows(indices, weight._array.shape[0], level)
    starts = _rows(offsets, count, level)
    factors = None if scales is None else along(scales, level).reshape((-1,))
    found = call_op(op, [table, rows.reshape((-1,)), starts.reshape((-1,)), factors], params)
    return found.reshape((level.size, -1, found._array.shape[1]))


def _embedding_adjoint(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    g, indices = inputs
    if params["but"] >= 0 or params["by_frequency"]:
        raise Unbatchable(op.name)
    rows, width = params["shape"]
    new = {**params, "shape": (level.size * rows, width)}
    found = call_op(op, [along(g, level), _rows(indices, rows, level)], new)
    return found.reshape((level.size, rows, width))


def _rows(indices: Tensor, rows: int, level: Level) -> Any:
    """Indices into tables that lie one below the other."""
    whole: Any = along(indices, level)
    return whole + wrap(np.arange(level.size).reshape(level.size, *(1,) * indices._array.ndim) * rows)


def _by_vector(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``index_add`` and its like: a vector of indices for all examples, or one for each."""
    x, *sources, index = inputs
    if not dims_of(x) or any(dims_of(one) != dims_of(x) for one in sources):
        return as_vectors(op, inputs, params, level, not dims_of(x))
    axis = params["axis"] % dims_of(x)
    wholes = [along(x, level), *(along(one, level) for one in sources)]
    if not is_batched(index, level):
        return call_op(op, [*wholes, index], {**params, "axis": axis + 1})
    # The dimension that is indexed, one example behind the other.
    flat = []
    for one in wholes:
        moved = one.movedim(axis + 1, 1)
        flat.append(moved.reshape((-1, *moved._array.shape[2:])))
    rows = _rows(ops.reshape_alias(index.whole, (level.size, -1)) if not dims_of(index) else index, x._array.shape[axis], level)
    found = call_op(op, [*flat, rows.reshape((-1,))], {**params, "axis": 0})
    return found.reshape((level.size, -1, *found._array.shape[1:])).movedim(1, axis + 1)


def _select_adjoint(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    g, index = inputs
    if is_batched(index, level):
        raise Unbatchable(op.name)
    axis = params["axis"]
    new = {**params, "axis": axis + 1 if axis >= 0 else axis, "shape": (level.size, *params["shape"])}
    return call_op(op, [along(g, level), index], new)


def _filled(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``index_fill``: the value where an index of the dimension is among those given."""
    x, value, index = inputs
    if not dims_of(x):
        return along(ops.squeeze(ops.index_fill(ops.expand_dims(x, 0), value, index, params["axis"]), (0,)), level)
    axis = params["axis"] % dims_of(x)
    size = x._array.shape[axis]
    indices = along(index, level).reshape((level.size, -1, 1))
    indices = ops.where(indices < 0, indices + size, indices)
    chosen = ops.any(ops.eq(indices, wrap(np.arange(size))), 1, False)
    chosen = chosen.reshape((level.size, *(size if one == axis else 1 for one in range(dims_of(x)))))
    filling = value.whole.reshape((level.size, *(1,) * dims_of(x))) if is_batched(value, level) else value
    return ops.where(chosen, filling, along(x, level))


def _gathered(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``gather``, ``scatter`` and their like: a number is a vector of one element."""
    if all(dims_of(one) for one in inputs if is_tensor(one)):
        return by_parameters(op, inputs, params, level)
    named = inputs[op.inputs.index("index")] if op.name == "gather" else inputs[0]
    return as_vectors(op, inputs, params, level, not dims_of(named))


def _put(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Writing at indices of the flat tensor."""
    x, source, index = inputs
    indices = _flat_indices(index, x._array.size, level)
    values = _flat(source, level)
    if values._array.shape != indices._array.shape:
        raise Unbatchable(op.name)
    write = ops.scatter_add if params["accumulate"] else ops.scatter
    return write(_flat(x, level), values, indices, 1).reshape((level.size, *x._array.shape))


def _masked_scatter(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """The elements of the source, one after the other, where the mask is true."""
    x, source, mask = inputs
    shape = np.broadcast_shapes(x._array.shape, mask._array.shape)
    wholes = [ops.expand(lifted(along(one, level), len(shape)), (level.size, *shape)) for one in (x, mask)]
    chosen, values = (
        _flat(mask, level) if mask._array.shape == shape else wholes[1].reshape((level.size, -1)),
        _flat(source, level),
    )
    order = ops.clamp_min(ops.cumsum(ops.astype(chosen, np.dtype(np.int64)), 1) - 1, 0)
    if not values._array.shape[1] or bool((behind(order)._array >= values._array.shape[1]).any()):
        raise Unbatchable(op.name)
    picked = ops.gather(values, order, 1).reshape((level.size, *shape))
    return ops.where(wholes[1], picked, wholes[0])


def _searchsorted(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    boundaries, values, sorter = inputs
    if sorter is not None:
        boundaries, sorter = ops.take_along(boundaries, sorter, dims_of(sorter) - 1), None
    if boundaries._array.ndim > 1:
        return call_op(op, [along(boundaries, level), along(values, level), None], params)
    if not is_batched(boundaries, level):
        return call_op(op, [boundaries, values.whole, None], params)
    shape: Shape = (level.size, *values._array.shape)
    return call_op(op, [boundaries.whole, _flat(values, level), None], params).reshape(shape)


def _of_any_length(name: str) -> Rule:
    """What gives as many elements as there are for an example: nothing that could be stacked."""

    def rule(op: Op, inputs: list[object], params: Named, level: Level) -> NoReturn:
        raise Refused(without_shape(name))

    return rule


RULES: dict[str, Rule] = {
    "unique": _of_any_length("_unique2"),
    "unique_consecutive": _of_any_length("unique_consecutive"),
    "unique_slices": _of_any_length("unique_dim"),
    "index": _index,
    "index_adjoint": _index_adjoint,
    "index_fill": _filled,
    "index_put": _index_put,
    "index_select_adjoint": _select_adjoint,
    "masked_scatter": _masked_scatter,
    "put": _put,
    "take": _take,
    "take_adjoint": _take_adjoint,
    "embedding": _embedding,
    "embedding_adjoint": _embedding_adjoint,
    "embedding_bag": _bags,
    "searchsorted": _searchsorted,
    **dict.fromkeys(("index_add", "index_copy", "index_reduce", "index_select"), _by_vector),
    **dict.fromkeys(("gather", "scatter", "scatter_add", "scatter_value", "scatter_reduce", "scatter_reducing"), _gathered),
}
forms.rules.update(RULES)
