"""Connectionist temporal classification: the likelihood of a sequence of labels, summed over all its alignments.

Graves, Fernandez, Gomez and Schmidhuber (2006). Labels are interleaved with blanks; ``alpha[t, n, s]`` is the logarithm of
the probability of all beginnings of alignments that are at place s at time t, ``beta`` of all ends.
"""

from __future__ import annotations

import numpy as np

from ..kernels import ctc as compiled
from ..kernels import register
from .flat_indices import add_in_step
from .numpy import Array


def _interleaved(targets: Array, blank: int) -> Array:
    """Blanks around and between the labels: (N, 2 * S + 1)."""
    out = np.full((targets.shape[0], 2 * targets.shape[1] + 1), blank, np.int64)
    out[:, 1::2] = targets
    return out


def _emitted(log_probs: Array, labels: Array) -> Array:
    """What each time says of each sample's places: (T, N, 2 * S + 1)."""
    return log_probs[:, np.arange(len(labels))[:, None], labels]


def _allowed(where: Array) -> Array:
    """Logarithms to add: of 1 there, of 0 elsewhere."""
    return np.where(where, 0.0, -np.inf)


def _forward(emitted: Array, skips: Array, input_lengths: Array) -> Array:
    """alpha; a sample's last row stays to the end."""
    times, samples, places = emitted.shape
    room = np.full((times, samples, places + 2), -np.inf)  # nothing comes from before the first place
    alpha, jumps = room[..., 2:], _allowed(skips)
    alpha[:1, :, :2] = emitted[:1, :, :2]
    shortest = input_lengths.min(initial=times)
    for t in range(1, times):
        before, here = room[t - 1], alpha[t]
        np.logaddexp(before[:, 2:], before[:, 1:-1], here)
        np.logaddexp(here, before[:, :-2] + jumps, here)
        here += emitted[t]
        if t >= shortest:
            over = t >= input_lengths
            here[over] = alpha[t - 1, over]
    return alpha


def _backward(emitted: Array, skips: Array, exists: Array, input_lengths: Array, target_lengths: Array) -> Array:
    """beta; -inf behind a sample's end."""
    times, samples, places = emitted.shape
    room = np.full((times + 1, samples, places + 2), -np.inf)
    beta, jumps, missing = room[..., :-2], np.full(skips.shape, -np.inf), ~exists
    jumps[:, :-2] = _allowed(skips[:, 2:])
    at = np.arange(places)
    ends = _allowed((at == 2 * target_lengths[:, None]) | (at == 2 * target_lengths[:, None] - 1))
    shortest = input_lengths.min(initial=times)
    for t in range(times - 1, -1, -1):
        after, here = room[t + 1], beta[t]
        np.logaddexp(after[:, :-2], after[:, 1:-1], here)
        np.logaddexp(here, after[:, 2:] + jumps, here)
        if t + 1 >= shortest:
            last = input_lengths == t + 1
            here[last] = ends[last]
        here += emitted[t]
        here[missing] = -np.inf
        if t >= shortest:
            here[t >= input_lengths] = -np.inf
    return beta[:times]


def _prepared(log_probs: Array, targets: Array, target_lengths: Array, blank: int) -> tuple[Array, Array, Array]:
    """The labels with blanks, where two may be skipped between different labels, and which places exist."""
    labels = _interleaved(targets, blank)
    exists = np.arange(labels.shape[1]) <= 2 * target_lengths[:, None]
    labels = np.where(exists, labels, blank)
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = labels[:, 2:] != labels[:, :-2]  # never of two blanks in between; the labels themselves may name the blank
    return labels, skips, exists


def _likelihood(alpha: Array, target_lengths: Array) -> Array:
    rows = np.arange(alpha.shape[1])
    last = alpha[-1] if len(alpha) else np.full(alpha.shape[1:], -np.inf)
    end = last[rows, 2 * target_lengths]
    before = np.where(target_lengths > 0, last[rows, np.maximum(2 * target_lengths - 1, 0)], -np.inf)
    return np.logaddexp(end, before)


@register(compiled.ctc_loss)
def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int, zero_infinity: bool
) -> tuple[Array, Array]:
    """log_probs (T, N, C), targets (N, S): the negative log likelihood of each sample, and alpha; ``zero_infinity`` is for the
    slope only."""
    labels, skips, _ = _prepared(log_probs, targets, target_lengths, blank)
    alpha = _forward(_emitted(log_probs.astype(np.float64), labels), skips, input_lengths)
    loss = -_likelihood(alpha, target_lengths)
    loss = np.where(input_lengths == 0, np.where(target_lengths == 0, 0.0, np.inf), loss)
    return loss.astype(log_probs.dtype), alpha


def _drop_last_blank(share: Array, labels: Array, input_lengths: Array, target_lengths: Array, blank: int) -> None:
    """As in PyTorch, at its last time a sample whose last label is the blank has that label's share alone, not the blank's too."""
    rows = np.flatnonzero((target_lengths > 0) & (input_lengths > 0))
    rows = rows[labels[rows, 2 * target_lengths[rows] - 1] == blank]
    share[input_lengths[rows] - 1, rows, 2 * target_lengths[rows]] = 0


@register(compiled.ctc_backward)
def ctc_backward(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    alpha: Array,
    blank: int,
    zero_infinity: bool,
) -> Array:
    """What a sample's loss changes by with log_probs that are a log softmax: probability less share of the alignments."""
    wide = log_probs.astype(np.float64)
    labels, skips, exists = _prepared(log_probs, targets, target_lengths, blank)
    emitted = _emitted(wide, labels)
    beta = _backward(emitted, skips, exists, input_lengths, target_lengths)
    loss = -_likelihood(alpha, target_lengths)
    is_there = (np.arange(len(wide))[:, None] < input_lengths)[..., None]
    share = np.exp(alpha + beta - emitted + loss[:, None])
    share = np.where(exists & is_there & np.isfinite(share), share, 0.0)
    _drop_last_blank(share, labels, input_lengths, target_lengths, blank)
    totals = np.zeros(wide.shape)
    add_in_step(totals, np.broadcast_to(labels, share.shape), share, 2)
    out = np.exp(wide) - totals
    out[np.isneginf(wide) | np.isinf(loss)[:, None]] = np.nan  # as in PyTorch: there is no share of what cannot be
    out = np.where(is_there, out, 0.0)
    if zero_infinity:
        out = np.where(np.isinf(loss)[:, None], 0.0, out)
    return out.astype(log_probs.dtype)
