"""Convolution of any number of spatial dimensions: the value and both gradients, each linear in either argument.

The three kernels are each other's derivatives, so convolution can be differentiated any number of times:

    conv(x, w)              -> d/dx conv_input_grad(g, w)    d/dw conv_weight_grad(g, x)
    conv_input_grad(g, w)   -> d/dg conv(gg, w)              d/dw conv_weight_grad(g, gg)
    conv_weight_grad(g, x)  -> d/dg conv(x, gg)              d/dx conv_input_grad(g, gg)

The windows of a block of samples are laid out as the columns of a matrix and multiplied by the weights, so the columns are
never all there at once.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.errstate import silent
from ..kernels import convolution as compiled
from ..kernels import register
from . import threads
from .numpy import Array, Kernel, Shape, converted, in_single, rounded_once

_BLOCK_BYTES = 1 << 19  # of columns: so many stay in the second cache
_MOST_BYTES = 1 << 25  # of a single sample's, which are laid out in parts where there are more


class _Plan(NamedTuple):
    """Which windows of arrays (N, G, C, *spatial) there are, of samples, groups and channels of a group: tap t of the one at
    place p is at ``p * stride + t * dilation + offset``, and zero outside."""

    kernel: Shape
    out: Shape
    offset: Shape
    stride: Shape
    dilation: Shape

    @property
    def held(self) -> Shape:
        """How much of the spatial axes all windows together cover."""
        axes = zip(self.kernel, self.out, self.stride, self.dilation, strict=True)
        return tuple((size - 1) * step + (taps - 1) * spread + 1 for taps, size, step, spread in axes)

    def room(self, x: Array) -> Array:
        """What they cover of x, in order."""
        held = (*x.shape[:3], *self.held)
        if held == x.shape and not any(self.offset) and x.flags.c_contiguous:
            return x
        room = np.empty(held, x.dtype)
        _fill(room, x, self.offset)
        return room

    def windows(self, room: Array) -> Array:
        """They in such a room, seen as (N, G, C, *kernel, *out)."""
        steps = room.strides[3:]
        taps = (spread * step for spread, step in zip(self.dilation, steps, strict=True))
        places = (apart * step for apart, step in zip(self.stride, steps, strict=True))
        return np.ndarray((*room.shape[:3], *self.kernel, *self.out), room.dtype, room, 0, (*room.strides[:3], *taps, *places))

    def blocks(self, x: Array) -> Iterator[tuple[slice, slice]]:
        """The samples that are taken at once, and of their places the part along the first axis."""
        return itertools.product(self.samples(x), threads.parts(self.out[0], -(-self._each(x) // _MOST_BYTES)))

    def samples(self, x: Array) -> Sequence[slice]:
        """The samples that are taken at once."""
        return threads.parts(len(x), -(-len(x) // max(1, _BLOCK_BYTES // self._each(x))))

    def _each(self, x: Array) -> int:
        """The bytes of a sample's columns."""
        return x.itemsize * math.prod(x.shape[1:3]) * math.prod(self.kernel) * math.prod(self.out)

    def columns(self, windows: Array, samples: slice, part: slice) -> Array:
        """Windows (N, G, C, *kernel, *out) of such a block as columns (N, G, C * taps, places)."""
        block = windows[(samples, *(slice(None),) * (2 + len(self.kernel)), part)]
        return block.reshape(*block.shape[:2], block.shape[2] * math.prod(self.kernel), -1)


@register(compiled.conv)
@rounded_once
def conv(
    x: Array, w: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1, bias: Array | None = None
) -> Array:
    """Cross-correlation of x (N, C, *spatial) with w (O, C / groups, *kernel): an array (N, O, *out), plus bias (O,)."""
    out = conv_shape(x.shape[2:], w.shape[2:], stride, padding, dilation)
    y = np.zeros((x.shape[0], w.shape[0], *out), np.result_type(x, w))
    if x.size and w.size and y.size:
        x, w = _split(x.astype(y.dtype, copy=False), groups), _grouped(w.astype(y.dtype, copy=False), groups)
        _correlate(x, w, _split(y, groups), tuple(-pad for pad in padding), stride, dilation)
    return y if bias is None else add_bias(y, bias)


