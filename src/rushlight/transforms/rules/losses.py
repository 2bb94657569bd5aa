"""The rules by which losses take a batch along."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor, wrap
from ..batched_tensors import BatchedTensor, Level, Rule, along, call_op, is_batched, with_tangents
from ..dynamic_layers import ForwardLayer, layers_inside
from ..outlines import Unbatchable
from . import forms
from .forms import dims_of, everything, folded_view, lifted, pointwise

Inputs = list[Any]  # tensors, and None where an optional one is not given


def _weights(weight: Tensor, level: Level) -> Tensor:
    """Weights for what a loss is composed of: forward modes inside of the ``vmap`` see the op on one example, of which they have no tangent."""
    inner = {layer.tangents for layer in layers_inside(level) if isinstance(layer, ForwardLayer)}
    if not inner:
        return weight
    if isinstance(weight, BatchedTensor):
        return weight._rewrapped(_weights(weight.whole, level))
    kept = {key: one for key, one in (weight._tangents or {}).items() if key not in inner}
    return with_tangents(weight, kept)


def _nll(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """Losses of single examples, or of the rows of each: all rows at once, then what the weights and the reduction say."""
    x, target, weight = inputs
    ignored = params["ignore_index"]
    logs, classes = along(x, level), along(target, level)
    shape = x._array.shape
    one = len(shape) == 1
    rows = folded_view(logs, (-1, *(shape if one else shape[1:])))
    each = folded_view(classes, (-1, *target._array.shape[1:]))

    def of(rows: Tensor) -> Tensor:
        losses = call_op(op, [rows, each, None], {"reduction": "none", "ignore_index": ignored})
        return folded_view(losses, (level.size, *target._array.shape))

    losses = of(rows)
    weights = None if weight is None else _class_weights(_weights(weight, level), classes, ignored, level)
    if weights is not None:
        losses = losses * weights
    if params["reduction"] == "none":
        return losses
    total = losses if one else ops.sum(losses, everything(losses), False)
    if params["reduction"] == "sum":
        return total
    if weights is None:
        if not isinstance(classes, BatchedTensor) and not bool((classes._array == ignored).any()):
            return total if one else ops.mean(losses, everything(losses), False, None)
        weights = of(ops.clone(ops.expand(wrap(np.array(-1, x._array.dtype)), tuple(rows._array.shape))))
    return total / (weights if one else ops.sum(weights, everything(weights), False))


def _class_weights(weight: Tensor, classes: Tensor, ignored: int, level: Level) -> Tensor:
    """The weight of each target, 0 where it is ignored; it has a gradient, which the op on one example has not."""
    left_out = ops.eq(classes, ignored)
    chosen = folded_view(ops.masked_fill(classes, left_out, 0), (level.size, -1))
    picked = ops.take_along(along(weight, level), ops.astype(chosen, np.dtype(np.int64)), 1)
    return ops.masked_fill(folded_view(picked, tuple(classes._array.shape)), left_out, 0.0)


def _nll_adjoint(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """The gradients of all rows at once, of losses that are weighed before the op has them."""
    g, x, target, weight = inputs
    ignored = params["ignore_index"]
    shape = x._array.shape
    logs, classes = along(x, level), along(target, level)
    given = along(g, level)
    missing = dims_of(classes) - dims_of(given)
    given = folded_view(given, (*given._array.shape, *(1,) * missing)) if missing else given
    ones = ops.expand(wrap(np.ones((), x._array.dtype)), tuple(classes._array.shape))
    weights = (
        _class_weights(weight, classes, ignored, level)
        if weight is not None
        else ops.masked_fill(ones, ops.eq(classes, ignored), 0.0)
    )
    scaled = given * weights
    if params["reduction"] == "mean":
        axes = everything(weights)
        scaled = scaled / (ops.sum(weights, axes, True) if axes else weights)
    rows = folded_view(logs, (-1, *(shape if len(shape) == 1 else shape[1:])))
    each = folded_view(classes, (-1, *target._array.shape[1:]))
    slopes = folded_view(scaled, tuple(each._array.shape))
    slope = call_op(op, [slopes, rows, each, None], {"reduction": "none", "ignore_index": ignored})
    return folded_view(slope, (level.size, *shape))


def _weighed(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """A pointwise op over the batch, and by how much its last input weighs it: that has a gradient, which the op on one example has not."""
    *others, weight = inputs
    if weight is None or op.inputs[-1] != "weight":
        return pointwise(op, inputs, params, level)
    weight = _weights(weight, level)
    values = pointwise(op, [*others, None], params, level)
    ndim = max(dims_of(one) for one in inputs)
    return values * (lifted(weight.whole, ndim) if is_batched(weight, level) else weight)


def _loss(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """A pointwise loss: unreduced over the batch, then reduced over the example."""
    losses = _weighed(op, inputs, {**params, "reduction": "none"}, level)
    if params["reduction"] == "none":
        return losses
    return (ops.mean if params["reduction"] == "mean" else ops.sum)(losses, everything(losses), False, None)


def _loss_backward(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """The derivative of such a loss: the mean divides by the size of an example."""
    slope = _weighed(op, inputs, {**params, "reduction": "sum"}, level)
    return ops.divide_by(slope, math.prod(inputs[1]._array.shape) or 1) if params["reduction"] == "mean" else slope


def _margins(op: Op, inputs: Inputs, params: Named, level: Level) -> Tensor:
    """Losses of rows: all rows at once, then what the reduction says."""
    x, target, *weights = inputs
    if any(is_batched(one, level) for one in weights):
        raise Unbatchable(op.name)
    one = dims_of(x) == 1
    rows = [folded_view(along(value, level), (-1, *value._array.shape[0 if one else 1 :])) for value in (x, target)]
    losses = folded_view(call_op(op, [*rows, *weights], {**params, "reduction": "none"}), (level.size, -1))
    if params["reduction"] == "none":
        return losses if not one else folded_view(losses, (level.size,))
    return (ops.mean if params["reduction"] == "mean" else ops.sum)(losses, (1,), False, None)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("multi_margin_loss", "multilabel_margin_loss"), _margins),
    **dict.fromkeys(("nll_loss", "nll_loss_planes"), _nll),
    "nll_loss_adjoint": _nll_adjoint,
    **dict.fromkeys(
        "mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss".split(),
        _loss,
    ),
    **dict.fromkeys(
        "mse_loss_backward smooth_l1_loss_backward huber_loss_backward binary_cross_entropy_backward soft_margin_loss_backward".split(),
        _loss_backward,
    ),
}
forms.rules.update(RULES)
