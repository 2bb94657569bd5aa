"""Convolutions and pooling to XLA. A convolution of one input channel is a product of what its windows see, taken by slices: XLA's own
takes three times as long, and as long to find what windows see."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

Array = Any  # one of JAX's
Sizes = Sequence[int]
MOST = 49  # places of a window that are slices


def windows(jnp: Any, lax: Any, vjp: Any) -> dict[str, Callable[..., Any]]:
    """Functions of JAX's arrays by the names of ops."""

    def seen(wide: Array, begin: Sizes, counts: Sizes, stride: Sizes) -> Array:
        """The numbers at one place of all windows."""
        ends = [b + (count - 1) * step + 1 for b, count, step in zip(begin, counts, stride, strict=True)]
        return wide[(..., *map(slice, begin, ends, stride))]

    def columns(x: Array, window: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
        wide = jnp.pad(x, [(0, 0), (0, 0), *((each, each) for each in padding)])
        sizes = zip(wide.shape[2:], window, stride, dilation, strict=True)
        counts = [(n - apart * (k - 1) - 1) // step + 1 for n, k, step, apart in sizes]
        places = itertools.product(*(range(0, k * apart, apart) for k, apart in zip(window, dilation, strict=True)))
        return jnp.concatenate([seen(wide, begin, counts, stride) for begin in places], 1)

    def conv(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int, bias: Any = None) -> Any:
        if w.shape[1] == groups == 1 and math.prod(w.shape[2:]) <= MOST:
            taken = columns(x, w.shape[2:], stride, padding, dilation)
            rows = taken.reshape(*taken.shape[:2], -1)
            out = (w.reshape(w.shape[0], -1) @ rows).reshape(x.shape[0], w.shape[0], *taken.shape[2:])
        else:
            edges = [(each, each) for each in padding]
            out = lax.conv_general_dilated(x, w, stride, edges, rhs_dilation=dilation, feature_group_count=groups)
        return out if bias is None else out + bias.reshape(-1, *(1,) * len(stride))

    def convolution(
        x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int
    ) -> Any:
        if not transposed:
            return conv(x, w, stride, padding, dilation, groups, bias)
        sizes = zip(x.shape[2:], w.shape[2:], stride, padding, dilation, output_padding, strict=True)
        spatial = [(n - 1) * step - 2 * edge + apart * (k - 1) + more + 1 for n, k, step, edge, apart, more in sizes]
        out = input_grad(x, w, (x.shape[0], w.shape[1] * groups, *spatial), stride, padding, dilation, groups)
        return out if bias is None else out + bias.reshape(-1, *(1,) * len(stride))

    def input_grad(h: Any, w: Any, x_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
        _, back = vjp(lambda x: conv(x, w, stride, padding, dilation, groups), jnp.zeros(x_shape, h.dtype))
        return back(h)[0]

    def weight_grad(h: Any, x: Any, w_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
        _, back = vjp(lambda w: conv(x, w, stride, padding, dilation, groups), jnp.zeros(w_shape, h.dtype))
        return back(h)[0]

    def max_pool(x: Any, window: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
        """The first of equal maxima counts, and the last nan, as in PyTorch: windows are looked at place by place."""
        rank = len(window)
        spatial = x.shape[-rank:]
        spans = [apart * (k - 1) + 1 for apart, k in zip(dilation, window, strict=True)]
        outs = []
        for n, span, step, edge in zip(spatial, spans, stride, padding, strict=True):
            room = n + 2 * edge - span
            count = (-(-room // step) if ceil_mode else room // step) + 1
            outs.append(count - 1 if ceil_mode and (count - 1) * step >= n + edge else count)
        after = [
            max((count - 1) * step + span - n - edge, 0)
            for count, step, span, n, edge in zip(outs, stride, spans, spatial, padding, strict=True)
        ]
        edges = [(0, 0)] * (x.ndim - rank) + list(zip(padding, after, strict=True))
        wide = jnp.pad(x, edges, constant_values=-jnp.inf)
        best, place = None, None
        for taps in itertools.product(*map(range, window)):
            begin = [tap * apart for tap, apart in zip(taps, dilation, strict=True)]
            part = seen(wide, begin, outs, stride)
            here = functools.reduce(
                lambda flat, axis: flat * spatial[axis[0]] + axis[1],
                enumerate(
                    (jnp.arange(count) * step + b - edge).reshape(-1, *(1,) * (rank - 1 - axis))
                    for axis, (count, step, b, edge) in enumerate(zip(outs, stride, begin, padding, strict=True))
                ),
                0,
            )
            here = jnp.broadcast_to(here, part.shape)
            if best is None:
                best, place = part, here
            else:
                is_more = (part > best) | jnp.isnan(part)
                best, place = jnp.where(is_more, part, best), jnp.where(is_more, here, place)
        return best, place

    def pool_scatter(g: Any, indices: Any, x_shape: Any, rank: int) -> Any:
        planes, size = math.prod(x_shape[:-rank]), math.prod(x_shape[-rank:])
        places = indices.reshape(planes, -1) + (jnp.arange(planes) * size)[:, None]
        return jnp.zeros(planes * size, g.dtype).at[places.reshape(-1)].add(g.reshape(-1)).reshape(x_shape)

    return {
        "conv": conv,
        "conv_input_grad": input_grad,
        "conv_weight_grad": weight_grad,
        "convolution": convolution,
        "max_pool1": max_pool,
        "max_pool2": max_pool,
        "max_pool3": max_pool,
        "pool_scatter": pool_scatter,
    }
