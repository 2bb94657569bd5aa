"""Windows of an array laid out as the columns of matrices, a block at a time, small enough for the cache.

Arrays are (N, G, C, *spatial): samples, groups, channels of a group. A block is some samples and some rows, a row being
one position along the first spatial axis of the output.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rushlight.backend import threads
from rushlight.backend.numpy import Array, Shape

Block = tuple[slice, slice]

# What a block may hold. Smaller ones stay closer to the processor, but each costs a few calls, and threads wait for
# each other between calls (measured: 4 MB beats 1 MB by up to a third on 4 threads, and 16 MB loses as much).
BLOCK_BYTES = 4 << 20
# Measured in ns, in float32: per element copied in long runs, per run, and per multiplication in a matrix product.
COPY, RUN, MULTIPLY = 0.07, 4.0, 0.02


def blocks(samples: int, rows: int, row_bytes: int, count: int) -> list[Block]:
    """The blocks of ``samples`` of ``rows`` each, for ``count`` threads to share evenly."""
    held = max(1, BLOCK_BYTES // max(1, row_bytes))
    if held < rows or samples < count:
        each = -(-rows // -(-rows // held))
        if samples < count:
            each = min(each, -(-rows * samples // count))
        return [
            (slice(sample, sample + 1), slice(row, min(row + each, rows)))
            for sample in range(samples)
            for row in range(0, rows, each)
        ]
    number = -(-samples // (held // rows))
    number = -(-number // count) * count
    each = -(-samples // number)
    return [(slice(start, min(start + each, samples)), slice(0, rows)) for start in range(0, samples, each)]


class Windows:
    """How the windows of x become columns.

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
        self.reach = tuple([(taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True)])
        self.padded = tuple(
            [(size - 1) * step + reach for size, step, reach in zip(out, stride, self.reach, strict=True)]
        )
        self.taps = x.shape[2] * math.prod(kernel)
        self.extent, cost = self._extent(channels, widen and max(stride) == 1)
        row = x.shape[1] * self.taps * math.prod(self.extent[1:])
        self.row_bytes = row * x.itemsize
        self.work = cost * x.shape[0] * row * out[0]
        self.cut = trailing(slice(size) for size in out[1:])

    def _extent(self, channels: int, widen: bool) -> tuple[Shape, float]:
        """The cheapest number of trailing axes to widen, and what an element of the columns then costs."""
        best, least, cost = self.out, math.inf, 0.0
        for first in range(len(self.out), 0, -1) if widen else (len(self.out),):
            extent = (*self.out[:first], *self.padded[first:])
            each = COPY + RUN / math.prod(extent[first - 1 :]) + MULTIPLY * channels
            total = math.prod(extent[1:]) * each
            if total < least:
                best, least, cost = extent, total, each
        return best, cost

    def blocks(self, count: int) -> list[Block]:
        return blocks(self.x.shape[0], self.out[0], self.row_bytes, count)

    def shape(self, block: Block) -> Shape:
        """A block of the output as the product gives it: samples, rows, and the widened rest."""
        samples, rows = block
        return (samples.stop - samples.start, rows.stop - rows.start, *self.extent[1:])

    def columns(self, block: Block, shape: Shape) -> Array:
        """The windows of a block, as (G, C * taps, positions)."""
        x, (samples, rows) = self.x, block
        held = ((shape[1] - 1) * self.stride[0] + self.reach[0], *self.padded[1:])
        full = (shape[0], *x.shape[1:3], *held)
        size = math.prod(full)
        plane = math.prod(held)
        # Widened rows at the very end read beyond it.
        beyond, step, steps = 1 - plane, plane, []
        for length, extent, apart, reach in zip(held, shape[1:], self.stride, self.reach, strict=True):
            step //= length
            steps.append(step)
            beyond += ((extent - 1) * apart + reach - 1) * step
        slack = max(0, beyond)
        memory = threads.scratch("windows.padded", (size + slack,), x.dtype)
        fill(memory[:size].reshape(full), x[samples], self.offset, rows.start * self.stride[0])
        if slack:
            memory[size:] = 0
        nbytes = x.itemsize
        windows: Array = np.ndarray(
            (*full[1:3], *self.kernel, *shape),
            x.dtype,
            memory,
            0,
            (
                full[2] * plane * nbytes,
                plane * nbytes,
                *[spread * step * nbytes for spread, step in zip(self.dilation, steps, strict=True)],
                full[1] * full[2] * plane * nbytes,
                *[apart * step * nbytes for apart, step in zip(self.stride, steps, strict=True)],
            ),
        )
        columns = threads.scratch("windows.columns", windows.shape, x.dtype)
        np.copyto(columns, windows)
        return columns.reshape(full[1], self.taps, math.prod(shape))


def fill(into: Array, x: Array, offset: Shape, start: int) -> None:
    """Copies the part of x that begins at ``offset`` (on its first spatial axis, ``start`` later), zero outside x."""
    source: list[slice] = []
    target: list[slice] = []
    whole = True
    for size, have, first in zip(into.shape[3:], x.shape[3:], offset, strict=True):
        first, start = first + start, 0
        low = min(max(first, 0), have)
        high = max(low, min(first + size, have))
        source.append(slice(low, high))
        target.append(slice(low - first, high - first) if high > low else slice(0, 0))
        whole = whole and high - low == size
    if not whole:
        into.fill(0)
    into[trailing(target)] = x[trailing(source)]


def trailing(parts: Iterable[slice]) -> Any:
    """The index that takes ``parts`` of the last axes."""
    return (..., *parts)
