"""Kernels of loss functions. ``reduction`` is 'none', 'mean' or 'sum'."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errstate import silent
from ..kernels import nll_loss as compiled
from ..kernels import register, sweeps
from ..kernels.half_precision import is_half, kept
from . import reduce
from .activations import log_sigmoid
from .array_dtypes import common, refuse
from .bits import either
from .embedding import one_hot
from .extremes import put_along, take_along
from .flat_indices import within
from .loss_backward import wrong_side
from .numpy import Array, in_single
from .pointwise import log1p

_INT64 = np.dtype(np.int64)


def reduced(values: Array, reduction: str, dtype: np.dtype[Any]) -> Any:
    if reduction == "none":
        return values.astype(dtype, copy=False)
    total = reduce.sum_all(values) if reduction == "sum" else reduce.mean_all(values)
    return total if total.dtype is dtype else np.asarray(total).astype(dtype)


def mse_loss(a: Array, b: Array, reduction: str) -> Any:
    if a.dtype.kind not in "fV":
        refuse("mse_cpu", a)
    off = np.subtract(a, b, out=...)  # of half precision each step is rounded
    return reduced(in_single(off * off), reduction, a.dtype)


@register(sweeps.smooth_l1)
def smooth_l1(a: Array, b: Array, beta: float) -> Array:
    """Of each pair of numbers."""
    off = np.abs(a - b)
    half = off.dtype.type(0.5)
    return either(off < beta, half * off * off / beta, off - half * beta)


@register(sweeps.huber)
def huber(a: Array, b: Array, delta: float) -> Array:
    """Of each pair of numbers."""
    off = np.abs(a - b)
    half = off.dtype.type(0.5)
    return either(off <= delta, half * off * off, delta * (off - half * delta))


def smooth_l1_loss(a: Array, b: Array, reduction: str, beta: float) -> Any:
    if a.dtype.kind not in "fV":
        refuse("smooth_l1_cpu", a)
    if a.dtype.char == "e":  # PyTorch rounds each step
        return reduced(in_single(smooth_l1(a, b, np.float16(beta))), reduction, a.dtype)  # type: ignore[arg-type]
    return reduced(kept(smooth_l1(in_single(a), in_single(b), beta), a.dtype), reduction, a.dtype)


def huber_loss(a: Array, b: Array, reduction: str, delta: float) -> Any:
    if a.dtype.kind not in "fV":
        refuse("huber_cpu", a.astype(common(a, b)))
    if a.dtype.kind == "V":  # PyTorch rounds each step
        return reduced(in_single(huber(a, b, np.asarray(delta).astype(a.dtype)[()])), reduction, a.dtype)
    return reduced(kept(huber(in_single(a), in_single(b), delta), a.dtype), reduction, a.dtype)


# The likelihood of classes: x is (C) or (N, C, ...), the classes (...) or (N, ...).


def _classes(target: Array, count: int, ignore_index: int) -> tuple[Array | None, Array]:
    """Which targets count, None for all of them, and the classes, with 0 for those that do not count."""
    chosen = target if target.dtype is _INT64 else target.astype(np.int64)
    if 0 <= ignore_index < count or not within(chosen, 0, count):
        counted = target != ignore_index
        chosen = np.where(counted, chosen, 0)
        if not within(chosen, 0, count) and (wrong := counted & ((chosen < 0) | (chosen >= count))).any():
            raise IndexError(f"Target {target[wrong].reshape(-1)[0]} is out of bounds.")
        return None if counted.all() else counted, chosen
    return None, chosen


def _class_weights(chosen: Array, counted: Array | None, weight: Array | None, dtype: np.dtype[Any]) -> Array | None:
    """What each target counts; None where all are 1."""
    if weight is None:
        return None if counted is None else counted.astype(dtype)
    scale = weight[chosen]
    return scale if counted is None else np.where(counted, scale, dtype.type(0))


_STEP = 16


def _added_in_turn(values: Array) -> Array:
    """The sum, each step rounded: sixteen numbers after another, then sixteen of such sums, and so on; the first of all comes last."""
    rest, total = values[1:], values.dtype.type(0)
    while rest.size:
        whole = rest.size // _STEP * _STEP
        if whole < rest.size:
            total = total + np.add.accumulate(rest[whole:])[-1]
        rest = np.add.accumulate(rest[:whole].reshape(-1, _STEP), 1)[:, -1]
    return np.asarray(total + values[0])


def _weight_of_all(scale: Array | None, target: Array, dtype: np.dtype[np.generic]) -> Array:
    """What a mean divides by, rounded as PyTorch adds it up."""
    return np.asarray(target.size).astype(dtype) if scale is None else _added_in_turn(scale.reshape(-1))


@register(compiled.nll_loss)
def nll_loss(x: Array, target: Array, weight: Array | None = None, reduction: str = "mean", ignore_index: int = -100) -> Any:
    if x.dtype.kind not in "fV":
        refuse("nll_loss2d_forward_out_frame" if x.ndim > 2 else "nll_loss_out_frame", x)
    classes = x.shape[min(x.ndim - 1, 1)]
    counted, chosen = _classes(target, classes, ignore_index)
    scale = _class_weights(chosen, counted, weight, x.dtype)
    axis = min(x.ndim - 1, 1)
    picked = take_along(x, np.expand_dims(chosen, axis), axis).squeeze(axis) if classes else np.zeros(target.shape, x.dtype)
    if is_half(x) and reduction != "none" and target.size:
        losses = np.negative(picked if scale is None else picked * scale).reshape(-1)
        loss = _added_in_turn(losses if counted is None else np.where(counted.reshape(-1), losses, losses.dtype.type(0)))
        return loss / _weight_of_all(scale, target, x.dtype) if reduction == "mean" else loss
    if scale is None and target.size:
        loss = reduced(in_single(picked), reduction, x.dtype)
        return np.negative(loss) if reduction == "none" else 0 - loss  # of 0.0 not -0.0
    losses = -in_single(picked) if scale is None else -in_single(picked) * in_single(scale)
    if counted is not None:
        losses = np.where(counted, losses, 0)
    if reduction == "none":
        return losses.astype(x.dtype, copy=False)
    total = np.asarray(reduce.sum_all(losses))
    if reduction == "mean":
        total = total / (target.size if scale is None else reduce.sum_all(in_single(scale)))
    return total.astype(x.dtype)


@register(compiled.nll_loss_adjoint)
def nll_loss_adjoint(
    g: Array,
    x: Array,
    target: Array,
    weight: Array | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Array:
    """The transpose of ``nll_loss``, which does not depend on x but for its shape."""
    g = np.asarray(g)
    shape = x.shape
    classes = shape[min(len(shape) - 1, 1)]
    counted, chosen = _classes(target, classes, ignore_index)
    scale = _class_weights(chosen, counted, weight, g.dtype)
    if not x.size:
        return np.zeros(shape, g.dtype)
    values = -g[()]  # of a 0-dim array NumPy makes a number, by which it divides in a tenth of the time
    if is_half(g) and reduction == "mean" and target.size:
        values, reduction = values / _weight_of_all(scale, target, g.dtype), "sum"
    if scale is not None:
        values = values * scale
    if reduction == "mean":
        values = values / (target.size if scale is None else reduce.sum_all(scale))
    if counted is not None:
        values = np.where(counted, values, g.dtype.type(0))
    axis = min(len(shape) - 1, 1)
    there = np.expand_dims(chosen, axis)
    return put_along(np.broadcast_to(values, chosen.shape).reshape(there.shape), there, shape, axis)


# The likelihood of yes or no.


def _between_0_and_1(x: Array, target: Array) -> None:
    """The error tells of the first element that is not, and there of the input first."""
    x_wrong, target_wrong = ~((x >= 0) & (x <= 1)), ~((target >= 0) & (target <= 1))
    if (wrong := x_wrong | target_wrong).any():
        what = "input" if x_wrong.flat[wrong.argmax()] else "target"
        raise RuntimeError(f"all elements of {what} should be between 0 and 1")


def binary_cross_entropy(x: Array, target: Array, weight: Array | None = None, reduction: str = "mean") -> Any:
    _between_0_and_1(x, target)
    one, least = np.asarray((1, -100)).astype(x.dtype)  # of half precision each step is rounded
    with silent():
        losses = (target - one) * np.maximum(log1p(-x), least) - target * np.maximum(np.log(x), least)
    if weight is not None:
        losses = losses * weight
    return reduced(losses, reduction, x.dtype)


def binary_cross_entropy_with_logits(
    x: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: str = "mean"
) -> Any:
    if x.dtype.itemsize == 2:
        return logits_of_another_dtype(x, target, weight, pos_weight, reduction)
    logarithm = log_sigmoid(x)
    if pos_weight is not None:
        logarithm = logarithm * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * x  # whose layout stays, whatever that of the logarithm
    losses -= logarithm
    if weight is not None:
        losses = losses * weight
    return reduced(losses, reduction, x.dtype)


def logits_of_another_dtype(
    x: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: str = "mean"
) -> Any:
    """The same in the target's dtype, or half precision, each step rounded to it: PyTorch computes it in the place of ``1 - target``."""
    wide, t = in_single(x), in_single(target)
    logarithm = log_sigmoid(x)
    if pos_weight is not None:
        one = pos_weight.dtype.type(1)
        share = (pos_weight - one) * target + one if is_half(pos_weight) else (pos_weight - 1) * t + 1
        share = share.astype(np.result_type(pos_weight, target), copy=False)
        logarithm = (in_single(share) * in_single(logarithm)).astype(share.dtype)
    losses = (in_single((1 - t).astype(target.dtype)) * wide).astype(target.dtype)
    losses = in_single(losses)
    losses -= in_single(logarithm)
    losses = losses.astype(target.dtype)
    if weight is not None:
        losses = (in_single(losses) * in_single(weight)).astype(target.dtype)
    return reduced(in_single(losses), reduction, target.dtype)


