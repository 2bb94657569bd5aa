"""The rules by which ops that pick and write by index take a batch along.

Where all examples share the indices, the batch is one more dimension that is kept whole. Where each has its own, the number of
the example becomes the first index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor, wrap
from ..examples import Level, Rule, Shape, Unbatchable, along, call_op, is_batched
from . import forms
from .forms import by_parameters, lifted


class _Picked:
    """Index vectors of one subscript: where they stand in an example, and how its batch is subscripted."""

    def __init__(self, indices: Sequence[Any], level: Level, name: str) -> None:
        self.places = [place for place, one in enumerate(indices) if one is not None]
        given = [indices[place] for place in self.places]
        if any(one._array.dtype.kind == "b" for one in given):
            raise Unbatchable(name)
        self.count = max((one._array.ndim for one in given), default=0)  # how many dimensions of the result they make
        self.first = self.places[0] if self.places else 0
        self.adjacent = self.places == list(range(self.first, self.first + len(self.places)))
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


def _index(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x, indices = inputs
    picked = _Picked(indices, level, op.name)
    return picked.to_example(ops.index(along(x, level), picked.indices))


def _index_adjoint(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    g, indices = inputs
    picked = _Picked(indices, level, op.name)
    return ops.index_adjoint(picked.from_example(along(g, level)), picked.indices, (level.size, *params["shape"]))


def _index_put(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x, values, indices = inputs
    picked = _Picked(indices, level, op.name)
    if picked._moves() is not None:
        raise Unbatchable(op.name)
    if is_batched(values, level):
        values = lifted(values.whole, x._array.ndim - len(picked.places) + picked.count)
    return ops.index_put(along(x, level), values, picked.indices, params["accumulate"])


def _flat(x: Tensor, level: Level) -> Any:
    return along(x, level).reshape((level.size, -1))


def _take(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    x, index = inputs
    places = _places(index, x._array.size, level)
    return ops.gather(_flat(x, level), places, 1).reshape((level.size, *index._array.shape))


def _take_adjoint(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    g, index = inputs
    shape = params["shape"]
    size = int(np.prod(shape))
    found = ops.gather_adjoint(_flat(g, level), _places(index, size, level), (level.size, size), 1)
    return found.reshape((level.size, *shape))


def _places(index: Tensor, size: int, level: Level) -> Any:
    """Indices into all elements of an example, a row for each, counted from the start."""
    flat = _flat(index, level)
    return ops.where(flat < 0, flat + size, flat)


def _embedding(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    weight, indices = inputs
    if not is_batched(weight, level):
        return call_op(op, [weight, indices.whole], params)
    if params["but"] >= 0:
        raise Unbatchable(op.name)
    rows, width = weight._array.shape
    return call_op(op, [weight.whole.reshape((level.size * rows, width)), _rows(indices, rows, level)], params)


def _embedding_adjoint(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
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


def _by_shared_index(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    """``index_add`` and its like: one vector of indices for all examples."""
    x, source, index = inputs
    if is_batched(index, level) or not x._array.ndim or source._array.ndim != x._array.ndim:
        raise Unbatchable(op.name)
    axis = params["axis"]
    return call_op(op, [along(x, level), along(source, level), index], {**params, "axis": axis + 1 if axis >= 0 else axis})


def _searchsorted(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    boundaries, values, sorter = inputs
    if sorter is not None:
        raise Unbatchable(op.name)
    if boundaries._array.ndim > 1:
        return call_op(op, [along(boundaries, level), along(values, level), None], params)
    if not is_batched(boundaries, level):
        return call_op(op, [boundaries, values.whole, None], params)
    shape: Shape = (level.size, *values._array.shape)
    return call_op(op, [boundaries.whole, _flat(values, level), None], params).reshape(shape)


RULES: dict[str, Rule] = {
    "index": _index,
    "index_adjoint": _index_adjoint,
    "index_put": _index_put,
    "take": _take,
    "take_adjoint": _take_adjoint,
    "embedding": _embedding,
    "embedding_adjoint": _embedding_adjoint,
    "searchsorted": _searchsorted,
    **dict.fromkeys(("index_add", "index_copy"), _by_shared_index),
    **dict.fromkeys(("scatter", "scatter_value", "scatter_reduce"), by_parameters),
}
forms.rules.update(RULES)
