"""Ops that look up by indices, to XLA. It does not refuse indices beyond what they look up: NumPy looks at them before, and first of all
where that can be, while there is a way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.table import table
from ..capture import trace as t
from ..replay.order import CannotReplay, checked_first

Array = Any  # one of JAX's
REFUSING = frozenset(("embedding", "nll_loss"))  # ops whose second input are indices


def leading_to_indices(trace: t.Trace) -> set[int]:
    """The indices of such ops, and what they are computed of."""
    found: set[int] = set()
    for one in reversed(trace.instructions):
        if isinstance(one, t.Apply):
            if one.op in REFUSING:
                found.add(indices_of(one))
            if not found.isdisjoint(one.outs):
                found.update(t.read(one))
    return found


def indices_of(one: t.Apply) -> int:
    """The number of the indices of such an op."""
    number: int = one.inputs[1].number  # type: ignore[union-attr]
    return number


def check(one: t.Apply, values: list[t.Value]) -> t.Host:
    """An instruction that gives nothing, and raises what the op's kernel does."""
    form, number = values[one.inputs[0].number], indices_of(one)  # type: ignore[union-attr]
    count = form.shape[0 if one.op == "embedding" else min(len(form.shape) - 1, 1)]
    return t.Host(_refuses(one, form, count), "indices", (t.Bare(number),), {}, ())


def _refuses(one: t.Apply, form: t.Value, count: int) -> Callable[[Array], None]:
    kernel = table[one.op].kernel
    rest = (None, *one.params) if one.op == "nll_loss" else one.params

    def refused_indices(indices: Array) -> None:
        if indices.size and not 0 <= indices.min() <= indices.max() < count:
            kernel(np.zeros(form.shape, form.dtype), indices, *rest)

    refused_indices.changes_nothing = True  # type: ignore[attr-defined]
    return refused_indices


def looked_at_first(trace: t.Trace) -> t.Trace:
    """The trace with such checks before all that changes something, but for those of indices that the program changes before."""
    try:
        return checked_first(trace)
    except CannotReplay:
        for one in trace.instructions:
            if isinstance(one, t.Host) and one.name == "indices":
                one.function.__name__ = "refused_later"
        return trace


def by_indices(jnp: Array, averaged: Callable[[Array, str], Array]) -> dict[str, Callable[..., Array]]:
    """Functions of JAX's arrays by the names of ops."""

    def shares(x: Array, target: Array, weight: Array, ignore_index: int) -> tuple[Array, Array]:
        """Of each row what counts of its class, and that class, of rows that count."""
        counted = target != ignore_index
        place = jnp.where(counted, target, 0)
        return jnp.where(counted, 1 if weight is None else weight[place], 0).astype(x.dtype), place

    def nll_loss(x: Array, target: Array, weight: Array, reduction: str, ignore_index: int) -> Array:
        share, place = shares(x, target, weight, ignore_index)
        losses = jnp.where(target != ignore_index, -share * jnp.take_along_axis(x, place[:, None], 1)[:, 0], 0)
        return losses.sum() / share.sum() if reduction == "mean" else averaged(losses, reduction)

    def nll_loss_adjoint(g: Array, x: Array, target: Array, weight: Array, reduction: str, ignore_index: int) -> Array:
        share, _ = shares(x, target, weight, ignore_index)
        if reduction == "mean":
            share = share / share.sum()
        hot = target[:, None] == jnp.arange(x.shape[1])
        return jnp.where(hot & (target != ignore_index)[:, None], -(g * share)[:, None], 0)

    def embedding(weight: Array, indices: Array, *_: object) -> Array:
        return weight[indices]

    def embedding_adjoint(g: Array, indices: Array, shape: Array, but: int, *_: object) -> Array:
        rows = g.reshape(-1, shape[1])
        places = indices.reshape(-1)
        return jnp.zeros(shape, g.dtype).at[places].add(rows if but < 0 else jnp.where((places != but)[:, None], rows, 0))

    return {
        "embedding": embedding,
        "embedding_adjoint": embedding_adjoint,
        "nll_loss": nll_loss,
        "nll_loss_adjoint": nll_loss_adjoint,
    }
