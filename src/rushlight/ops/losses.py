"""Loss functions. Those that PyTorch composes of simpler ops are composed here of the same."""

from __future__ import annotations

import math
import warnings
from typing import Any, NoReturn

import numpy as np

from ..autograd import modes
from ..autograd.grad_mode import no_grad
from ..backend import losses as k
from ..backend.arithmetic import no_bool_difference
from ..base import dtypes
from ..base.arguments import type_name
from ..tensor import Tensor
from .loss_backward import logits_backward, target_backward, target_backward_of_logits, weighed_logits
from .operands import check_not_negative, refuse_gradient_of, require_kind
from .public import axis_of, module, ops, public
from .softmax import log_softmax
from .table import op

F = "torch.nn.functional"
_INT64 = np.dtype(np.int64)

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
   joint=lambda a, b, needs: _found_dtype(a, b) if needs[0] else _found_dtype(b, a))  # fmt: skip
for _name, _node in (("nll_loss", "NllLossBackward0"), ("nll_loss_planes", "NllLoss2DBackward0")):
    op(_name, k.nll_loss, node=_node, inputs="target weight", kind="linear",
       # Of x the shape would do, but as in PyTorch a write into it is an error, and the gradient has one, of zeros, in it.
       x=lambda g, xp, x, target, weight, reduction, ignore_index: xp.nll_loss_adjoint(
           g, x, target, weight, reduction, ignore_index))  # fmt: skip
op("nll_loss_adjoint", k.nll_loss_adjoint, node="NllLossBackwardBackward0", inputs="target weight", kind="linear",
   g=lambda g, xp, target, weight, reduction, ignore_index: xp.nll_loss(g, target, weight, reduction, ignore_index),
   x=lambda g, xp, x_shape: xp.full_like_shape(g, x_shape))  # fmt: skip
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
    if isinstance(reduction, int) and 0 <= reduction <= 2:
        return ("none", "mean", "sum")[reduction]
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return str(reduction)


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


# Classes.


def _one_class_a_row(x: Any, t: Any) -> bool:
    """Whether shapes and dtype are as nearly always, (N, C) and (N): nothing is wrong with them."""
    return x.ndim == 2 and x.shape[:1] == t.shape and t.dtype is _INT64


def _expect_classes(target: Tensor) -> None:
    if target._array.dtype.str[1:] not in ("i8", "u1"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.scalar_name}")


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str) -> None:
    x, t = input._array, target._array
    if weight is None and _one_class_a_row(x, t):
        return
    if x.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    if x.ndim != 1 and x.shape[0] != (t.shape or (0,))[0]:
        raise ValueError(f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({(t.shape or (0,))[0]}).")
    if x.ndim > 2 and x.ndim != 4 and not t.ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    if x.ndim in (1, 2, 4) or x.shape[2:] == t.shape[1:]:
        refuse_gradient_of(f"nll_loss{'2d' * (x.ndim > 2)}_forward", "weight", weight, input, target, weight)
    if x.ndim > 2 and x.shape[2:] != t.shape[1:]:
        if x.ndim == 4:
            if t.ndim != 3:
                raise RuntimeError(
                    f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {t.ndim}"
                )
            _expect_classes(target)
            raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(t.shape)}")
        raise RuntimeError(f"Expected target size {[x.shape[0], *x.shape[2:]]}, got {list(t.shape)}")
    if x.ndim == 1 and t.ndim == 1 and t.shape[0] != 1:
        _expect_classes(target)
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.shape[0]}")
    if x.ndim <= 2 and t.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    _expect_classes(target)
    if x.ndim > 2 and t.dtype == np.uint8 and (t.size or reduction == "none"):
        raise RuntimeError("expected scalar type Long but found Byte")
    if x.ndim == 2 and not t.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if weight is not None:
        classes = x.shape[-1] if x.ndim == 1 else x.shape[1]
        if weight._array.ndim != 1 or weight._array.size != classes:
            raise RuntimeError(
                f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
                f"shape: {list(weight._array.shape)}"
            )
        if weight._array.dtype != x.dtype:
            raise RuntimeError(f"expected scalar type {input.dtype.scalar_name} but found {weight.dtype.scalar_name}")


