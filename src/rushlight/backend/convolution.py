"""Convolution of any number of spatial dimensions: the value and both gradients, each linear in either argument.

The three kernels are each other's derivatives, so convolution can be differentiated any number of times:

    conv(x, w)              -> d/dx conv_input_grad(g, w)    d/dw conv_weight_grad(g, x)
    conv_input_grad(g, w)   -> d/dg conv(gg, w)              d/dw conv_weight_grad(g, gg)
    conv_weight_grad(g, x)  -> d/dg conv(x, gg)              d/dx conv_input_grad(g, gg)

A block of samples and rows at a time, small enough for the cache, the windows of ``x`` are laid out as the columns of a
matrix and multiplied by the weights; blocks are shared out between threads. The columns are never all there at once.
Where that is less work, taps are added up after the product instead, or large kernels go through their spectra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import le
from typing import Any

import numpy as np

from ..kernels import convolutions as compiled
from ..kernels import register
from . import convolution_fft, small_products, threads
from .numpy import Array, Shape
from .windows import MULTIPLY, Block, Windows, blocks, fill, trailing, windows_of

# Measured in ns, in float32: per element added up.
_ADD = 0.1
# A thread is worth waking for this many ns of work, and where there is enough for three: two lose as much as they gain.
_THREAD_WORK, _LEAST_THREADS = 250_000, 3
# The blocks of a weight gradient are summed in a fixed number of parts: which thread is first changes nothing.
_PARTS = 8
_APART = 80  # elements
# Kernels with fewer taps are never worth a Fourier transform.
_LEAST_TAPS = 32


@register(compiled.conv)
def conv(
    x: Array, w: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int = 1, bias: Array | None = None
) -> Array:
    """Cross-correlation of x (N, C, *spatial) with w (O, C / groups, *kernel): an array (N, O, *out), plus bias (O,)."""
    wide = _accumulator(x, w)
    if wide is not None:
        added = None if bias is None else bias.astype(wide)
        return conv(x.astype(wide), w.astype(wide), stride, padding, dilation, groups, added).astype(x.dtype)
    out = conv_shape(x.shape[2:], w.shape[2:], stride, padding, dilation)
    y = np.empty((x.shape[0], w.shape[0], *out), np.result_type(x, w))
    offset = tuple(-before for before in padding)
    added = None if bias is None else bias.reshape(groups, -1)
    _perform([_correlation(_split(x, groups), _grouped(w, groups), _split(y, groups), offset, stride, dilation, added)])
    return y


def add_bias(y: Array, bias: Array) -> Array:
    """Adds bias (O,) to y (N, O, *out), in place."""
    y += bias.reshape(-1, *(1,) * (y.ndim - 2))
    return y


@register(compiled.conv_input_grad)
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
    grouped_g, grouped_x = _split(g, groups), _split(x, groups)
    if max(dilation) == 1 and math.prod(stride) > 4 and all(map(le, kernel, stride)):
        _perform([_scattering(grouped_g, transposed, grouped_x, stride, padding)])
        return x
    # With strides, inputs of one phase (position modulo stride) see only some of the taps, and those evenly spaced: a
    # convolution of stride 1 for each phase.
    axes = zip(kernel, stride, padding, dilation, x.shape[2:], strict=True)
    jobs = []
    for phases in product(*(list(_phases(*axis)) for axis in axes)):
        into = grouped_x[trailing(phase[0] for phase in phases)]
        taps = transposed[trailing(phase[1] for phase in phases)]
        offset, spread = tuple(phase[2] for phase in phases), tuple(phase[3] for phase in phases)
        jobs.append(_correlation(grouped_g, taps, into, offset, (1,) * len(kernel), spread))
    _perform(jobs)
    return x


@register(compiled.conv_weight_grad)
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
        # Zeros around g, or at the end of a widened row, multiply elements that no window sees: not if these are inf.
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
    return tuple((size - 1) * step - 2 * pad + spread * (taps - 1) + extra + 1 for size, taps, step, pad, extra, spread in axes)


def _accumulator(a: Array, b: Array) -> np.dtype[Any] | None:
    """The dtype to compute in, if not the arrays' own: half precision is summed in single."""
    return np.dtype(np.float32) if a.dtype == b.dtype and a.dtype.itemsize == 2 and a.dtype.kind not in "iu" else None


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


@dataclass(slots=True)
class _Job:
    """Work that falls into blocks: what it costs in ns, its blocks for a number of threads, and what to do with one."""

    cost: float
    blocks: Callable[[int], list[Block]]
    work: Callable[[Block], None]


