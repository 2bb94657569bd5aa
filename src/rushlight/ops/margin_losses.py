"""Loss functions of margins: by how much what should be apart is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import tangents
from ..autograd.write_errors import check_output
from ..backend import losses as k
from ..backend.loss_backward import multi_margin_loss_backward
from ..base import dtypes
from .argument_forms import held_to_forms, respelled, spellings_of
from .forward_arrays import lacking
from .losses import numbered, reduced, reduction_of
from .operands import refuse_gradient_of, require_kind, require_single_or_double
from .public import axis_of, module, ops, public
from .rule_functions import underivable
from .table import op, table

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"

op("soft_margin_loss", k.soft_margin_loss, inputs="target",
   x=lambda g, xp, x, target, reduction: xp.soft_margin_loss_backward(g, x, target, reduction))  # fmt: skip
op("multi_margin_loss", k.multi_margin_loss, inputs="target weight",
   x=lambda g, xp, x, target, weight, p, margin, reduction: xp.multi_margin_loss_backward(
       g, x, target, weight, p, margin, reduction))  # fmt: skip
op("multi_margin_loss_backward", multi_margin_loss_backward, node="NotImplemented", inputs="target weight",
   h=lambda g: underivable("multi_margin_loss_backward"), x=lambda g: underivable("multi_margin_loss_backward"))  # fmt: skip
op("multilabel_margin_loss", k.multilabel_margin_loss, inputs="target",
   x=lambda g, xp, x, target, reduction: _rows(g, reduction) * (
       xp.multilabel_margin_backward(x, target) / _row_parts(x, reduction)))  # fmt: skip
op("multilabel_margin_backward", k.multilabel_margin_backward, inputs="x target")


def _row_parts(x: Any, reduction: str) -> int:
    return x.shape[0] if reduction == "mean" else 1


def _rows(g: Any, reduction: str) -> Any:
    return g.reshape((*g.shape, 1)) if reduction == "none" else g


@public(space=F, out=False)
def soft_margin_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """The mean of ``log(1 + exp(-target * input))``."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient_of("soft_margin_loss", "target", target)
    kind = input._array.dtype.kind
    if kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."
        )
    if input._array.shape != target._array.shape:
        check_output(input._array.shape, target._array.shape)
    if input._array.dtype != target._array.dtype:
        dtypes.check_cast(module("torch")["result_type"](input, target).numpy, input._array.dtype)
    if kind in "iu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}")
    return ops.soft_margin_loss(input, target, reduction)


def _rows_of(input: Any, name: str) -> Any:
    """(N, C) from what may be one sample."""
    shape = input._array.shape
    if not (len(shape) <= 2 and (shape[1:] if len(shape) == 2 else shape) != (0,)):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}")
    return input


def _classes(target: Tensor) -> Tensor:
    """The target, which is of int64 unless it is of nothing."""
    if target._array.dtype == np.int64:
        return target
    if target._array.size:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.scalar_name}")
    zeros: Tensor = module("torch")["zeros_like"](target, dtype=dtypes.int64)
    return zeros


def _check_targets(target: Tensor, least: int, classes: int, error: str) -> None:
    places = target._array
    if ((places < least) | (places >= classes)).any():
        raise RuntimeError(error)


