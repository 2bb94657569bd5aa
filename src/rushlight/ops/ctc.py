"""The loss of sequences whose alignment is not known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..backend import ctc as k
from ..tensor import Tensor, new_tensor
from .losses import numbered, reduction_of
from .operands import require_single_or_double
from .public import module, ops, public
from .rule_functions import underivable
from .table import op

op("ctc_loss", k.ctc_loss, inputs="targets input_lengths target_lengths", outputs="loss alpha!",
   log_probs=lambda g, xp, log_probs, targets, input_lengths, target_lengths, alpha, blank, zero_infinity: (
       g.reshape((1, -1, 1)) * xp.ctc_backward(
           log_probs, targets, input_lengths, target_lengths, alpha, blank, zero_infinity)))  # fmt: skip
op("ctc_backward", k.ctc_backward, inputs="targets input_lengths target_lengths alpha", node="CtcLossBackwardBackward0",
   log_probs=lambda g: underivable("_ctc_loss_backward"))  # fmt: skip


def _lengths(value: Any) -> np.ndarray[Any, Any]:
    array = value._array if isinstance(value, Tensor) else np.asarray(value)
    return np.atleast_1d(array).astype(np.int64)


def _as_rows(array: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any], samples: int) -> np.ndarray[Any, Any]:
    """The labels of each sample as a row."""
    longest = int(lengths.max(initial=0))
    if array.ndim > 1:
        if array.shape[1] < longest:
            raise RuntimeError(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {array.shape[1]} for "
                "argument #2 "
                "'targets' (while checking arguments for ctc_loss_allocate_outputs)"
            )
        return array[:, :longest]
    rows = np.zeros((samples, longest), np.int64)
    start = 0
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = array[start : start + length]
        start += length
    return rows


def _checked(
    targets: Any, input_lengths: Any, target_lengths: Any, sizes: tuple[int, int], alone: bool, dtype: np.dtype[Any]
) -> tuple[np.ndarray[Any, Any], ...]:
    """The labels of each sample as a row, the two lengths, and by what a mean divides each loss.

    ``sizes``  how many times and samples there are
    """
    times, samples = sizes
    lengths, labels = _lengths(input_lengths), _lengths(target_lengths)
    for name, value in (("input", lengths), ("target", labels)):
        if len(value) != samples:
            raise RuntimeError(f"{name}_lengths must be of size batch_size")
    if lengths.max(initial=0) > times:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {times}, but got value {lengths.max()} (while checking "
            "arguments for "
            "ctc_loss_allocate_outputs)"
        )
    array = targets._array.astype(np.int64)
    rows = _as_rows(array[None] if alone and array.ndim == 1 else array, labels, samples)
    divisor = np.maximum(labels, 1).astype(dtype)
    return rows, lengths, labels, divisor.reshape(()) if alone else divisor


@public(space="torch.nn.functional", out=False)
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The negative log likelihood of label sequences over all their alignments (Graves et al., 2006).

    ``log_probs`` (time, N, classes) as log_softmax gives them; ``targets`` (N, S), or all labels one after the other.
    """
    reduction = reduction_of(None, None, reduction)
    require_single_or_double(log_probs, "ctc_loss_cpu")
    alone = log_probs._array.ndim == 2
    if alone:
        log_probs = log_probs.unsqueeze(1)
    times, samples, classes = log_probs._array.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    given = _checked(targets, input_lengths, target_lengths, (times, samples), alone, log_probs._array.dtype)
    named = given[0][np.arange(given[0].shape[1]) < given[2][:, None]]
    if named.size and not 0 <= (wrong := named.min() if named.min() < 0 else named.max()) < classes:
        raise IndexError(f"Target {wrong} is out of bounds.")  # PyTorch reads beyond its memory there
    rows, lengths, labels, divisor = map(new_tensor, given)
    losses, _ = ops.ctc_loss(log_probs, rows, lengths, labels, int(blank), bool(zero_infinity))
    if zero_infinity:
        losses = module("torch")["where"](losses == math.inf, losses.new_zeros(()), losses)
    if alone:
        losses = losses.squeeze(0)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return ops.sum_all(losses)
    return (losses / divisor).mean()


@public("ctc_loss", method=False, out=False)
def _torch_ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """:func:`torch.nn.functional.ctc_loss` with the reduction by number."""
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, numbered(reduction), zero_infinity)