def _correlate(x: Array, w: Array, y: Array, offset: Shape, stride: Shape, dilation: Shape) -> None:
    """y[n, g, o, p] = sum over c, t of w[g, o, c, t] * x[n, g, c, p * stride + t * dilation + offset]."""
    groups, channels = w.shape[:2]
    plan = _Plan(w.shape[3:], y.shape[3:], offset, stride, dilation)
    windows, matrix = plan.windows(plan.room(x)), w.reshape(groups, channels, -1)
    with threads.blas_threads(1), silent():
        for samples, part in plan.blocks(x):
            into = y[samples, :, :, part]
            into[...] = np.matmul(matrix, plan.columns(windows, samples, part)).reshape(into.shape)


def add_bias(y: Array, bias: Array) -> Array:
    """Adds bias (O,) to y (N, O, *out), in place."""
    y += bias.reshape(-1, *(1,) * (y.ndim - 2))
    return y


def _rounded_at_taps(kernel: Kernel) -> Kernel:
    """As PyTorch does without oneDNN: float16 is rounded as each tap and each sample is added, bfloat16 once."""
    once = rounded_once(kernel)

    @functools.wraps(kernel)
    def of_any(g: Array, other: Array, *rest: Any, **named: Any) -> Array:
        return (kernel if g.dtype.char == other.dtype.char == "e" else once)(g, other, *rest, **named)

    return of_any  # type: ignore[return-value]


