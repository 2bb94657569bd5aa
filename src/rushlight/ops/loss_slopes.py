"""The derivatives of loss functions as ops of their own, as PyTorch has them: a gradient's graph names them and keeps what
they do. ``h`` is the loss's cotangent; their rules give every further order."""

from __future__ import annotations

from typing import Any

from ..backend import loss_slopes as k
from .losses import parts
from .table import op

op("mse_loss_slope", k.mse_loss_slope, node="MseLossBackwardBackward0",
   h=lambda g, xp, a, b, reduction: xp.mse_loss_slope(g, a, b, reduction),
   a=lambda g, h, a, reduction: _mean_part(2 * (g * h), a, reduction),
   b=lambda g, h, b, reduction: -_mean_part(2 * (g * h), b, reduction))  # fmt: skip
op("smooth_l1_loss_slope", k.smooth_l1_loss_slope, node="SmoothL1LossBackwardBackward0",
   h=lambda g, xp, a, b, reduction, beta: xp.smooth_l1_loss_slope(g, a, b, reduction, beta),
   a=lambda g, xp, h, a, b, reduction, beta: _where_curved(g * h, xp, a, b, reduction, beta) / beta,
   b=lambda g, xp, h, a, b, reduction, beta: -_where_curved(g * h, xp, a, b, reduction, beta) / beta)  # fmt: skip
op("huber_loss_slope", k.huber_loss_slope, node="HuberLossBackwardBackward0",
   h=lambda g, xp, a, b, reduction, delta: xp.huber_loss_slope(g, a, b, reduction, delta),
   a=lambda g, xp, h, a, b, reduction, delta: _where_curved(g * h, xp, a, b, reduction, delta),
   b=lambda g, xp, h, a, b, reduction, delta: -_where_curved(g * h, xp, a, b, reduction, delta))  # fmt: skip


def _mean_part(values: Any, x: Any, reduction: str) -> Any:
    return values / parts(x, reduction) if reduction == "mean" else values


def _where_curved(values: Any, xp: Any, a: Any, b: Any, reduction: str, limit: float) -> Any:
    """Values where the loss is no straight line."""
    return _mean_part(values * (xp.abs(a - b) < limit), a, reduction)
