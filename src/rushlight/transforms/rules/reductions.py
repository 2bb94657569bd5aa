"""The rules by which reductions of whole examples take a batch along."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op, table
from ...tensor import wrap
from ..batched_tensors import Level, Rule
from . import forms
from .forms import by_parameters, dims_of, everything, folded_view, pointwise


def _of_all(name: str) -> Rule:
    """A full reduction: over all axes but the batch's."""

    def rule(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
        x = inputs[0].whole
        return getattr(ops, name)(x, everything(x), False, *params.values())

    return rule


def _product_of_all(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    return ops.prod(folded_view(inputs[0].whole, (level.size, -1)), (1,), False, *params.values())


def _trace(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    return ops.sum(ops.diagonal(inputs[0].whole, 0, 1, 2), (1,), False)


def _median(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """The median of an example; of one with nan, nan, unless it skips them."""
    flat = folded_view(inputs[0].whole, (level.size, -1))
    skips = params.get("skip_nan", op.name == "nanmedian_all")
    indices = ops.argmedian(flat, 1, False, skips)
    return (ops.nanmedian if skips else ops.median)(flat, indices, 1, False)


def _place(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``argmax`` and ``argmin``, along a dimension or of all elements."""
    if params["axis"] is not None:
        return by_parameters(op, inputs, params, level)
    whole = inputs[0].whole
    found = getattr(ops, op.name)(folded_view(whole, (level.size, -1)), 1, False)
    return folded_view(found, (level.size, *(1,) * (dims_of(whole) - 1))) if params["keepdims"] else found


def _distance(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    apart = pointwise(table["sub"], inputs, {}, level)
    return ops.vector_norm(apart, params["ord"], everything(apart), False, None)


def _distances(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """``pdist``: the distances of all pairs of rows."""
    x = inputs[0].whole
    first, second = np.triu_indices(x._array.shape[1], 1)
    apart = ops.index_select(x, wrap(first), 1) - ops.index_select(x, wrap(second), 1)
    return ops.vector_norm(apart, params["p"], (2,), False, None)


def _renormed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """The slices of all examples as slices of one tensor."""
    axis = params["axis"] % dims_of(inputs[0])
    moved = inputs[0].whole.movedim(axis + 1, 1)
    shape = moved._array.shape
    flat = ops.renorm(folded_view(moved, (-1, *shape[2:])), params["ord"], 0, params["maxnorm"])
    return folded_view(flat, shape).movedim(1, axis + 1)


def _hashed(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    axes = params["axis"] or tuple(range(dims_of(inputs[0])))
    return by_parameters(op, inputs, {**params, "axis": axes}, level)


RULES: dict[str, Rule] = {
    "dist": _distance,
    "hash_tensor": _hashed,
    "max_all": _of_all("amax"),
    "mean_all": _of_all("mean"),
    "median_all": _median,
    "min_all": _of_all("amin"),
    "nanmedian_all": _median,
    "pdist": _distances,
    "prod_all": _product_of_all,
    "renorm": _renormed,
    "sum_all": _of_all("sum"),
    "trace": _trace,
    **dict.fromkeys(("argmax", "argmin"), _place),
}
forms.rules.update(RULES)