@public(space=F, out=False)
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much other classes come within the margin of the right one: ``max(0, margin - x[y] + x[i]) ** p``, averaged."""
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight._array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    refuse_gradient_of("multi_margin_loss", "weight", weight)
    if any(one is not None and tangents.tangents_of(one) for one in (input, weight)):
        raise lacking(table["multi_margin_loss"], NotImplementedError())
    x, t = _rows_of(input, "multi_margin_loss")._array, target._array
    rows, classes = (1, x.size) if x.ndim < 2 else x.shape
    if t.ndim > 1 or t.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{rows}], but got {list(t.shape)}. Input has shape {list(x.shape)}."
        )
    if weight is not None and weight._array.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight._array.shape)}")
    require_single_or_double(input, "multi_margin_loss_cpu_kernel")
    target = _classes(target)
    _check_targets(target, 0, classes, "target out of range")
    return _by_rows("multi_margin_loss", input, target, reduction, weight, p, margin)


def _by_rows(name: str, input: Any, target: Any, reduction: str, *options: Any) -> Any:
    """Calls an op over (N, C) for what may be a single sample."""
    loss = getattr(ops, name)
    if input._array.ndim == 2 and target._array.ndim:
        return loss(input, target, *options, reduction)
    with_rows = loss(ops.view(input, (1, input._array.size)), _as_rows(name, target), *options, reduction)
    return with_rows.reshape(()) if reduction == "none" and target._array.ndim == 0 else with_rows


def _as_rows(name: str, target: Any) -> Any:
    size = target._array.size
    return target.reshape((size,) if name == "multi_margin_loss" else (1, size))


@public(space=F, out=False)
def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """By how much classes that are not named come within 1 of those that are; each row's names end at the first -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    x, t = _rows_of(input, "multilabel_margin_loss")._array, target._array
    if t.shape != x.shape and not (x.ndim <= 1 and t.ndim <= 1 and t.size == x.size):
        raise RuntimeError(f"inconsistent target size: {list(t.shape)} for input of size: {list(x.shape)}")
    _check_targets(target, -1, x.shape[-1] if x.ndim else 1, "argument #2 'target' is out of range")
    require_single_or_double(input, "multilabel_margin_loss_forward_out_frame")
    target = _classes(target)
    if x.ndim == 2:
        return ops.multilabel_margin_loss(input, target, reduction)
    out = ops.multilabel_margin_loss(ops.view(input, (1, x.size)), target.reshape(1, x.size), reduction)
    return out.reshape(()) if reduction == "none" else out


@public(space=F, out=False)
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    """:func:`binary_cross_entropy_with_logits`, averaged over the classes first."""
    reduction = reduction_of(size_average, reduce, reduction)
    require_kind(input, "log_sigmoid_cpu", "f")
    losses = ops.neg(target * ops.log_sigmoid(input) + (1 - target) * ops.log_sigmoid(ops.neg(input)))
    if weight is not None:
        losses = losses * weight
    last = axis_of(input._array.ndim - 1, input._array.ndim, wrap_scalar=False)
    losses = losses.sum(last) / input._array.shape[last]
    return reduced(losses, reduction)


@public(space=F, out=False)
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, and how far it is below the margin where the target is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean" and input._array.dtype.kind in "iu":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{input.dtype.scalar_name}"
        )
    below = ops.clamp_min(ops.sub(margin, input), 0)
    zeros = module("torch")["zeros_like"](input)
    where = ops.where
    return reduced(where(target != 1, below, zeros) + where(target != -1, input, zeros), reduction)