@register(compiled.conv_input_grad)
@_rounded_at_taps
def conv_input_grad(
    g: Array, w: Array, x_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array:
    """The transpose of ``conv`` in x: g (N, O, *out) and w (O, C / groups, *kernel) give an array of ``x_shape``.

    Transposed convolution is this with ``x_shape`` from ``conv_transpose_shape``.
    """
    x = np.zeros(x_shape, np.result_type(g, w))
    if not (g.size and w.size and x.size):
        return x
    if x.dtype.char == "e":
        _add_taps(g, w, x, stride, padding, dilation, groups)
        return x
    g, w, into = (
        _split(g.astype(x.dtype, copy=False), groups),
        _grouped(w.astype(x.dtype, copy=False), groups),
        _split(x, groups),
    )
    axes = tuple(zip(w.shape[3:], stride, padding, dilation, x.shape[2:], strict=True))
    # Inputs of one phase (position modulo stride) see only some of the taps, and those evenly spaced: a convolution of stride 1.
    transposed = w.swapaxes(1, 2)
    for phases in itertools.product(*(_phases(*axis) for axis in axes)):
        places, taps, offset, spread = zip(*phases, strict=True)
        seen = transposed[(..., *taps)]
        if seen.size:
            _correlate(g, seen, into[(..., *places)], offset, (1,) * len(spread), spread)
    return x


def _add_taps(g: Array, w: Array, x: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int) -> None:
    """``conv_input_grad`` into float16 zeros, tap by tap in ascending order."""
    g, w, into = _split(in_single(g), groups), _grouped(in_single(w), groups), _split(x, groups)
    plan = _Plan(w.shape[3:], g.shape[3:], padding, stride, dilation)
    room = np.zeros((*into.shape[:3], *plan.held), x.dtype)
    windows, matrix = plan.windows(room), w.reshape(*w.shape[:2], -1).swapaxes(1, 2)
    with threads.blas_threads(1), silent():
        for samples in plan.samples(room):
            into_taps = windows[samples]
            parts = converted(np.matmul(matrix, g[samples].reshape(-1, *g.shape[1:3], math.prod(plan.out))), x.dtype)
            parts = parts.reshape(into_taps.shape)
            for tap in np.ndindex(plan.kernel):
                into_taps[:, :, :, *tap] += parts[:, :, :, *tap]
    _fill(into, room, padding)


def _phases(taps: int, step: int, pad: int, spread: int, size: int) -> Iterator[tuple[slice, slice, int, int]]:
    """Per phase of one axis: its inputs, the taps they see (in reverse), where these start in g, and their spacing."""
    common = math.gcd(step, spread)
    apart = step // common
    for phase in range(min(step, size)):
        first = next((tap for tap in range(min(apart, taps)) if (phase + pad - tap * spread) % step == 0), None)
        if first is None:
            yield slice(phase, None, step), slice(0, 0), 0, 1
            continue
        last = first + (taps - 1 - first) // apart * apart
        seen = slice(last, first - 1 if first else None, -apart)
        yield slice(phase, None, step), seen, (phase + pad - last * spread) // step, spread // common


@register(compiled.conv_weight_grad)
@_rounded_at_taps
def conv_weight_grad(
    g: Array, x: Array, w_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array:
    """The transpose of ``conv`` in w: g (N, O, *out) and x (N, C, *spatial) give an array of ``w_shape``."""
    dtype = np.result_type(g, x)
    if not (g.size and x.size and math.prod(w_shape)):
        return np.zeros(w_shape, dtype)
    if dtype.char == "e":
        return _add_samples(g, x, w_shape, stride, padding, dilation, groups)
    g, x = _split(g.astype(dtype, copy=False), groups), _split(x.astype(dtype, copy=False), groups)
    plan = _Plan(w_shape[2:], g.shape[3:], tuple(-pad for pad in padding), stride, dilation)
    return np.ascontiguousarray(_correlate_to_weights(g, x, plan)).reshape(w_shape)


def _add_samples(g: Array, x: Array, *sizes: Any) -> Array:
    """``conv_weight_grad`` in float16: a sample at a time."""
    total: Any = None
    for cotangent, sample in zip(in_single(g), in_single(x), strict=True):
        one = conv_weight_grad(cotangent[None], sample[None], *sizes)
        total = converted(one if total is None else np.add(total, one), x.dtype)
    return total


def _correlate_to_weights(g: Array, x: Array, plan: _Plan) -> Array:
    """w[g, o, c, t] = sum over n, p of g[n, g, o, p] * x[n, g, c, p * stride + t * dilation + offset]."""
    groups, channels = g.shape[1:3]
    windows, total = plan.windows(plan.room(x)), None
    with threads.blas_threads(1), silent():
        for samples, part in plan.blocks(x):
            columns = plan.columns(windows, samples, part)
            cotangents = g[samples, :, :, part].reshape(len(columns), groups, channels, -1)
            one = np.add.reduce(np.matmul(columns, cotangents.swapaxes(2, 3)), axis=0)
            total = one if total is None else np.add(total, one, total)
    assert total is not None
    return total.swapaxes(1, 2)


def conv_shape(spatial: Sequence[int], kernel: Shape, stride: Shape, padding: Shape, dilation: Shape) -> Shape:
    """The spatial shape that ``conv`` gives."""
    axes = zip(spatial, kernel, stride, padding, dilation, strict=True)
    return tuple((size + 2 * pad - spread * (taps - 1) - 1) // step + 1 for size, taps, step, pad, spread in axes)


def conv_transpose_shape(
    spatial: Sequence[int], kernel: Shape, stride: Shape, padding: Shape, output_padding: Shape, dilation: Shape
) -> Shape:
    """The spatial shape that transposed convolution gives."""
    axes = zip(spatial, kernel, stride, padding, output_padding, dilation, strict=True)
    return tuple((size - 1) * step - 2 * pad + spread * (taps - 1) + extra + 1 for size, taps, step, pad, extra, spread in axes)


def _fill(into: Array, x: Array, offset: Shape) -> None:
    """Copies the part of x that begins at ``offset`` of its spatial axes, zero outside x."""
    source: list[slice] = []
    target: list[slice] = []
    for size, have, first in zip(into.shape[3:], x.shape[3:], offset, strict=True):
        low = min(max(first, 0), have)
        high = max(low, min(first + size, have))
        source.append(slice(low, high))
        target.append(slice(low - first, high - first) if high > low else slice(0, 0))
    if any(part.stop - part.start < size for part, size in zip(target, into.shape[3:], strict=True)):
        into.fill(0)
    lead: Any = (slice(None),) * 3
    into[*lead, *target] = x[*lead, *source]


def _split(x: Array, groups: int) -> Array:
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])


def _grouped(w: Array, groups: int) -> Array:
    return w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
