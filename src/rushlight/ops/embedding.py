"""Rows of a matrix looked up by number, one by one or in bags."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..autograd import views
from ..autograd.grad_mode import no_grad
from ..autograd.interpreters import stack as interpreters
from ..backend import embedding as k
from ..base import dtypes
from ..tensor import Tensor, new_tensor
from .integer_arguments import whole_number
from .operands import refuse_history
from .public import module, ops, public
from .table import op

F = "torch.nn.functional"

op("embedding", lambda weight, indices, but=-1, by_frequency=False, sparse=False: k.embedding(weight, indices),
   inputs="indices", kind="linear", weight=lambda g, xp, indices, weight_shape, but, by_frequency, sparse: (
       _rows(g, xp, indices, weight_shape, but, by_frequency) if sparse else xp.embedding_adjoint(
           g, indices, weight_shape, but, by_frequency)))  # fmt: skip
op("embedding_rows", k.embedding_rows, node="EmbeddingSparseBackwardBackward0", inputs="indices", kind="linear",
   g=lambda g, xp, indices, but: xp.embedding_but(g, indices, but, False))  # fmt: skip
op("embedding_but", k.embedding_but, node="EmbeddingDenseBackwardBackward0", inputs="indices", kind="linear",
   weight=lambda g, xp, indices, weight_shape, but, by_frequency: xp.embedding_adjoint(
       g, indices, weight_shape, but, by_frequency))  # fmt: skip
op("embedding_adjoint", k.embedding_adjoint, node="EmbeddingDenseBackwardBackward0", inputs="indices", kind="linear",
   g=lambda g, xp, indices, but, by_frequency: xp.embedding_but(g, indices, but, by_frequency))  # fmt: skip
op("embedding_bag", lambda weight, indices, offsets, scales=None, mode="mean", but=-1, by_frequency=False, sparse=False: (
       k.embedding_bag(weight, indices, offsets, scales, mode, but)),
   inputs="indices offsets",
   weight=lambda g, xp, weight, indices, offsets, scales, mode, but, by_frequency, sparse: _bag_backward(
       g, xp, weight, indices, offsets, scales, mode, but, by_frequency, sparse),
   scales=lambda g, xp, weight, indices, offsets, mode, but: xp.sum(
       _spread(g, xp, indices, offsets) * xp.embedding_but(weight, indices, but, False), (1,), False))  # fmt: skip
op("one_hot", k.one_hot, inputs="target")
op("bag_numbers", k.bag_numbers, inputs="offsets")
op("bag_shares", k.bag_shares, inputs="indices offsets g")
op("bag_argmax", k.bag_argmax, inputs="weight indices offsets")
op("bag_places", k.bag_places, inputs="chosen")


def _rows(g: Any, xp: Any, indices: Any, shape: tuple[int, ...], but: int, by_frequency: bool) -> Any:
    if by_frequency:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    return xp.embedding_rows(g, indices, shape, but)


def _spread(g: Any, xp: Any, indices: Any, offsets: Any) -> Any:
    """What belongs to each bag, given to each of its members."""
    return xp.index_select(g, xp.bag_numbers(offsets, indices.shape[0]), 0)


def _bag_backward(
    g: Any,
    xp: Any,
    weight: Any,
    indices: Any,
    offsets: Any,
    scales: Any,
    mode: str,
    but: int,
    by_frequency: bool,
    sparse: bool,
) -> Any:
    if mode == "max":
        chosen = xp.bag_argmax(weight, indices, offsets, but)
        empty, parts = xp.full_like_shape(g, (math.prod(weight.shape),)), xp.masked_fill(g, chosen < 0, 0)
        return xp.index_add(empty, parts.reshape((-1,)), xp.bag_places(chosen), 0, 1).reshape(tuple(weight.shape))
    if mode == "mean":
        g = g * xp.bag_shares(indices, offsets, g, but)
    rows = _spread(g, xp, indices, offsets)
    if scales is not None:
        rows = rows * scales.reshape((*scales.shape, 1))
    if sparse:
        return xp.embedding_rows(rows, indices, tuple(weight.shape), but)
    return xp.embedding_adjoint(rows, indices, tuple(weight.shape), but, by_frequency, True)


def _check_indices(indices: Any, name: str, place: int = 1) -> None:
    if indices._array.dtype.str[1:] not in ("i8", "i4"):
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{indices.dtype.type_in_errors} instead (while checking arguments for {name})"
        )


def _row_number(padding_idx: int, rows: int, message: str) -> int:
    if not -rows <= padding_idx < rows:
        raise AssertionError(message)
    return padding_idx % rows if rows else padding_idx


def _renormalized(weight: Any, indices: Any, max_norm: float, norm_type: float) -> None:
    if indices._of_batch and not weight._of_batch:
        interpreters.ask("write", k.embedding_renorm, "embedding_renorm_", weight, (indices,), {})  # which refuses it
    if weight._array.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight._array.ndim}-dimensional tensor for argument #1 'self' (while checking "
            "arguments for embedding_renorm_)"
        )
    _check_indices(indices, "embedding_renorm_", 2)
    numbers = np.unique(indices._array)
    for place, number in enumerate(numbers.tolist()):
        if not -weight._array.shape[0] <= number < weight._array.shape[0]:
            k.embedding_renorm(
                weight._array, numbers[:place], max_norm, norm_type
            )  # what comes before has been written by then
            size = list(weight._array.shape)
            raise IndexError(f"select(): index {number} out of range for tensor of size {size} at dimension 0")
    with no_grad():
        k.embedding_renorm(weight._array, indices._array, max_norm, norm_type)
        views.bump(weight, "embedding_renorm_")


@public(space=F, out=False)
def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of ``weight`` that ``input`` names. The row ``padding_idx`` gets no gradient.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.embedding(torch.tensor([1, 1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [3., 4.]])
    """
    if padding_idx is None:
        but = -1
    else:
        but = _row_number(padding_idx, weight._array.shape[0], "Padding_idx must be within num_embeddings")
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if max_norm is not None:
        _renormalized(weight, input, max_norm, norm_type)
    _check_indices(input, "embedding")
    return ops.embedding(weight, input, but, bool(scale_grad_by_freq), bool(sparse))


