"""A layer of long short-term memory as one op."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import recurrent as k
from .table import op

op("lstm_layer", k.lstm_layer, inputs="x w u b d h c", outputs="out last_h last_c gates! cells!", node="MkldnnRnnLayerBackward0",
   joint=lambda g, xp, x, w, u, b, d, h, c, out, gates, cells, backwards, needs: _lstm_slopes(
       g, xp, x, w, u, b, d, h, c, out, gates, cells, backwards, needs))  # fmt: skip


def _lstm_slopes(
    g: Any, xp: Any, x: Any, w: Any, u: Any, b: Any, d: Any, h: Any, c: Any, out: Any, gates: Any, cells: Any, backwards: bool,
    needs: tuple[bool, ...],
) -> Any:  # fmt: skip
    """S. Hochreiter and J. Schmidhuber, Long short-term memory (1997), with the forget gates of F. Gers (1999)."""
    if x.__class__ is np.ndarray:
        return k.lstm_layer_grads(g, x, w, u, h, c, out, gates, cells, backwards, needs)
    # Where the rule records itself the gates must have a history: they are computed again.
    steps, count, size = x.shape
    width = u.shape[1]
    places = range(steps - 1, -1, -1) if backwards else range(steps)
    inputs = xp.mm(x.reshape((steps * count, size)), xp.transpose(w, 0, 1)).reshape((steps, count, 4 * width))
    recurrent = xp.transpose(u, 0, 1)
    kept = []
    for t in places:
        sums = xp.select(inputs, 0, t) + xp.mm(h, recurrent)
        if b is not None:
            sums = sums + b + d
        into, forget, new, show = (xp.slice(sums, 1, index * width, (index + 1) * width, 1) for index in range(4))
        into, forget, new, show = xp.sigmoid(into), xp.sigmoid(forget), xp.tanh(new), xp.sigmoid(show)
        cell = forget * c + into * new
        squashed = xp.tanh(cell)
        kept.append((t, h, c, into, forget, new, show, squashed))
        h, c = show * squashed, cell
    g_out, g_hidden, g_cell = g
    slopes: list[Any] = [None] * steps
    for t, _, before, into, forget, new, show, squashed in reversed(kept):
        if g_out is not None:
            here = xp.select(g_out, 0, t)
            g_hidden = here if g_hidden is None else g_hidden + here
        if g_hidden is None:
            g_hidden = 0 * show
        through = g_hidden * show * (1 - squashed * squashed)
        g_cell = through if g_cell is None else g_cell + through
        of_gates = [
            g_cell * new * into * (1 - into),
            g_cell * before * forget * (1 - forget),
            g_cell * into * (1 - new * new),
            g_hidden * squashed * show * (1 - show),
        ]
        slopes[t] = xp.concat(of_gates, 1)
        g_hidden, g_cell = xp.mm(slopes[t], u), g_cell * forget
    g_gates = xp.concat(slopes, 0)
    hidden = xp.concat([before for _, before, *_ in (kept[::-1] if backwards else kept)], 0)
    g_bias = xp.sum(g_gates, (0,), False) if b is not None else None
    across = xp.transpose(g_gates, 0, 1)
    return (
        xp.mm(g_gates, w).reshape((steps, count, size)),
        xp.mm(across, x.reshape((steps * count, size))),
        xp.mm(across, hidden),
        g_bias,
        g_bias,
        g_hidden,
        g_cell,
    )