@public(space=F, out=False)
def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """One minus the cosine where the target is 1, and how far it is above the margin where the target is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    ndim = target._array.ndim
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if ndim == 1 and (input1._array.ndim != 2 or input2._array.ndim != 2):
        raise RuntimeError(
            f"1D target tensor expects 2D input tensors, but found inputs with sizes {list(input1._array.shape)} and "
            f"{list(input2._array.shape)}."
        )
    if ndim == 0 and (input1._array.ndim != 1 or input2._array.ndim != 1):
        raise RuntimeError(
            f"0D target tensor expects 1D input tensors, but found inputs with sizes {list(input1._array.shape)} and "
            f"{list(input2._array.shape)}."
        )
    product = (input1 * input2).sum(ndim)
    first = ops.plus((input1 * input1).sum(ndim), 1e-12)
    second = ops.plus((input2 * input2).sum(ndim), 1e-12)
    cosine = product / ops.sqrt(first * second)
    zeros = ops.times(cosine.detach(), 0)
    apart = ops.clamp_min(ops.minus(cosine, margin), 0)
    where = ops.where
    return reduced(where(target == 1, ops.sub(1, cosine), zeros) + where(target == -1, apart, zeros), reduction)


@public(space=F, out=False)
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``: the first should be larger where the target is 1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1._array.ndim == input2._array.ndim == target._array.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _ranked(input1, input2, target, margin, reduction)


@public("margin_ranking_loss", method=False, out=False)
def ranking_losses(input1: Any, input2: Any, target: Any, margin: float = 0, reduction: int = 0) -> Tensor:
    """The same of tensors that broadcast against each other, the reduction by number: 1 mean, 2 sum, others none."""
    return _ranked(input1, input2, target, margin, numbered(reduction))


def _ranked(input1: Tensor, input2: Tensor, target: Tensor, margin: float, reduction: str) -> Tensor:
    return reduced(ops.clamp_min(ops.plus(ops.neg(target) * (input1 - input2), float(margin)), 0), reduction)


@public(space=F, out=False)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """By how much the anchor is not nearer to the positive than to the negative sample, by a margin."""
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = [value._array.ndim for value in (anchor, positive, negative)]
    if len(set(dims)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    distance = module(F)["pairwise_distance"]
    near, far = distance(anchor, positive, p, eps), distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, distance(positive, negative, p, eps))
    return reduced(ops.clamp_min(ops.plus(near, margin) - far, 0), reduction)


@public(space=F, out=False)
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """:func:`triplet_margin_loss` with a distance of one's own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = module(F)["pairwise_distance"] if distance_function is None else distance_function
    dims = [value._array.ndim for value in (anchor, positive, negative)]
    if len(set(dims)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced(ops.clamp_min(margin + near - far, 0), reduction)


# In torch itself the same losses stand with their arguments in another order, and the reduction by number
# (0, none, where it is not given).

_ORDERS = {
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction",
    "cosine_embedding_loss": "input1 input2 target margin reduction",
    "hinge_embedding_loss": "input target margin reduction",
    "kl_div": "input target reduction log_target",
    "poisson_nll_loss": "input target log_input full eps reduction",
    "triplet_margin_loss": "anchor positive negative margin p eps swap reduction",
}


def _in_size_of(target: Tensor, input: Tensor) -> Tensor:
    """``input`` in the size of ``target``, a copy of which PyTorch writes into."""
    shapes = [target._array.shape, input._array.shape]
    if shapes[0] == shapes[1]:
        return input
    check_output(*shapes)
    return input.expand(shapes[0])


def _by_number(name: str, order: list[str]) -> None:
    function, spellings = module(F)[name], spellings_of(tuple(order))

    def plain(*args: Any, **kwargs: Any) -> Any:
        kwargs = respelled(kwargs, spellings)
        if len(args) > len(order):
            raise TypeError(f"{name}() takes at most {len(order)} positional arguments but {len(args)} were given")
        if not kwargs.keys() <= {*order[len(args) :]}:
            raise TypeError  # which is then said in PyTorch's words
        given = {"reduction": 0, **dict(zip(order, args, strict=False)), **kwargs}
        if name == "binary_cross_entropy_with_logits" and {"input", "target"} <= given.keys():
            given["input"] = _in_size_of(given["target"], given["input"])
        given["reduction"] = numbered(given["reduction"])
        if name == "kl_div" and given["reduction"] == "mean":
            return function(**{**given, "reduction": "none"}).mean()  # without the warning of nn.functional
        return function(**given)

    plain.__name__ = plain.__qualname__ = name
    plain.__doc__ = f":func:`torch.nn.functional.{name}` with the reduction by number: 1 mean, 2 sum, others none."
    module("torch")[name] = held_to_forms(name)(plain)


for _name, _order in _ORDERS.items():
    _by_number(_name, _order.split())
