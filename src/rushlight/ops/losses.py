"""Loss functions. Those that PyTorch composes of simpler ops are composed here of the same."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any, NoReturn

from ..autograd import modes
from ..autograd.grad_mode import no_grad
from ..backend import losses as k
from ..backend.arithmetic import no_bool_difference
from ..base import dtypes
from ..base.arguments import type_name
from ..tensor import Tensor
from .loss_backward import logits_backward, target_backward, target_backward_of_logits, weighed_logits
from .operands import check_not_negative, refuse_gradient_of, require_kind
from .public import module, ops, public
from .table import op

F = "torch.nn.functional"

op("mse_loss", k.mse_loss, promote="same", numbers="none",
   a=lambda g, xp, a, b, reduction: xp.mse_loss_backward(g, a, b, reduction),
   b=lambda g, xp, a, b, reduction: xp.mse_loss_backward(g, b, a, reduction))  # fmt: skip
op("smooth_l1_loss", k.smooth_l1_loss, node="SmoothL1LossBackward0", promote="same", numbers="none",
   a=lambda g, xp, a, b, reduction, beta: xp.smooth_l1_loss_backward(g, a, b, reduction, beta),
   b=lambda g, xp, a, b, reduction, beta: xp.smooth_l1_loss_backward(g, b, a, reduction, beta))  # fmt: skip
op("huber_loss", k.huber_loss, promote="same", numbers="none",
   a=lambda g, xp, a, b, reduction, delta: xp.huber_loss_backward(g, a, b, reduction, delta),
   b=lambda g, xp, a, b, reduction, delta: xp.huber_loss_backward(g, b, a, reduction, delta))  # fmt: skip
op("huber_loss_of_another_dtype", k.huber_loss, node="HuberLossBackward0", inputs="a b",
   joint=lambda a, b, needs: _found_dtype(*((a, b) if needs[0] else (b, a))) if any(needs) else (None, None))  # fmt: skip
op("binary_cross_entropy", k.binary_cross_entropy, inputs="weight",
   x=lambda g, xp, x, target, weight, reduction: xp.binary_cross_entropy_backward(g, x, target, weight, reduction),
   target=lambda g, xp, x, weight, reduction: target_backward(g, xp, x, weight, reduction))  # fmt: skip
op("binary_cross_entropy_with_logits", k.binary_cross_entropy_with_logits, inputs="weight pos_weight",
   x=lambda g, xp, x, target, weight, pos_weight, reduction: logits_backward(g, xp, x, target, weight, pos_weight, reduction),
   target=lambda g, xp, x, target, weight, pos_weight, reduction: target_backward_of_logits(
       g, xp, x, weight, pos_weight, reduction))  # fmt: skip
op("logits_of_another_dtype", k.logits_of_another_dtype, node="BinaryCrossEntropyWithLogitsBackward0", inputs="weight pos_weight",
   x=lambda g, xp, x, x_dtype, target, weight, pos_weight, reduction: xp.astype(
       logits_backward(g, xp, x, target, weight, pos_weight, reduction), x_dtype),
   target=lambda g, xp, x, target, target_dtype, weight, pos_weight, reduction: xp.astype(
       target_backward_of_logits(g, xp, x, weight, pos_weight, reduction), target_dtype))  # fmt: skip


def reduction_of(size_average: Any, reduce: Any, reduction: Any) -> str:
    """The reduction, also from the two older arguments that said it."""
    if size_average is not None or reduce is not None:
        averages, reduces = (True if said is None else said for said in (size_average, reduce))
        reduction = "mean" if averages and reduces else "sum" if reduces else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.", stacklevel=4
        )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return str(reduction)


def numbered(reduction: int) -> str:
    """The reduction that operators know by a number: all but two are none."""
    return {1: "mean", 2: "sum"}.get(operator.index(reduction), "none")


def reduced(losses: Any, reduction: str) -> Any:
    if reduction == "mean":
        return module("torch")["mean"](losses)
    return ops.sum_all(losses) if reduction == "sum" else losses


def _warn_of_size(input: Any, target: Any) -> None:
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely lead "
        "to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=3,
    )


def _found_dtype(input: Any, target: Any) -> NoReturn:
    have, wanted = (dtypes.of(getattr(one, "_array", one).dtype).scalar_name for one in (target, input))
    raise RuntimeError(f"Found dtype {have} but expected {wanted}")


def _together(input: Any, target: Any) -> tuple[Any, Any]:
    if input._array.shape == target._array.shape:
        return input, target
    return module("torch")["broadcast_tensors"](input, target)


def _weighted_mean(losses: Any, weight: Any, shape: tuple[int, ...], reduction: str, by_weight: bool = True) -> Any:
    if weight._array.shape != shape:
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    return ops.sum_all(losses) / ops.sum_all(weight) if by_weight and reduction == "mean" else reduced(losses, reduction)


@public(space=F, out=False)
def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None
) -> Tensor:
    """The mean of squared differences.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    if (shape := input._array.shape) != target._array.shape:
        _warn_of_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _together(input, target)
    if weight is not None:
        return _weighted_mean((input - target) ** 2, weight, shape, reduction)
    return ops.mse_loss(input, target, reduction)


@public(space=F, out=False)
def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None
) -> Tensor:
    """The mean of absolute differences."""
    if (shape := input._array.shape) != target._array.shape:
        _warn_of_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _together(input, target)
    losses = ops.abs(input - target)
    return reduced(losses, reduction) if weight is None else _weighted_mean(losses, weight, shape, reduction)