# Margins.


def soft_margin_loss(x: Array, target: Array, reduction: str) -> Any:
    return reduced(in_single(np.log1p(in_single(wrong_side(x, target))).astype(x.dtype)), reduction, x.dtype)


def multi_margin_loss(
    x: Array, target: Array, weight: Array | None = None, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    """x (N, C), target (N): by how much each other class comes within the margin of the right one."""
    wide = in_single(x)
    right = np.take_along_axis(wide, target[:, None], 1) if x.size else wide[:, :0]
    excess = np.fmax(margin - right + wide, 0) ** p if x.size else wide  # nan comes within no margin
    excess = np.where(one_hot(target, x.shape[1]) == 1, 0, excess)
    losses = excess.sum(1) / x.shape[1]
    if weight is not None:
        losses = losses * weight[target]
    return reduced(losses, reduction, x.dtype)


def label_counts(target: Array) -> Array:
    """How often each class is named before the first -1 of its row: (N, C)."""
    named = np.logical_and.accumulate(target >= 0, 1)
    counts = np.zeros(target.shape, np.int64)
    rows = np.broadcast_to(np.arange(len(target))[:, None], target.shape)
    np.add.at(counts, (rows[named], target[named]), 1)
    return counts


def multilabel_margin_loss(x: Array, target: Array, reduction: str) -> Any:
    """x and target (N, C): by how much classes that are not named come within 1 of those that are."""
    counts = label_counts(target)
    wide = in_single(x)
    excess = np.fmax(1 - wide[:, :, None] + wide[:, None, :], 0)  # nan comes within no margin
    pairs = counts[:, :, None] * (counts == 0)[:, None, :]
    losses = np.where(pairs, excess * pairs, 0).sum((1, 2)) / max(x.shape[1], 1)
    return reduced(losses, reduction, x.dtype)


def multilabel_margin_backward(x: Array, target: Array) -> Array:
    """The derivative of each row's loss in x: (N, C)."""
    counts = label_counts(target)
    close = 1 - x[:, :, None] + x[:, None, :] > 0
    pairs = np.where(close, counts[:, :, None] * (counts == 0)[:, None, :], 0)
    return ((pairs.sum(1) - pairs.sum(2)) / max(x.shape[1], 1)).astype(x.dtype)
