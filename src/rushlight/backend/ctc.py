"""Connectionist temporal classification: the likelihood of a sequence of labels, summed over all its alignments.

Graves, Fernandez, Gomez and Schmidhuber (2006). Labels are interleaved with blanks; ``alpha[t, n, s]`` is the logarithm of
the probability of all beginnings of alignments that are at place s at time t, ``beta`` of all ends.
"""

from __future__ import annotations

import numpy as np

from .numpy import Array


def _interleaved(targets: Array, blank: int) -> Array:
    """Blanks around and between the labels: (N, 2 * S + 1)."""
    out = np.full((targets.shape[0], 2 * targets.shape[1] + 1), blank, np.int64)
    out[:, 1::2] = targets
    return out


def _log_sum(*terms: Array) -> Array:
    high = np.maximum.reduce(terms)
    shift = np.where(np.isneginf(high), 0, high)
    with np.errstate(divide="ignore"):
        return np.log(sum(np.exp(term - shift) for term in terms)) + shift


def _shifted(values: Array, by: int) -> Array:
    """Values moved along the places, -inf where nothing came from."""
    out = np.full_like(values, -np.inf)
    if by > 0:
        out[:, by:] = values[:, :-by]
    else:
        out[:, :by] = values[:, -by:]
    return out


def _forward(log_probs: Array, labels: Array, skips: Array, input_lengths: Array) -> Array:
    times, samples, _ = log_probs.shape
    alpha = np.full((times, samples, labels.shape[1]), -np.inf)
    rows = np.arange(samples)[:, None]
    places = np.arange(labels.shape[1])
    alpha[0] = np.where(places < 2, log_probs[0, rows, labels], -np.inf)
    for t in range(1, times):
        before = alpha[t - 1]
        skipped = np.where(skips, _shifted(before, 2), -np.inf)
        step = _log_sum(before, _shifted(before, 1), skipped) + log_probs[t, rows, labels]
        alpha[t] = np.where((t < input_lengths)[:, None], step, before)
    return alpha


def _prepared(log_probs: Array, targets: Array, target_lengths: Array, blank: int) -> tuple[Array, Array, Array]:
    """The labels with blanks, where two may be skipped between different labels, and which places exist."""
    labels = _interleaved(targets, blank)
    exists = np.arange(labels.shape[1]) <= 2 * target_lengths[:, None]
    labels = np.where(exists, labels, blank)
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skips, exists


def _likelihood(alpha: Array, target_lengths: Array) -> Array:
    rows = np.arange(alpha.shape[1])
    last = alpha[-1] if len(alpha) else np.full(alpha.shape[1:], -np.inf)
    end = last[rows, 2 * target_lengths]
    before = np.where(target_lengths > 0, last[rows, np.maximum(2 * target_lengths - 1, 0)], -np.inf)
    return _log_sum(end, before)


def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int, zero_infinity: bool
) -> Array:
    """log_probs (T, N, C), targets (N, S): the negative log likelihood of each sample."""
    labels, skips, _ = _prepared(log_probs, targets, target_lengths, blank)
    alpha = _forward(log_probs.astype(np.float64), labels, skips, input_lengths)
    loss = -_likelihood(alpha, target_lengths)
    loss = np.where(input_lengths == 0, np.where(target_lengths == 0, 0.0, np.inf), loss)
    if zero_infinity:
        loss = np.where(np.isinf(loss), 0.0, loss)
    return loss.astype(log_probs.dtype)


def ctc_slope(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int, zero_infinity: bool
) -> Array:
    """What a sample's loss changes by with log_probs that are a log softmax: probability less share of the alignments."""
    wide = log_probs.astype(np.float64)
    labels, skips, exists = _prepared(log_probs, targets, target_lengths, blank)
    alpha = _forward(wide, labels, skips, input_lengths)
    loss = -_likelihood(alpha, target_lengths)
    times, samples, _ = wide.shape
    rows = np.arange(samples)[:, None]
    places = np.arange(labels.shape[1])
    ends = (places == 2 * target_lengths[:, None]) | (places == 2 * target_lengths[:, None] - 1)
    ahead = np.zeros(skips.shape, bool)
    ahead[:, :-2] = skips[:, 2:]
    out = np.zeros(wide.shape)
    after = np.full(labels.shape, -np.inf)
    for t in range(times - 1, -1, -1):
        moved = _log_sum(after, _shifted(after, -1), np.where(ahead, _shifted(after, -2), -np.inf))
        begin = np.where(ends, 0.0, -np.inf)
        last = input_lengths == t + 1
        beta = np.where(last[:, None], begin, moved) + wide[t, rows, labels]
        beta = np.where(exists & (t < input_lengths)[:, None], beta, -np.inf)
        share = np.exp(alpha[t] + beta - 2 * wide[t, rows, labels] + loss[:, None] + wide[t, rows, labels])
        share = np.where(exists & np.isfinite(share), share, 0.0)
        totals = np.zeros(wide.shape[1:])
        np.add.at(totals, (np.broadcast_to(rows, labels.shape), labels), share)
        out[t] = np.where((t < input_lengths)[:, None], np.exp(wide[t]) - totals, 0.0)
        after = beta
    if zero_infinity:
        out = np.where(np.isinf(loss)[:, None], 0.0, out)
    return out.astype(log_probs.dtype)
