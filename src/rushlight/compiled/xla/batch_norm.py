"""Batch norm to XLA: what is done channel by channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Array = Any  # one of JAX's, or nothing
Lower = Callable[..., Array]


def _axes(x: Array) -> tuple[int, ...]:
    """The axes that are no channel's."""
    return (0, *range(2, x.ndim))


def of_channels(lax: Array, vjp: Array) -> dict[str, Lower]:
    """Functions of JAX's arrays by the names of ops; ``channel_moments`` is a kernel, and an op of no table."""

    def given(x: Array, mean: Array, var: Array, weight: Array, bias: Array, eps: float) -> Array:
        def column(row: Array) -> Array:
            return row.reshape(1, -1, *(1,) * (x.ndim - 2))

        wide = (x - column(mean)) * column(lax.rsqrt(var + eps))
        wide = wide if weight is None else wide * column(weight)
        return wide if bias is None else wide + column(bias)

    def slopes(g: Array, x: Array, weight: Array, eps: float, needs: Sequence[bool]) -> list[Array]:
        def plain(x: Array, weight: Array, bias: Array) -> Array:
            return given(x, x.mean(_axes(x)), x.var(_axes(x)), weight, bias, eps)

        bias = x[0].reshape(x.shape[1], -1)[:, 0]  # any: its slope asks for none of its numbers
        found = vjp(plain, x, weight, bias)[1](g)
        return [one for one, need in zip(found, needs, strict=True) if need]

    return {
        "batch_norm_slopes": slopes,
        "batch_norm": lambda x, weight, bias, eps: given(x, x.mean(_axes(x)), x.var(_axes(x)), weight, bias, eps),
        "batch_norm_given": given,
        "channel_moments": lambda x: (x.mean(_axes(x)), x.var(_axes(x), ddof=1)),
    }
