"""Convolution of any number of spatial dimensions: the value and both gradients, each linear in either argument.

The three kernels are each other's derivatives, so convolution can be differentiated any number of times:

    conv(x, w)              -> d/dx conv_input_grad(g, w)    d/dw conv_weight_grad(g, x)
    conv_input_grad(g, w)   -> d/dg conv(gg, w)              d/dw conv_weight_grad(g, gg)
    conv_weight_grad(g, x)  -> d/dg conv(x, gg)              d/dx conv_input_grad(g, gg)

A block of samples and rows at a time, small enough for the cache, the windows of ``x`` are laid out as the columns of a
matrix and multiplied by the weights; blocks are shared out between threads. The columns are never all there at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from rushlight.backend import threads
from rushlight.backend.numpy import Array, Shape

# What a block may hold: its columns pass from the gather to the product in the cache of one processor core.
_BLOCK_BYTES = 2 << 20
# Measured in ns, in float32: per element copied in long runs, per run, per element added up, per multiplication.
_COPY, _RUN, _ADD, _MULTIPLY = 0.07, 4.0, 0.1, 0.02
# A thread is worth waking for this many ns of work.
_THREAD_WORK = 250_000
# The blocks of a weight gradient are summed in a fixed number of parts: the result does not depend on the threads.
_PARTS = 8


def conv(x: Array, w: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1) -> Array:
    """Cross-correlation of x (N, C, *spatial) with w (O, C / groups, *kernel): an array (N, O, *out)."""
    wide = _accumulator(x, w)
    if wide is not None:
        return conv(x.astype(wide), w.astype(wide), stride, padding, dilation, groups).astype(x.dtype)
    out = conv_shape(x.shape[2:], w.shape[2:], stride, padding, dilation)
    y = np.empty((x.shape[0], w.shape[0], *out), np.result_type(x, w))
    offset = tuple(-before for before in padding)
    _correlate(_split(x, groups), _grouped(w, groups), _split(y, groups), offset, stride, dilation)
    return y


def conv_input_grad(
    g: Array, w: Array, x_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array:
    """The transpose of ``conv`` in x: g (N, O, *out) and w (O, C / groups, *kernel) give an array of ``x_shape``.

    Transposed convolution is this with ``x_shape`` from ``conv_transpose_shape``.
    """
    wide = _accumulator(g, w)
    if wide is not None:
        y = conv_input_grad(g.astype(wide), w.astype(wide), x_shape, stride, padding, dilation, groups)
        return y.astype(g.dtype)
    kernel = w.shape[2:]
    x = np.empty(x_shape, np.result_type(g, w))
    if g.size == 0 or w.size == 0:
        x.fill(0)
        return x
    transposed = _grouped(w, groups).swapaxes(1, 2)
    if (
        all(size <= step for size, step in zip(kernel, stride, strict=True))
        and math.prod(stride) > 4
        and (all(spread == 1 for spread in dilation))
    ):
        _scatter_apart(_split(g, groups), transposed, x, stride, padding)
        return x
    # With strides, inputs of one phase (position modulo stride) see only some of the taps, and those evenly spaced: a
    # convolution of stride 1 for each phase.
    grouped_g, grouped_x = _split(g, groups), _split(x, groups)
    axes = zip(kernel, stride, padding, dilation, x.shape[2:], strict=True)
    for phases in product(*(list(_phases(*axis)) for axis in axes)):
        into = grouped_x[_trailing(phase[0] for phase in phases)]
        taps = transposed[_trailing(phase[1] for phase in phases)]
        offset, spread = tuple(phase[2] for phase in phases), tuple(phase[3] for phase in phases)
        _correlate(grouped_g, taps, into, offset, (1,) * len(kernel), spread)
    return x


def conv_weight_grad(
    g: Array, x: Array, w_shape: Shape, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1
) -> Array:
    """The transpose of ``conv`` in w: g (N, O, *out) and x (N, C, *spatial) give an array of ``w_shape``."""
    wide = _accumulator(g, x)
    if wide is not None:
        y = conv_weight_grad(g.astype(wide), x.astype(wide), w_shape, stride, padding, dilation, groups)
        return y.astype(g.dtype)
    grouped_g, grouped_x = _split(g, groups), _split(x, groups)
    offset = tuple(-before for before in padding)
    w = _correlate_to_weights(grouped_g, grouped_x, w_shape[2:], offset, stride, dilation, widen=True)
    if w.dtype.kind in "fc" and not np.isfinite(w).all():
        # A widened row reads elements beyond its end and multiplies them by zero: harmless unless they are inf or nan.
        w = _correlate_to_weights(grouped_g, grouped_x, w_shape[2:], offset, stride, dilation, widen=False)
    return w.reshape(w_shape)


def conv_shape(spatial: Sequence[int], kernel: Shape, stride: Shape, padding: Shape, dilation: Shape) -> Shape:
    """The spatial shape that ``conv`` gives."""
    axes = zip(spatial, kernel, stride, padding, dilation, strict=True)
    return tuple((size + 2 * pad - spread * (taps - 1) - 1) // step + 1 for size, taps, step, pad, spread in axes)


def conv_transpose_shape(
    spatial: Sequence[int], kernel: Shape, stride: Shape, padding: Shape, output_padding: Shape, dilation: Shape
) -> Shape:
    """The spatial shape that transposed convolution gives."""
    axes = zip(spatial, kernel, stride, padding, output_padding, dilation, strict=True)
    return tuple(
        (size - 1) * step - 2 * pad + spread * (taps - 1) + extra + 1 for size, taps, step, pad, extra, spread in axes
    )


def _accumulator(a: Array, b: Array) -> np.dtype[Any] | None:
    """The dtype to compute in, if not the arrays' own: half precision is summed in single."""
    return np.dtype(np.float32) if a.dtype == b.dtype and a.dtype.itemsize == 2 and a.dtype.kind not in "iu" else None