def _perform(jobs: Sequence[_Job | None]) -> None:
    wanted = [job for job in jobs if job is not None]
    count = _threads(sum([job.cost for job in wanted]))
    pieces = [(job.work, block) for job in wanted for block in job.blocks(count)]
    threads.share(lambda piece: piece[0](piece[1]), pieces, count)


def _threads(cost: float) -> int:
    count = int(cost / _THREAD_WORK)
    return min(threads.limit(), count) if count >= _LEAST_THREADS else 1


def _correlation(
    x: Array, w: Array, y: Array, offset: Shape, stride: Shape, dilation: Shape, bias: Array | None = None
) -> _Job | None:
    """y[n, g, o, p] = sum over c, t of w[g, o, c, t] * x[n, g, c, p * stride + t * dilation + offset], plus bias[g, o]."""
    if y.size == 0:
        return None
    if x.size == 0 or w.size == 0:
        y[...] = 0 if bias is None else bias.reshape(*bias.shape, *(1,) * (y.ndim - 3))
        return None
    if x.dtype != y.dtype:
        x = x.astype(y.dtype)
    if w.dtype != y.dtype:
        w = w.astype(y.dtype)
    groups, channels, kernel, out = w.shape[0], w.shape[1], w.shape[3:], y.shape[3:]
    unit = max(stride) == 1
    if unit and math.prod(kernel) == 1 and not any(offset) and x.shape[3:] == out:
        return _channel_mix(x, w, y, bias)
    windows = windows_of(x.shape, x.itemsize, channels, kernel, out, offset, stride, dilation, True)
    if unit and _large(windows, x.dtype, channels) and convolution_fft.correlate(x, w, y, offset, dilation):
        if bias is not None:
            y += bias.reshape(*bias.shape, *(1,) * (y.ndim - 3))
        return None
    if unit and windows.work > _shifted_cost(x, channels, kernel, windows.padded):
        return _shifted_correlation(x, w, y, offset, dilation, bias)
    matrix = w.reshape(groups, channels, windows.taps)
    direct = windows.whole and y.flags.c_contiguous and small_products.is_small(channels * windows.taps * math.prod(out))
    if direct and bias is not None:  # as the weights of one more row, of ones
        matrix = np.concatenate((matrix, bias[:, :, None].astype(y.dtype, copy=False)), 2)

    def work(block: Block) -> None:
        columns, shape = windows.columns(x, block, direct and bias is not None)
        into = y[(block[0], slice(None), slice(None), block[1])]
        if direct:
            np.matmul(matrix, _samples(columns, shape[0]), out=into.reshape(shape[0], groups, channels, -1))
            return
        result = threads.scratch("convolution.result", (groups, channels, columns.shape[-1]), y.dtype)
        small_products.multiply(matrix, columns, result)
        if bias is not None:
            result += bias[:, :, None]
        np.copyto(into, _samples_first(result.reshape(groups, channels, *shape)[windows.cut]))

    return _Job(windows.work, windows.blocks, work)


def _large(windows: Windows, dtype: np.dtype[Any], channels: int) -> bool:
    """Whether the kernel is so large that the way through the spectra is clearly shorter."""
    if math.prod(windows.kernel) < _LEAST_TAPS or dtype.kind not in "fc":
        return False
    fft = convolution_fft.cost(windows.samples, windows.groups, windows.depth, channels, windows.padded)
    return 1.5 * fft < windows.work


