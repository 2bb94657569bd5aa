"""The likelihood of classes: ``nll_loss`` and ``cross_entropy``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import losses as k
from ..tensor import Tensor
from .losses import reduction_of
from .operands import refuse_gradient_of
from .public import axis_of, module, ops, public
from .softmax import log_softmax
from .table import op

F = "torch.nn.functional"
_INT64 = np.dtype(np.int64)

for _name, _node in (("nll_loss", "NllLossBackward0"), ("nll_loss_planes", "NllLoss2DBackward0")):
    op(_name, k.nll_loss, node=_node, inputs="target weight", kind="linear",
       # Of x the shape would do, but as in PyTorch a write into it is an error, and the gradient has one, of zeros, in it.
       x=lambda g, xp, x, target, weight, reduction, ignore_index: xp.nll_loss_adjoint(
           g, x, target, weight, reduction, ignore_index))  # fmt: skip
op("nll_loss_adjoint", k.nll_loss_adjoint, node="NllLossBackwardBackward0", inputs="target weight", kind="linear",
   g=lambda g, xp, target, weight, reduction, ignore_index: xp.nll_loss(g, target, weight, reduction, ignore_index),
   x=lambda g, xp, x_shape: xp.full_like_shape(g, x_shape))  # fmt: skip


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
    _check_smoothing(label_smoothing)
    axis = 0 if input._array.ndim == 1 else 1
    logs = log_softmax(input, axis)
    if not label_smoothing:
        return _nll(logs, target, weight, reduction, ignore_index)
    return _smoothed(logs, target, weight, reduction, ignore_index, label_smoothing, axis)


def _check_smoothing(smoothing: float) -> None:
    if not 0 <= smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing:g}")


def _along_classes(weight: Any, ndim: int, axis: int) -> Any:
    return weight.view([weight._array.size if each == axis else 1 for each in range(ndim)])


def _cross_entropy_of_probabilities(input: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    _check_smoothing(smoothing)
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
    weighed = logs if weight is None else logs * _along_classes(weight, logs._array.ndim, axis)
    ignored = target == ignore_index
    smooth = ops.masked_fill(ops.neg(weighed.sum(axis)), ignored, 0.0)
    if reduction == "sum":
        smooth = ops.sum_all(smooth)
    elif reduction == "mean":
        counted = ignored.logical_not()
        shares = counted if weight is None else weight.gather(0, target.masked_select(counted).flatten())
        smooth = ops.sum_all(smooth) / ops.sum_all(shares)
    classes = logs._array.shape[axis]
    return ops.add(ops.times(nll, 1 - smoothing), ops.times(smooth, smoothing / classes))