def _trailing(parts: Iterable[slice]) -> Any:
    """The index that takes ``parts`` of the last axes."""
    return (..., *parts)


def _split(x: Array, groups: int) -> Array:
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])


def _grouped(w: Array, groups: int) -> Array:
    return w.reshape(groups, w.shape[0] // groups, *w.shape[1:])


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


class _Windows:
    """How the windows of x (N, G, C, *spatial) become columns, block by block.

    Position p of the output and tap t read x at ``p * stride + t * dilation + offset``, zero outside x. With stride 1,
    trailing axes may be widened to the padded size of x: the rows then follow each other without a gap, and the copy
    runs over all of them at once. The results at the widened positions mean nothing and are cut off.
    """

    def __init__(
        self,
        x: Array,
        channels: int,
        kernel: Shape,
        out: Shape,
        offset: Shape,
        stride: Shape,
        dilation: Shape,
        widen: bool,
    ) -> None:
        self.x, self.kernel, self.out = x, kernel, out
        self.offset, self.stride, self.dilation = offset, stride, dilation
        self.reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
        self.padded = tuple(
            (size - 1) * step + reach for size, step, reach in zip(out, stride, self.reach, strict=True)
        )
        samples, groups, depth = x.shape[:3]
        self.taps = depth * math.prod(kernel)
        self.extent, cost = self._extent(channels, widen and all(step == 1 for step in stride))
        row = groups * self.taps * math.prod(self.extent[1:])
        self.work = cost * samples * row * out[0]
        self.threads = max(1, min(threads.limit(), int(self.work / _THREAD_WORK)))
        rows_in_block = max(1, _BLOCK_BYTES // (row * x.itemsize))
        if samples < self.threads:
            rows_in_block = min(rows_in_block, -(-out[0] * samples // self.threads))
        row_blocks = -(-out[0] // rows_in_block)
        self.rows_in_block = -(-out[0] // row_blocks)
        self.samples_in_block = min(max(1, rows_in_block // out[0]), -(-samples // self.threads))

    def _extent(self, channels: int, widen: bool) -> tuple[Shape, float]:
        """The cheapest number of trailing axes to widen, and the cost per element of the columns that are wanted."""
        best, least = self.out, math.inf
        for first in range(len(self.out), 0, -1) if widen else (len(self.out),):
            extent = (*self.out[:first], *self.padded[first:])
            run = math.prod(extent[first - 1 :])
            cost = math.prod(extent[1:]) / math.prod(self.out[1:]) * (_COPY + _RUN / run + _MULTIPLY * channels)
            if cost < least:
                best, least = extent, cost
        return best, least

    def blocks(self) -> list[tuple[slice, slice]]:
        """Samples and rows (of the first spatial axis of the output) of each block."""
        samples, rows = self.x.shape[0], self.out[0]
        return [
            (slice(a, min(a + self.samples_in_block, samples)), slice(r, min(r + self.rows_in_block, rows)))
            for a in range(0, samples, self.samples_in_block)
            for r in range(0, rows, self.rows_in_block)
        ]

    def shape(self, block: tuple[slice, slice]) -> Shape:
        """A block of the output as the product gives it: samples, rows, and the widened rest."""
        samples, rows = block
        return (samples.stop - samples.start, rows.stop - rows.start, *self.extent[1:])

    def columns(self, block: tuple[slice, slice]) -> Array:
        """The windows of a block, as (G, C * taps, positions)."""
        x, (samples, rows), shape = self.x, block, self.shape(block)
        held = ((shape[1] - 1) * self.stride[0] + self.reach[0], *self.padded[1:])
        full = (shape[0], *x.shape[1:3], *held)
        slack = sum(self.reach) * (math.prod(held[1:]) // max(1, held[1]) if len(held) > 1 else 1) + self.reach[-1]
        size = math.prod(full)
        memory = threads.scratch("convolution.padded", (size + slack,), x.dtype)
        _fill(memory[:size].reshape(full), self.x[samples], self.offset, rows.start * self.stride[0])
        memory[size:] = 0
        strides = np.ndarray(full, x.dtype, memory).strides
        along = strides[3:]
        windows: Array = np.ndarray(
            (*full[1:3], *self.kernel, *shape),
            x.dtype,
            memory,
            0,
            (
                *strides[1:3],
                *(spread * stride for spread, stride in zip(self.dilation, along, strict=True)),
                strides[0],
                *(step * stride for step, stride in zip(self.stride, along, strict=True)),
            ),
        )
        columns = threads.scratch("convolution.columns", windows.shape, x.dtype)
        np.copyto(columns, windows)
        return columns.reshape(full[1], self.taps, math.prod(shape))


def _fill(into: Array, x: Array, offset: Shape, start: int) -> None:
    """Copies the part of x that begins at ``offset`` (on its first spatial axis, ``start`` later), zero outside x."""
    source: list[slice] = []
    target: list[slice] = []
    whole = True
    for axis, (size, have, first) in enumerate(zip(into.shape[3:], x.shape[3:], offset, strict=True)):
        first += start if axis == 0 else 0
        low = min(max(first, 0), have)
        high = max(low, min(first + size, have))
        source.append(slice(low, high))
        target.append(slice(low - first, high - first) if high > low else slice(0, 0))
        whole = whole and high - low == size
    if not whole:
        into.fill(0)
    into[_trailing(target)] = x[_trailing(source)]


def _correlate(x: Array, w: Array, y: Array, offset: Shape, stride: Shape, dilation: Shape) -> None:
    """y[n, g, o, p] = sum over c, t of w[g, o, c, t] * x[n, g, c, p * stride + t * dilation + offset]."""
    if y.size == 0:
        return
    if x.size == 0 or w.size == 0:
        y.fill(0)
        return
    groups, channels = w.shape[:2]
    x = x.astype(y.dtype, copy=False)
    matrix = w.reshape(groups, channels, -1).astype(y.dtype, copy=False)
    one_tap = math.prod(w.shape[3:]) == 1
    if one_tap and not any(offset) and all(step == 1 for step in stride) and x.shape[3:] == y.shape[3:]:
        _mix_channels(x, matrix, y)
        return
    windows = _Windows(x, channels, w.shape[3:], y.shape[3:], offset, stride, dilation, widen=True)
    if all(step == 1 for step in stride) and windows.work > _shifted_work(x, channels, w.shape[3:], windows.padded):
        _correlate_shifted(x, w.astype(y.dtype, copy=False), y, offset, dilation)
        return
    cut = _trailing(slice(size) for size in windows.out[1:])

    def work(block: tuple[slice, slice]) -> None:
        columns, shape = windows.columns(block), windows.shape(block)
        into = y[(block[0], slice(None), slice(None), block[1])]
        result = threads.scratch("convolution.result", (groups, channels, columns.shape[-1]), y.dtype)
        np.matmul(matrix, columns, out=result)
        np.copyto(into, np.moveaxis(result.reshape(groups, channels, *shape)[cut], 2, 0))

    threads.share(work, windows.blocks(), windows.threads)


def _shifted_work(x: Array, channels: int, kernel: Shape, padded: Shape) -> float:
    products = x.shape[0] * x.shape[1] * channels * math.prod(kernel) * math.prod(padded)
    return float(products * (_ADD + _MULTIPLY * max(8, x.shape[2])))


def _correlate_shifted(x: Array, w: Array, y: Array, offset: Shape, dilation: Shape) -> None:
    """``_correlate`` with stride 1, the other way round: multiply first, then add up the taps, each in its place.

    Nothing is gathered, and the products are few where the output has fewer channels than x.
    """
    groups, channels, depth = w.shape[:3]
    kernel, out = w.shape[3:], y.shape[3:]
    reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
    padded = tuple(size + room - 1 for size, room in zip(out, reach, strict=True))
    taps = math.prod(kernel)
    matrix = np.ascontiguousarray(np.moveaxis(w, 2, -1)).reshape(groups, channels * taps, depth)
    work_each = _shifted_work(x[:1], channels, kernel, padded)
    count = max(1, min(threads.limit(), x.shape[0], int(work_each * x.shape[0] / _THREAD_WORK)))
    sample_bytes = groups * channels * taps * math.prod(padded) * y.itemsize
    each = min(-(-x.shape[0] // count), max(1, _BLOCK_BYTES // sample_bytes))

    def work(samples: slice) -> None:
        part = x[samples]
        shape = (groups, depth, len(part), *padded)
        flat = math.prod(shape[2:])
        held = threads.scratch("convolution.padded", shape, y.dtype)
        _fill(np.moveaxis(held, 2, 0), part, offset, 0)
        products = threads.scratch("convolution.columns", (groups, channels, *kernel, flat), y.dtype)
        np.matmul(matrix, held.reshape(groups, depth, flat), out=products.reshape(groups, channels * taps, flat))
        along = held.strides[3:]
        last = sum((room - 1) * step for room, step in zip(reach, along, strict=True)) // y.itemsize
        shifts = (spread * step for spread, step in zip(dilation, along, strict=True))
        strides = products.strides
        shifted: Array = np.ndarray(
            (*products.shape[:-1], flat - last),
            y.dtype,
            products,
            0,
            (*strides[:2], *(step + shift for step, shift in zip(strides[2:-1], shifts, strict=True)), y.itemsize),
        )
        result = threads.scratch("convolution.result", (groups, channels, flat), y.dtype)
        np.add.reduce(shifted, axis=tuple(range(2, 2 + len(kernel))), out=result[..., : flat - last])
        cut = _trailing(slice(size) for size in out)
        np.copyto(y[samples], np.moveaxis(result.reshape(groups, channels, len(part), *padded)[cut], 2, 0))

    threads.share(work, [slice(start, start + each) for start in range(0, x.shape[0], each)], count)


def _mix_channels(x: Array, matrix: Array, y: Array) -> None:
    """One tap, every position: the samples themselves are the columns."""
    samples, groups, depth = x.shape[:3]
    channels, positions = matrix.shape[1], math.prod(x.shape[3:])
    columns = x.reshape(samples, groups, depth, positions)
    direct = y.flags.c_contiguous
    result = y.reshape(samples, groups, channels, positions) if direct else np.empty(y.shape, y.dtype)
    count, blocks = _sample_blocks(samples, _MULTIPLY * groups * depth * channels * positions)

    def work(block: slice) -> None:
        np.matmul(matrix, columns[block], out=result[block].reshape(-1, groups, channels, positions))

    threads.share(work, blocks, count)
    if not direct:
        np.copyto(y, result)


def _sample_blocks(samples: int, cost: float) -> tuple[int, list[slice]]:
    """How many threads to use when each sample costs ``cost`` ns, and the samples of each block."""
    count = max(1, min(threads.limit(), samples, int(cost * samples / _THREAD_WORK)))
    each = -(-samples // count)
    return count, [slice(start, min(start + each, samples)) for start in range(0, samples, each)]


def _correlate_to_weights(
    g: Array, x: Array, kernel: Shape, offset: Shape, stride: Shape, dilation: Shape, widen: bool
) -> Array:
    """w[g, o, c, t] = sum over n, p of g[n, g, o, p] * x[n, g, c, p * stride + t * dilation + offset]."""
    dtype = np.result_type(g, x)
    groups, channels, depth = g.shape[1], g.shape[2], x.shape[2]
    if g.size == 0 or x.size == 0:
        return np.zeros((groups, channels, depth, *kernel), dtype)
    g, x = g.astype(dtype, copy=False), x.astype(dtype, copy=False)
    unit = all(step == 1 for step in stride)
    if unit and math.prod(kernel) == 1 and not any(offset) and x.shape[3:] == g.shape[3:]:
        return _mix_to_weights(g, x).reshape(groups, channels, depth, *kernel)
    if unit and 2 * channels <= depth:
        # Windows of g, which has fewer channels, instead: each input sees the taps in reverse.
        back = tuple(-(taps - 1) * spread - first for taps, spread, first in zip(kernel, dilation, offset, strict=True))
        swapped = _correlate_to_weights(x, g, kernel, back, stride, dilation, widen)
        return np.ascontiguousarray(np.flip(swapped.swapaxes(1, 2), tuple(range(3, swapped.ndim))))
    windows = _Windows(x, channels, kernel, g.shape[3:], offset, stride, dilation, widen)
    cut = _trailing(slice(size) for size in windows.out[1:])
    whole = windows.extent == windows.out
    blocks = windows.blocks()
    parts = [blocks[start::_PARTS] for start in range(min(_PARTS, len(blocks)))]
    sums: list[Array | None] = [None] * len(parts)

    def work(index: int) -> None:
        total: Array | None = None
        for block in parts[index]:
            columns, shape = windows.columns(block), windows.shape(block)
            seen = threads.scratch("convolution.result", (groups, channels, *shape), dtype)
            if not whole:
                seen.fill(0)
            np.copyto(np.moveaxis(seen[cut], 2, 0), g[(block[0], slice(None), slice(None), block[1])])
            # This way round the result is tall, which BLAS does up to twice as fast as its transpose.
            transposed = seen.reshape(groups, channels, columns.shape[-1]).swapaxes(1, 2)
            total = np.matmul(columns, transposed) if total is None else _add(total, np.matmul(columns, transposed))
        sums[index] = total

    threads.share(work, range(len(parts)), windows.threads)
    total = sums[0]
    assert total is not None
    for part in sums[1:]:
        assert part is not None
        total = _add(total, part)
    return np.ascontiguousarray(total.swapaxes(1, 2)).reshape(groups, channels, depth, *kernel)


def _mix_to_weights(g: Array, x: Array) -> Array:
    """One tap, every position: w[g, o, c] = sum over n, p of g[n, g, o, p] * x[n, g, c, p]."""
    samples, groups, channels = g.shape[:3]
    depth, positions = x.shape[2], math.prod(x.shape[3:])
    left = g.reshape(samples, groups, channels, positions)
    right = x.reshape(samples, groups, depth, positions).swapaxes(2, 3)
    products = np.empty((samples, groups, channels, depth), g.dtype)
    count, blocks = _sample_blocks(samples, _MULTIPLY * groups * depth * channels * positions)

    def work(block: slice) -> None:
        np.matmul(left[block], right[block], out=products[block])

    threads.share(work, blocks, count)
    return np.asarray(np.add.reduce(products, axis=0))


def _add(total: Array, part: Array) -> Array:
    return np.add(total, part, out=total)


def _scatter_apart(g: Array, w: Array, x: Array, stride: Shape, padding: Shape) -> None:
    """The input's gradient when windows do not overlap: every tap of every window has a place of its own."""
    samples, groups = g.shape[:2]
    depth, channels, kernel, out = w.shape[1], w.shape[2], w.shape[3:], g.shape[3:]
    rank = len(kernel)
    # A window has room for `stride` positions, of which the kernel fills the first.
    room = np.zeros(
        (samples, groups * depth, *(size for pair in zip(out, stride, strict=True) for size in pair)), x.dtype
    )
    matrix = np.moveaxis(w, 2, -1).reshape(groups, -1, channels)
    taps = np.matmul(matrix, g.reshape(samples, groups, channels, -1))
    taps = taps.reshape(samples, groups * depth, *kernel, *out)
    order = (
        0,
        1,
        *(axis for pair in zip(range(2 + rank, 2 + 2 * rank), range(2, 2 + rank), strict=True) for axis in pair),
    )
    room[_trailing(part for size in kernel for part in (slice(None), slice(size)))] = taps.transpose(order)
    flat = room.reshape(samples, groups * depth, *(size * step for size, step in zip(out, stride, strict=True)))
    x.fill(0)
    part = flat[_trailing(slice(pad, pad + size) for pad, size in zip(padding, x.shape[2:], strict=True))]
    x[tuple(slice(size) for size in part.shape)] = part