@public(space=F, out=False)
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared differences (over twice ``beta``) below ``beta``, absolute ones (less half of it) above."""
    if input._array.shape != target._array.shape:
        _warn_of_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = _together(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced(ops.abs(input - target), reduction)
    return ops.smooth_l1_loss(input, target, reduction, beta)


@public(space=F, out=False)
def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Tensor:
    """Half of squared differences below ``delta``, and from there on the straight line that goes on as steep."""
    if (shape := input._array.shape) != target._array.shape:
        _warn_of_size(input, target)
    reduction = reduction_of(None, None, reduction)
    input, target = _together(input, target)
    if isinstance(delta, Tensor):
        delta = delta.item()
    if not isinstance(delta, (float, int)):
        raise TypeError(f"huber_loss(): argument 'delta' (position 4) must be float, not {type(delta).__name__}")
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if input._array.dtype != target._array.dtype:
        dtypes.check_cast(module("torch")["result_type"](input, target).numpy, input._array.dtype)
    if weight is not None:
        return _weighted_mean(ops.huber_loss(input, target, "none", delta), weight, shape, reduction, by_weight=False)
    if input._array.dtype != target._array.dtype:
        return ops.huber_loss_of_another_dtype(input, target, reduction, delta)
    return ops.huber_loss(input, target, reduction, delta)


# Yes or no.


@public(space=F, out=False)
def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of yes-or-no targets, given probabilities; logarithms are cut off at -100."""
    reduction = reduction_of(size_average, reduce, reduction)
    x, t = input._array, target._array
    if x.shape != t.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None and weight._array.shape != x.shape:
        weight = weight.expand(module("torch")["broadcast_shapes"](t.shape, weight.size()))
    refuse_gradient_of("binary_cross_entropy", "weight", weight, input, target, weight)
    if t.dtype != x.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.scalar_name} but expected {input.dtype.scalar_name}")
    require_kind(input, "binary_cross_entropy", "f")
    return ops.binary_cross_entropy(input, target, weight, reduction)


@public(space=F, out=False)
def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """:func:`binary_cross_entropy` of the sigmoid of logits, without overflow; ``pos_weight`` weighs yes against no."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    composed = modes.state.transforms and not (weight is None and pos_weight is None)
    if not composed:
        refuse_gradient_of("binary_cross_entropy_with_logits", "weight", weight)
        refuse_gradient_of("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{input.dtype.scalar_name}'")
    if target._array.dtype != input._array.dtype:
        if target._array.dtype.kind not in "fV":
            no_bool_difference([target._array.dtype.kind == "b"])
            raise RuntimeError(
                f"result type {input.dtype.scalar_name} can't be cast to the desired output type {target.dtype.scalar_name}"
            )
        return ops.logits_of_another_dtype(input, target, weight, pos_weight, reduction)
    if composed:
        return reduced(weighed_logits(ops, input, target, weight, pos_weight), reduction)
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@public(space=F, out=False)
def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of ``target`` (probabilities, or their logarithms) from log probabilities."""
    batchmean = reduction == "batchmean"
    if batchmean and size_average is None and reduce is None:
        reduction = "sum"
    else:
        if reduction == "mean" and size_average is None and reduce is None:
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only "
                "by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
                "'batchmean' in the next major release.",
                stacklevel=3,
            )
        reduction = reduction_of(size_average, reduce, reduction)
    for value in (input, target):
        if value._array.dtype.kind in "bui":
            raise RuntimeError("kl_div: Integral inputs not supported.")
        if value._array.dtype.kind == "c":
            raise RuntimeError("kl_div: Complex inputs not supported.")
    product = None if log_target else target * input  # first, as in PyTorch: gradients are added up in that order
    losses = ops.exp(target) * (target - input) if log_target else ops.xlogy(target, target) - product
    result = reduced(losses, reduction)
    if batchmean and input._array.ndim:
        return result / input._array.shape[0]
    return result


# Densities.


@public(space=F, out=False)
def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-8,
    reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of counts under rates, or their logarithms; ``full`` adds Stirling's term."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not isinstance(target, Tensor):
        raise TypeError(f"poisson_nll_loss(): argument 'target' (position 2) must be Tensor, not {type_name(target)}")
    losses = ops.exp(input) - target * input if log_input else input - target * ops.log(ops.plus(input, eps))
    if full:
        stirling = target * ops.log(target) - target + ops.times(ops.log(ops.times(target, 2 * math.pi)), 0.5)
        losses = losses + ops.masked_fill(stirling, target <= 1, 0)
    return reduced(losses, reduction)


def _all_but_one(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two shapes are the same but for one dimension, of which the second has one element."""
    return len(shape) == len(other) and [b for a, b in zip(shape, other, strict=True) if a != b] == [1]


@public(space=F, out=False)
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of targets under normal distributions of means ``input`` and variances ``var``."""
    if isinstance(var, Tensor) and var._array.dtype.kind == "f":
        check_not_negative(var, "var has negative entry/entries")
    elif var < 0 if isinstance(var, float) else module("torch")["any"](var < 0):
        raise ValueError("var has negative entry/entries")
    if not isinstance(var, Tensor):
        var = input.new_full(input.size(), var)
    shape = input.size()
    if var._array.shape != shape:
        if shape[:-1] == var._array.shape:
            var = var.unsqueeze(-1)
        elif not _all_but_one(shape, var._array.shape):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (ops.log(var) + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)
