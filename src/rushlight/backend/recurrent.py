"""A layer of long short-term memory along a whole sequence: one product for all inputs, then a step for each place.

All four gates of a step go through one tanh: a sigmoid is ``(tanh(x / 2) + 1) / 2``. What the backward pass multiplies
with is worked out for the whole sequence at once, so that its steps are a few short calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import recurrent as compiled
from ..kernels import register
from .line_sums import total
from .matmul import product
from .numpy import Array


@register(compiled.lstm_layer)
def lstm_layer(
    x: Array,
    w: Array,
    u: Array,
    b: Array | None = None,
    d: Array | None = None,
    h: Any = None,
    c: Any = None,
    backwards: bool = False,
) -> tuple[Array, Array, Array, Array, Array]:
    """(T, N, I) inputs and (N, H) states -> outputs (T, N, H), last output and cell, and for the backward pass the gates
    (T, N, 4H) in PyTorch's order (in, forget, cell, out) and the cells.

    ``w``, ``u``  the weights of input and state, (4H, I) and (4H, H)
    ``b``, ``d``  their biases
    """
    steps, count, size = x.shape
    width = u.shape[1]
    half = x.dtype.type(0.5)
    scale = np.full(4 * width, half)
    scale[2 * width : 3 * width] = 1
    shift = 1 - scale
    recurrent = np.ascontiguousarray((u * scale[:, None]).T)
    gates = product(x.reshape(steps * count, size), w.T).reshape(steps, count, 4 * width)
    if b is not None and d is not None:
        gates += b + d
    gates *= scale
    out, cells = np.empty((steps, count, width), x.dtype), np.empty((steps, count, width), x.dtype)
    for t in range(steps - 1, -1, -1) if backwards else range(steps):
        gate, cell = gates[t], cells[t]
        gate += h @ recurrent
        np.tanh(gate, gate)
        gate *= scale
        gate += shift
        np.multiply(gate[:, width : 2 * width], c, cell)
        cell += gate[:, :width] * gate[:, 2 * width : 3 * width]
        h = out[t]
        np.tanh(cell, h)
        h *= gate[:, 3 * width :]
        c = cell
    return out, np.array(h), np.array(c), gates, cells


@register(compiled.lstm_layer_grads)
def lstm_layer_grads(
    g: list[Array | None],
    x: Array,
    w: Array,
    u: Array,
    h: Array,
    c: Array,
    out: Array,
    gates: Array,
    cells: Array,
    backwards: bool,
    needs: tuple[bool, ...],
) -> tuple[Array | None, ...]:
    """The cotangents of x, w, u, b, d, h and c from those of outputs, last output and last cell."""
    g_out, g_h, g_c = g
    steps, count, width = cells.shape
    order = range(steps) if backwards else range(steps - 1, -1, -1)
    start, rest = (-1, slice(0, -1)) if backwards else (0, slice(1, None))
    previous = slice(1, None) if backwards else slice(0, -1)
    before_h, before_c = np.empty_like(out), np.empty_like(cells)
    before_h[start], before_c[start] = h, c
    before_h[rest], before_c[rest] = out[previous], cells[previous]

    parts = gates.reshape(steps, count, 4, width)
    into, forget, new, show = (parts[:, :, index] for index in range(4))
    slopes = parts - parts * parts  # of sigmoids
    np.multiply(new, new, slopes[:, :, 2])
    np.subtract(1, slopes[:, :, 2], slopes[:, :, 2])
    squashed = np.tanh(cells)
    slopes[:, :, 0] *= new
    slopes[:, :, 1] *= before_c
    slopes[:, :, 2] *= into
    slopes[:, :, 3] *= squashed
    to_cell = show * (1 - squashed * squashed)

    g_hidden = np.zeros((count, width), x.dtype) if g_h is None else g_h.copy()
    g_cell = np.zeros((count, width), x.dtype) if g_c is None else g_c.copy()
    for t in order:
        if g_out is not None:
            g_hidden += g_out[t]
        g_cell += g_hidden * to_cell[t]
        slope = slopes[t]
        slope[:, :3] *= g_cell[:, None]
        slope[:, 3] *= g_hidden
        np.matmul(slope.reshape(count, 4 * width), u, g_hidden)
        g_cell *= forget[t]
    g_gates = slopes.reshape(steps * count, 4 * width)
    g_bias = total(g_gates, (0,)) if needs[3] or needs[4] else None
    return (
        product(g_gates, w).reshape(x.shape) if needs[0] else None,
        product(g_gates.T, x.reshape(steps * count, x.shape[2])) if needs[1] else None,
        product(g_gates.T, before_h.reshape(steps * count, width)) if needs[2] else None,
        g_bias if needs[3] else None,
        (g_bias.copy() if needs[3] else g_bias) if needs[4] and g_bias is not None else None,
        g_hidden if needs[5] else None,
        g_cell if needs[6] else None,
    )
