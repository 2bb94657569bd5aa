"""The rules by which losses take a batch along."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd.interpreters import Named
from ...ops.public import ops
from ...ops.table import Op
from ...tensor import Tensor, wrap
from ..batched_tensors import BatchedTensor, Level, Rule, along, call_op, is_batched
from ..outlines import Unbatchable
from . import forms
from .forms import dims_of, everything, folded_view, pointwise


def _nll(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """Losses of single examples, or of the rows of each: all rows at once, then what the reduction says."""
    x, target, weight = inputs
    ignored = params["ignore_index"]
    logs, classes = along(x, level), along(target, level)
    if is_batched(weight, level):
        raise Unbatchable(op.name)
    shape = x._array.shape
    one = len(shape) == 1
    rows = folded_view(logs, (-1, *(shape if one else shape[1:])))
    each = folded_view(classes, (-1, *target._array.shape[1:]))

    def of(rows: Tensor) -> Any:
        losses = call_op(op, [rows, each, weight], {"reduction": "none", "ignore_index": ignored})
        return folded_view(losses, (level.size, *target._array.shape))

    losses = of(rows)
    if params["reduction"] == "none":
        return losses
    total = losses if one else ops.sum(losses, everything(losses), False)
    if params["reduction"] == "sum":
        return total
    counted = weight is None and not isinstance(classes, BatchedTensor) and not bool((classes._array == ignored).any())
    if counted:
        return total if one else ops.mean(losses, everything(losses), False, None)
    weights = of(ops.clone(ops.expand(wrap(np.array(-1, x._array.dtype)), tuple(rows._array.shape))))
    return total / (weights if one else ops.sum(weights, everything(weights), False))


def _loss(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """A pointwise loss: unreduced over the batch, then reduced over the example."""
    losses = pointwise(op, inputs, {**params, "reduction": "none"}, level)
    if params["reduction"] == "none":
        return losses
    return (ops.mean if params["reduction"] == "mean" else ops.sum)(losses, everything(losses), False, None)


def _loss_backward(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
    """The derivative of such a loss: the mean divides by the size of an example."""
    slope = pointwise(op, inputs, {**params, "reduction": "sum"}, level)
    return ops.divide_by(slope, math.prod(inputs[1]._array.shape) or 1) if params["reduction"] == "mean" else slope


def _margins(op: Op, inputs: list[Any], params: Named, level: Level) -> Any:
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