def _nll(input: Any, target: Any, weight: Any, reduction: str, ignore_index: int) -> Any:
    _check_classes(input, target, weight, reduction)
    shape = input._array.shape
    if len(shape) <= 2:
        if len(shape) == 1 and reduction == "none":
            target = target.view(())  # the loss of one sample is a number, also where its class is (1,)
        return ops.nll_loss(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return ops.nll_loss_planes(input, target, weight, reduction, ignore_index)
    elements = math.prod(shape[2:])
    planes, places = input.contiguous().view(shape[0], shape[1], 1, elements), target.contiguous().view(shape[0], 1, elements)
    losses = ops.nll_loss_planes(planes, places, weight, reduction, ignore_index)
    return losses.view(shape[0], *shape[2:]) if reduction == "none" else losses


@public(space=F, out=False)
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of the target classes, given log probabilities (N, C, ...).

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.nll_loss(torch.tensor([[-0.5, -1.0]]), torch.tensor([1]))
    tensor(1.)
    """
    return _nll(input, target, weight, reduction_of(size_average, reduce, reduction), ignore_index)


@public(space=F, out=False)
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """:func:`nll_loss` of the log softmax of logits (N, C, ...); targets are classes, or probabilities of the input's shape.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.cross_entropy(torch.tensor([[0.0, 0.0]]), torch.tensor([1]))
    tensor(0.6931)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    x = input._array
    if weight is None and not label_smoothing and _one_class_a_row(x, target._array) and x.dtype.kind == "f":
        return ops.nll_loss(ops.log_softmax(input, 1), target, None, reduction, ignore_index)
    if input._array.shape == target._array.shape:
        if target._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype.scalar_name}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _cross_entropy_of_probabilities(input, target, weight, reduction, label_smoothing)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    axis = 0 if input._array.ndim == 1 else 1
    logs = log_softmax(input, axis)
    if not label_smoothing:
        return _nll(logs, target, weight, reduction, ignore_index)
    return _smoothed(logs, target, weight, reduction, ignore_index, label_smoothing, axis)


def _along_classes(weight: Any, ndim: int, axis: int) -> Any:
    return weight.view([weight._array.size if each == axis else 1 for each in range(ndim)])


def _cross_entropy_of_probabilities(input: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    if not 0 <= smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")
    shape = input._array.shape
    axis = 0 if len(shape) == 1 else axis_of(1, len(shape), wrap_scalar=False)
    if weight is not None and (weight._array.ndim != 1 or weight._array.size != shape[axis]):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {shape[axis]} classes or no classes but got weight "
            f"tensor of shape: {list(weight._array.shape)}"
        )
    logs = module("torch")["log_softmax"](input, axis)
    if smoothing:
        target = ops.plus(ops.times(target, 1 - smoothing), smoothing / max(shape[axis], 1))
    losses = logs * target
    if weight is not None:
        losses = losses * _along_classes(weight, len(shape), axis)
    if reduction == "none":
        return ops.neg(losses.sum(axis))
    total = ops.neg(ops.sum_all(losses))
    if reduction == "sum":
        return total
    if not math.prod(shape):
        return ops.neg(ops.times(ops.neg(total), math.nan))
    return ops.divide_by(total, math.prod(shape) / shape[axis])


def _smoothed(logs: Any, target: Any, weight: Any, reduction: str, ignore_index: int, smoothing: float, axis: int) -> Any:
    nll = _nll(logs, target, weight, reduction, ignore_index)
    if weight is not None:
        smooth = ops.neg((logs * _along_classes(weight, logs._array.ndim, axis)).sum(axis))
    else:
        smooth = ops.neg(logs.sum(axis))
    ignored = target == ignore_index
    smooth = ops.masked_fill(smooth, ignored, 0.0)
    if reduction == "sum":
        smooth = ops.sum_all(smooth)
    elif reduction == "mean":
        counted = ignored.logical_not()
        if weight is not None:
            divisor = ops.sum_all(weight.gather(0, target.masked_select(counted).flatten()))
        else:
            divisor = ops.sum_all(counted)
        smooth = ops.sum_all(smooth) / divisor
    classes = logs._array.shape[axis]
    return ops.add(ops.times(nll, 1 - smoothing), ops.times(smooth, smoothing / classes))


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
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (ops.log(var) + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)
