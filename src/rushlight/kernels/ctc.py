"""Connectionist temporal classification, compiled: sums over alignments, in logarithms and in double. It takes float32 and float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]


def _given(log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array) -> list[Array] | None:
    """The arrays as native/ctc_functions.cpp takes them; None where it does not."""
    if log_probs.dtype.char not in "fd" or not log_probs.size or not targets.size:
        return None
    return [
        np.ascontiguousarray(log_probs),
        *(np.ascontiguousarray(each, np.int64) for each in (targets, input_lengths, target_lengths)),
    ]


def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int, zero_infinity: bool
) -> tuple[Array, Array] | None:
    given = _given(log_probs, targets, input_lengths, target_lengths)
    if native is None or given is None:
        return None
    times, samples, _ = log_probs.shape
    losses, alpha = np.empty(samples, log_probs.dtype), np.empty((times, samples, 2 * targets.shape[1] + 1))
    sizes = (*log_probs.shape, targets.shape[1], blank, int(zero_infinity))
    return (losses, alpha) if native.ctc_loss(losses, *given, alpha, sizes) else None


def ctc_backward(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    alpha: Array,
    blank: int,
    zero_infinity: bool,
) -> Array | None:
    given = _given(log_probs, targets, input_lengths, target_lengths)
    if native is None or given is None:
        return None
    slopes = np.empty(log_probs.shape, log_probs.dtype)
    sizes = (*log_probs.shape, targets.shape[1], blank, int(zero_infinity))
    return slopes if native.ctc_loss_backward(slopes, *given, np.ascontiguousarray(alpha), sizes) else None