@public("embedding", method=False, out=False)
def _torch_embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """:func:`torch.nn.functional.embedding` with its arguments in another order."""
    but = padding_idx if padding_idx >= 0 else None
    return embedding(indices, weight, but, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@public(method=False, out=False)
def embedding_renorm_(input: Any, indices: Any, max_norm: float, norm_type: float) -> Tensor:
    """Scales the rows that are named down to a norm, in place."""
    _renormalized(input, indices, max_norm, norm_type)
    return input


@public(space=F, out=False)
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima over bags of rows: each row of a 2-D input is a bag, or ``offsets`` says where bags begin.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.embedding_bag(torch.tensor([[0, 1]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), mode="sum")
    tensor([[4., 6.]])
    """
    if weight._array.dtype.str[1:] == "i8" and input._array.dtype.kind == "f":
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=3,
        )
        weight, input = input, weight
    ndim = input._array.ndim
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, then it must have the same shape "
            f"as the input ({input.size()})"
        )
    if ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
                f"However, found offsets of type {_torch_type(offsets)}"
            )
        rows, length = input._array.shape
        offsets = ops.times(module("torch")["arange"](rows, dtype=input.dtype), length)
        include_last_offset = False  # a word about offsets that are given
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets._array.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if max_norm is not None:
        _renormalized(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if weight._array.dtype.kind not in "fV" or weight._array.dtype.itemsize == 1:
        kind = weight.dtype.scalar_name
        shown = f"torch.{kind}Tensor" if weight._array.dtype.kind in "iu" else f"CPU{kind}Type"
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; "
            f"but got {shown} instead (while checking arguments for embedding_bag)"
        )
    if per_sample_weights is not None and per_sample_weights._array.dtype != weight._array.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but "
            f"type {_shown_type(weight)} does not equal {_shown_type(per_sample_weights)} (while checking arguments for "
            "embedding_bag)"
        )
    return _bags(weight, input, offsets, mode, per_sample_weights, include_last_offset, padding_idx, scale_grad_by_freq, sparse)


def _shown_type(tensor: Tensor) -> str:
    name = tensor.dtype.scalar_name
    return "CPUBFloat16Type" if name == "BFloat16" else f"torch.{name}Tensor"


def _torch_type(value: object) -> str:
    return "<class 'torch.Tensor'>" if isinstance(value, Tensor) else str(type(value))


def _check_bags(offsets: Tensor, indices: Tensor) -> None:
    starts = offsets._array
    if not starts.size:
        return
    if starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{starts[0]}\n[ torch.{indices.dtype.scalar_name}Tensor{{}} ]"
        )
    if starts[-1] > indices._array.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices._array.size} but got offsets[-1] of {starts[-1]}"
        )


def _bags(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    mode: str,
    scales: Any,
    include_last: bool,
    padding_idx: int | None,
    by_frequency: bool,
    sparse: bool,
) -> Any:
    if indices._array.dtype != offsets._array.dtype:
        met = dtypes.promote_types(indices.dtype, offsets.dtype)
        indices, offsets = indices.to(met), offsets.to(met)
    _check_indices(indices, "embedding_bag")
    _check_bags(offsets, indices)
    if include_last:
        if not offsets._array.size:
            raise RuntimeError("include_last_offset: number of offset should be at least 1")
        offsets = offsets[:-1]
    rows = weight._array.shape[0]
    but = -1
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {padding_idx}"
            )
        but = padding_idx % rows
    if not offsets._array.size:  # no bag at all, whatever the indices
        indices = indices[:0]
    try:
        return ops.embedding_bag(weight, indices, offsets, scales, mode, but, bool(by_frequency), bool(sparse))
    except IndexError:
        wrong = np.flatnonzero((indices._array < 0) | (indices._array >= rows))
        if not wrong.size:
            raise
        value = indices._array[wrong[0]]
        if mode == "max" or padding_idx is not None:
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}"
            ) from None
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {value} which is not in the valid range [0, {rows})"
        ) from None


@public("embedding_bag", method=False, out=False)
def _torch_embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Bags by number of the mode (0 sum, 1 mean, 2 max): the result, the bag of each index, sizes, and the largest rows."""
    word = ("sum", "mean", "max")[mode]
    out = _bags(
        weight, indices, offsets, word, per_sample_weights, include_last_offset, padding_idx, scale_grad_by_freq, sparse
    )
    starts = offsets._array[:-1] if include_last_offset else offsets._array
    bags = k.bag_numbers(starts, indices._array.size)
    but = -1 if padding_idx is None else padding_idx
    sizes = np.bincount(bags[indices._array != but], minlength=len(starts))
    largest = k.bag_argmax(weight._array, indices._array, starts, but) if mode == 2 else np.zeros(len(starts), np.int64)
    if mode == 0:
        bags, sizes = bags[:0], sizes * 0
    return out, *(new_tensor(value.astype(starts.dtype)) for value in (bags, sizes, largest))


@public(space=F, out=False)
def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Class numbers as rows of zeros with a one at the class.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    array = input._array
    num_classes = whole_number("one_hot", "num_classes", 2, num_classes)
    if array.dtype.str[1:] != "i8":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return ops.one_hot(input, num_classes)
    if num_classes == -1:
        num_classes = _count_of_classes(input)
    _check_classes(input, num_classes)
    refuse_history(input.dtype, input)
    return ops.one_hot(input, num_classes)


def _count_of_classes(tensor: Tensor) -> int:
    array = tensor._array
    return int(array.item(array.argmax())) + 1


def _check_classes(tensor: Tensor, count: int) -> None:
    array = tensor._array
    if array.item(array.argmin()) < 0:  # a fifth of the time that min() takes
        raise RuntimeError("Class values must be non-negative.")
    if array.item(array.argmax()) >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
