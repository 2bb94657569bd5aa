"""Windows of an array laid out as the columns of matrices, a block at a time, small enough for the cache.

Arrays are (N, G, C, *spatial): samples, groups, channels of a group. A block is some samples and some rows, a row being
one position along the first spatial axis of the output.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from . import threads
from .numpy import Array, Shape

Block = tuple[slice, slice]

# What a block may hold. A smaller one stays in the second cache, but each costs a few calls, and threads wait for each other
# between calls (measured on four threads: 4 MB beats 1 MB by up to a third, and 16 MB loses as much; on one 0.5 MB beats 4 by a
# tenth).
BLOCK_BYTES, BLOCK_BYTES_ALONE = 4 << 20, 1 << 19
# Measured in ns, in float32: per element copied in long runs, per run, and per multiplication in a matrix product.
COPY, RUN, MULTIPLY = 0.07, 4.0, 0.02


def blocks(samples: int, rows: int, row_bytes: int, count: int) -> list[Block]:
    """The blocks of ``samples`` of ``rows`` each, for ``count`` threads to share evenly."""
    held = max(1, (BLOCK_BYTES if count > 1 else BLOCK_BYTES_ALONE) // max(1, row_bytes))
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
    """How the windows of arrays of one shape become columns. Made once for a shape: see ``windows_of``.

    Position p of the output and tap t read x at ``p * stride + t * dilation + offset``, zero outside x. With stride 1,
    trailing axes may be widened to the padded size of x: the rows then follow each other without a gap, and the copy
    runs over all of them at once. The results at the widened positions mean nothing and are cut off.
    """

    def __init__(
        self,
        x_shape: Shape,
        itemsize: int,
        channels: int,
        kernel: Shape,
        out: Shape,
        offset: Shape,
        stride: Shape,
        dilation: Shape,
        widen: bool,
    ) -> None:
        self.samples, self.groups, self.depth = x_shape[:3]
        self.spatial, self.itemsize = x_shape[3:], itemsize
        self.kernel, self.out = kernel, out
        self.offset, self.stride, self.dilation = offset, stride, dilation
        self.reach = tuple((taps - 1) * spread + 1 for taps, spread in zip(kernel, dilation, strict=True))
        self.padded = tuple((size - 1) * step + reach for size, step, reach in zip(out, stride, self.reach, strict=True))
        self.taps = self.depth * math.prod(kernel)
        self.extent, cost = self._extent(channels, widen and max(stride) == 1)
        self.whole = self.extent == out
        row = self.groups * self.taps * math.prod(self.extent[1:])
        self.row_bytes = row * itemsize
        self.work = cost * self.samples * row * out[0]
        self.cut = trailing(slice(size) for size in out[1:])
        self._blocks: dict[int, list[Block]] = {}
        self._layouts: dict[tuple[int, int], _Layout] = {}

    def _extent(self, channels: int, widen: bool) -> tuple[Shape, float]:
        """The cheapest number of trailing axes to widen, and what an element of the columns then costs."""
        best, least, cost = self.out, math.inf, 0.0
        cut = (COPY + RUN / max(1, self.out[-1])) * channels / max(1, self.taps)  # what lies wide is copied once more
        for first in range(len(self.out), 0, -1) if widen else (len(self.out),):
            extent = (*self.out[:first], *self.padded[first:])
            each = COPY + RUN / math.prod(extent[first - 1 :]) + MULTIPLY * channels + (cut if extent != self.out else 0)
            total = math.prod(extent[1:]) * each
            if total < least:
                best, least, cost = extent, total, each
        return best, cost

    def blocks(self, count: int) -> list[Block]:
        known = self._blocks.get(count)
        if known is None:
            known = self._blocks[count] = blocks(self.samples, self.out[0], self.row_bytes, count)
        return known

    def columns(self, x: Array, block: Block, ones: bool = False) -> tuple[Array, Shape]:
        """The windows of a block as (G, C * taps, positions), and the shape of these positions; with a row of ones at the end."""
        samples, rows = block
        key = (samples.stop - samples.start, rows.stop - rows.start)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = self._layout(*key)
        memory = threads.scratch("windows.padded", (layout.size + layout.slack,), x.dtype)
        fill(memory[: layout.size].reshape(layout.full), x[samples], self.offset, rows.start * self.stride[0])
        if layout.slack:
            memory[layout.size :] = 0
        windows: Array = np.ndarray(layout.shape, x.dtype, memory, 0, layout.strides)
        groups, taps, length = layout.flat
        columns = threads.scratch("windows.columns", (groups, taps + ones, length), x.dtype)
        np.copyto(columns[:, :taps].reshape(layout.shape), windows)
        if ones:
            columns[:, taps] = 1
        return columns, layout.positions

    def _layout(self, samples: int, rows: int) -> _Layout:
        positions = (samples, rows, *self.extent[1:])
        held = ((rows - 1) * self.stride[0] + self.reach[0], *self.padded[1:])
        plane = math.prod(held)
        # Widened rows at the very end read beyond it.
        beyond, step, steps = 1 - plane, plane, []
        for length, extent, apart, reach in zip(held, positions[1:], self.stride, self.reach, strict=True):
            step //= length
            steps.append(step * self.itemsize)
            beyond += ((extent - 1) * apart + reach - 1) * step
        nbytes = plane * self.itemsize
        return _Layout(
            full=(samples, self.groups, self.depth, *held),
            size=samples * self.groups * self.depth * plane,
            slack=max(0, beyond),
            shape=(self.groups, self.depth, *self.kernel, *positions),
            strides=(
                self.depth * nbytes,
                nbytes,
                *(spread * step for spread, step in zip(self.dilation, steps, strict=True)),
                self.groups * self.depth * nbytes,
                *(apart * step for apart, step in zip(self.stride, steps, strict=True)),
            ),
            positions=positions,
            flat=(self.groups, self.taps, math.prod(positions)),
        )


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a block lies in memory: padded (``full``, ``size`` elements and ``slack``), then as windows into that."""

    full: Shape
    size: int
    slack: int
    shape: Shape
    strides: Shape
    positions: Shape
    flat: Shape


windows_of = lru_cache(maxsize=512)(Windows)


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
