"""The derivatives of loss functions as ops of their own, as PyTorch has them: a gradient's graph names them and keeps what
they do. ``h`` is the loss's cotangent; their rules give every further order."""

from __future__ import annotations

import math
from typing import Any

from ..backend import loss_backward as k
from .table import arrays, op

op("mse_loss_backward", k.mse_loss_backward, node="MseLossBackwardBackward0",
   h=lambda g, xp, a, b, reduction: xp.mse_loss_backward(g, a, b, reduction),
   a=lambda g, h, a, reduction: _mean_part(2 * (g * h), a, reduction),
   b=lambda g, h, b, reduction: -_mean_part(2 * (g * h), b, reduction))  # fmt: skip
op("smooth_l1_loss_backward", k.smooth_l1_loss_backward, node="SmoothL1LossBackwardBackward0",
   h=lambda g, xp, a, b, reduction, beta: xp.smooth_l1_loss_backward(g, a, b, reduction, beta),
   a=lambda g, xp, h, a, b, reduction, beta: _where_curved(g * h, xp, a, b, reduction, beta) / beta,
   b=lambda g, xp, h, a, b, reduction, beta: -_where_curved(g * h, xp, a, b, reduction, beta) / beta)  # fmt: skip
op("huber_loss_backward", k.huber_loss_backward, node="HuberLossBackwardBackward0",
   h=lambda g, xp, a, b, reduction, delta: xp.huber_loss_backward(g, a, b, reduction, delta),
   a=lambda g, xp, h, a, b, reduction, delta: _where_curved(g * h, xp, a, b, reduction, delta),
   b=lambda g, xp, h, a, b, reduction, delta: -_where_curved(g * h, xp, a, b, reduction, delta))  # fmt: skip
op("binary_cross_entropy_backward", k.binary_cross_entropy_backward, inputs="weight", node="BinaryCrossEntropyBackwardBackward0",
   h=lambda g, xp, x, target, weight, reduction: xp.binary_cross_entropy_backward(g, x, target, weight, reduction),
   x=lambda g, xp, h, x, target, weight, reduction: _mean_part(_weighted(g * h, weight) * (
       (x * (x - 2 * target) + target) / _spread(xp, x) / _spread(xp, x)), x, reduction),
   target=lambda g, xp, h, x, weight, reduction: -_mean_part(
       _weighted(g * h, weight) / _spread(xp, x), x, reduction))  # fmt: skip
op("soft_margin_loss_backward", k.soft_margin_loss_backward, inputs="target", node="SoftMarginLossBackwardBackward0",
   h=lambda g, xp, x, target, reduction: xp.soft_margin_loss_backward(g, x, target, reduction),
   x=lambda g, xp, h, x, target, reduction: _mean_part(
       g * h * target * target * _slope_of_sigmoid(xp.exp(target * -x)), x, reduction))  # fmt: skip


def parts(x: Any, reduction: str) -> int:
    """What the mean divides by."""
    return math.prod(x.shape) or 1 if reduction == "mean" else 1


def _weighted(g: Any, weight: Any) -> Any:
    return g if weight is None else g * weight


def _spread(xp: Any, x: Any) -> Any:
    """The variance of what is true with probability ``x``."""
    return xp.clamp((1 - x) * x, 1e-12, None)


def _slope_of_sigmoid(z: Any) -> Any:
    """Where z is ``exp(-x)``; nan where that is infinite, as in PyTorch."""
    return z / ((1 + z) * (1 + z))


def _mean_part(values: Any, x: Any, reduction: str) -> Any:
    return values / parts(x, reduction) if reduction == "mean" else values


def _where_curved(values: Any, xp: Any, a: Any, b: Any, reduction: str, limit: float) -> Any:
    """Values where the loss is no straight line."""
    return _mean_part(values * (xp.abs(a - b) < limit), a, reduction)


# Slopes that PyTorch composes.


def _composed(g: Any, xp: Any, slope: Any, weight: Any, x: Any, reduction: str) -> Any:
    slope = slope * g if weight is None else slope * g * weight
    return xp.divide_by(slope, parts(x, reduction)) if reduction == "mean" else slope


def target_backward(g: Any, xp: Any, x: Any, weight: Any, reduction: str) -> Any:
    if xp is arrays and x.itemsize > 2:
        return _weighted(g, weight) * ((xp.log(1 - x) - xp.log(x)) / parts(x, reduction))
    return _composed(g, xp, -xp.logit(x, None), weight, x, reduction)


def logits_backward(g: Any, xp: Any, x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    if pos_weight is None:
        slope = xp.sigmoid(x) - target
    else:
        heavy = pos_weight * target
        slope = (xp.plus(heavy, 1) - target) * xp.sigmoid(x) - heavy
    return _composed(g, xp, slope, weight, x, reduction)


def target_backward_of_logits(g: Any, xp: Any, x: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    slope = -x if pos_weight is None else xp.log_sigmoid(-x) - xp.log_sigmoid(x) * pos_weight
    return _composed(g, xp, slope, weight, x, reduction)


# What PyTorch composes wherever a transform runs, so that the weights have gradients.


def weighed_logits(xp: Any, x: Any, target: Any, weight: Any, pos_weight: Any) -> Any:
    """The losses of ``binary_cross_entropy_with_logits``, each by itself."""
    logarithm = xp.log_sigmoid(x)
    if pos_weight is not None:
        logarithm = logarithm * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * x - logarithm
    return losses if weight is None else losses * weight