def _samples(columns: Array, samples: int) -> Array:
    """Columns (G, K, N * positions) seen as (N, G, K, positions)."""
    groups, height, length = columns.shape
    return columns.reshape(groups, height, samples, length // samples).transpose(2, 0, 1, 3)


def _samples_first(array: Array) -> Array:
    """(G, C, N, *spatial) seen as (N, G, C, *spatial)."""
    return array.transpose(2, 0, 1, *range(3, array.ndim))


def _channel_mix(x: Array, w: Array, y: Array, bias: Array | None) -> _Job:
    """One tap, every position: the samples themselves are the columns."""
    samples, groups, depth = x.shape[:3]
    channels, positions = w.shape[1], math.prod(x.shape[3:])
    columns, matrix = x.reshape(samples, groups, depth, positions), w.reshape(groups, channels, depth)
    direct = y.reshape(samples, groups, channels, positions) if y.flags.c_contiguous else None

    def work(block: Block) -> None:
        part = columns[block[0]]
        if direct is not None:
            result = np.matmul(matrix, part, out=direct[block[0]])
        else:
            result = np.matmul(matrix, part)
        if bias is not None:
            result += bias[:, :, None]
        if direct is None:
            np.copyto(y[block[0]], result.reshape(len(part), *y.shape[1:]))

    cost = samples * groups * (channels + 1) * depth * positions * MULTIPLY
    return _Job(cost, lambda count: _sample_blocks(samples, count), work)


def _sample_blocks(samples: int, count: int) -> list[Block]:
    return blocks(samples, 1, 0, min(samples, count))


def _shifted_cost(x: Array, channels: int, kernel: Shape, padded: Shape) -> float:
    products = x.shape[0] * x.shape[1] * channels * math.prod(kernel) * math.prod(padded)
    return float(products * (_ADD + MULTIPLY * max(8, x.shape[2])))


def _shifted_correlation(x: Array, w: Array, y: Array, offset: Shape, dilation: Shape, bias: Array | None) -> _Job:
    """``_correlation`` with stride 1, the other way round: multiply first, then add up the taps, each in its place.

    Nothing is gathered, and the products are few where the output has fewer channels than x.
    """
    groups, channels, depth = w.shape[:3]
    kernel, out = w.shape[3:], y.shape[3:]
    reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
    padded = tuple(size + room - 1 for size, room in zip(out, reach, strict=True))
    matrix = np.ascontiguousarray(np.moveaxis(w, 2, -1)).reshape(groups, channels * math.prod(kernel), depth)
    axes = tuple(range(2, 2 + len(kernel)))
    cut = trailing(slice(size) for size in out[1:])

    def work(block: Block) -> None:
        part, rows = x[block[0]], block[1].stop - block[1].start
        shape = (groups, depth, len(part), rows + reach[0] - 1, *padded[1:])
        flat = math.prod(shape[2:])
        held = threads.scratch("windows.padded", shape, y.dtype)
        fill(_samples_first(held), part, offset, block[1].start)
        # Lines a power of two apart would drive each other out of the cache.
        room = threads.scratch("windows.columns", (groups, channels, *kernel, flat + _APART), y.dtype)
        products = room.reshape(groups, matrix.shape[1], -1)[..., :flat]
        small_products.multiply(matrix, held.reshape(groups, depth, flat), products)
        along, strides = held.strides[3:], room.strides
        last = sum((room - 1) * step for room, step in zip(reach, along, strict=True)) // y.itemsize
        shifts = (spread * step for spread, step in zip(dilation, along, strict=True))
        shifted: Array = np.ndarray(
            (*room.shape[:-1], flat - last),
            y.dtype,
            room,
            0,
            (*strides[:2], *(step + shift for step, shift in zip(strides[2:-1], shifts, strict=True)), y.itemsize),
        )
        result = threads.scratch("convolution.result", (groups, channels, flat), y.dtype)
        np.add.reduce(shifted, axis=axes, out=result[..., : flat - last])
        if bias is not None:
            result += bias[:, :, None]
        grid = result.reshape(groups, channels, *shape[2:])[:, :, :, :rows]
        np.copyto(y[(block[0], slice(None), slice(None), block[1])], _samples_first(grid[cut]))

    row_bytes = groups * matrix.shape[1] * math.prod(padded[1:]) * y.itemsize
    cost = _shifted_cost(x, channels, kernel, padded)
    return _Job(cost, lambda count: blocks(x.shape[0], out[0], row_bytes, count), work)


def _scattering(g: Array, w: Array, x: Array, stride: Shape, padding: Shape) -> _Job:
    """The input's gradient when windows do not overlap: every tap of every window has a place of its own."""
    groups, depth, channels = w.shape[:3]
    kernel, out, rank = w.shape[3:], g.shape[3:], len(stride)
    matrix = np.ascontiguousarray(np.moveaxis(w, 2, 1)).reshape(groups, channels, -1)
    # A window has room for `stride` positions, of which the kernel fills the first.
    room_shape = tuple(size for pair in zip(out, stride, strict=True) for size in pair)
    filled = trailing(part for size in kernel for part in (slice(None), slice(size)))
    order = (0, 1, 2 + rank, *(axis for at in range(rank) for axis in (2 + at, 3 + rank + at)))
    held = tuple(size * step for size, step in zip(out, stride, strict=True))
    source = trailing(slice(pad, pad + size) for pad, size in zip(padding, x.shape[3:], strict=True))
    whole = x.shape[3:] == held and not any(padding)

    def work(block: Block) -> None:
        part, into = g[block[0]], x[block[0]]
        columns = part.reshape(*part.shape[:3], math.prod(out)).swapaxes(2, 3)
        taps = np.matmul(columns, matrix).reshape(len(part), groups, *out, depth, *kernel).transpose(order)
        if whole and kernel == stride:
            into.reshape(*into.shape[:3], *room_shape)[...] = taps
            return
        room = np.zeros((*into.shape[:3], *room_shape), x.dtype)
        room[filled] = taps
        inside = room.reshape(*into.shape[:3], *held)[source]
        into.fill(0)
        into[trailing(slice(size) for size in inside.shape[3:])] = inside

    cost = g.size * matrix.shape[2] * (_ADD + MULTIPLY * channels) / channels
    samples = len(g)
    return _Job(cost, lambda count: _sample_blocks(samples, max(count, samples)), work)


def _correlate_to_weights(
    g: Array, x: Array, kernel: Shape, offset: Shape, stride: Shape, dilation: Shape, widen: bool
) -> Array:
    """w[g, o, c, t] = sum over n, p of g[n, g, o, p] * x[n, g, c, p * stride + t * dilation + offset]."""
    dtype = np.result_type(g, x)
    groups, channels, depth = g.shape[1], g.shape[2], x.shape[2]
    if g.size == 0 or x.size == 0:
        return np.zeros((groups, channels, depth, *kernel), dtype)
    g, x = g.astype(dtype, copy=False), x.astype(dtype, copy=False)
    unit = max(stride) == 1
    if unit and math.prod(kernel) == 1 and not any(offset) and x.shape[3:] == g.shape[3:]:
        return _mix_to_weights(g, x).reshape(groups, channels, depth, *kernel)
    if unit and widen and 2 * channels <= depth:
        # Windows of g, which has fewer channels, instead: each input sees the taps in reverse.
        back = tuple(-(taps - 1) * spread - first for taps, spread, first in zip(kernel, dilation, offset, strict=True))
        swapped = _correlate_to_weights(x, g, kernel, back, stride, dilation, widen)
        return np.ascontiguousarray(np.flip(swapped.swapaxes(1, 2), tuple(range(3, swapped.ndim))))
    outcomes = channels * depth * math.prod(kernel)
    direct = g.flags.c_contiguous and small_products.is_small(outcomes * math.prod(g.shape[3:]), outcomes)
    windows = windows_of(x.shape, x.itemsize, channels, kernel, g.shape[3:], offset, stride, dilation, widen and not direct)
    if unit and widen and _large(windows, x.dtype, channels):
        found = convolution_fft.correlate_to_weights(g, x, kernel, offset, dilation)
        if found is not None:
            return found
    count = _threads(windows.work)
    pieces = windows.blocks(count)
    parts = [pieces[start::_PARTS] for start in range(min(_PARTS, len(pieces)))]
    sums: list[Any] = [None] * len(parts)

    def work(index: int) -> None:
        total: Array | None = None
        for block in parts[index]:
            columns, shape = windows.columns(x, block)
            cotangents = g[(block[0], slice(None), slice(None), block[1])]
            if direct:
                lines = cotangents.reshape(shape[0], groups, channels, -1)
                products = np.add.reduce(np.matmul(_samples(columns, shape[0]), lines.swapaxes(2, 3)), axis=0)
                total = products if total is None else np.add(total, products, out=total)
                continue
            # Tall by low, each with its rows in a row: BLAS does this up to twice as fast as any of the transposes.
            seen = threads.scratch("convolution.result", (groups, *shape, channels), dtype)
            if not windows.whole:
                seen.fill(0)
            np.copyto(_samples_first(np.moveaxis(seen, -1, 1)[windows.cut]), cotangents)
            part = small_products.multiply_long(columns, seen.reshape(groups, columns.shape[-1], channels))
            total = part if total is None else np.add(total, part, out=total)
        sums[index] = total

    threads.share(work, range(len(parts)), count)
    total = np.asarray(sum(sums[1:], sums[0]))
    return np.ascontiguousarray(total.swapaxes(1, 2)).reshape(groups, channels, depth, *kernel)


def _mix_to_weights(g: Array, x: Array) -> Array:
    """One tap, every position: w[g, o, c] = sum over n, p of g[n, g, o, p] * x[n, g, c, p]."""
    samples, groups, channels = g.shape[:3]
    depth, positions = x.shape[2], math.prod(x.shape[3:])
    left = g.reshape(samples, groups, channels, positions)
    right = x.reshape(samples, groups, depth, positions).swapaxes(2, 3)
    products = np.empty((samples, groups, channels, depth), g.dtype)
    count = _threads(products.size * positions * MULTIPLY)

    def work(block: Block) -> None:
        np.matmul(left[block[0]], right[block[0]], out=products[block[0]])

    threads.share(work, _sample_blocks(samples, count), count)
    return np.asarray(np.add.reduce(products, axis=0))
