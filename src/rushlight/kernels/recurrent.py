"""A layer of long short-term memory, compiled: its products with the inputs are BLAS's. It takes float32 and float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
_WIDE = 512  # states so wide go back through BLAS in less time: 5 steps of 64 by 1024 in 75 ms, here in 101


def _are_alike(*arrays: Array | None) -> bool:
    """Whether those that there are have one dtype, which is taken, and at least one number."""
    given = [each for each in arrays if each is not None]
    return given[0].dtype.char in "fd" and all(each.dtype is given[0].dtype and each.size > 0 for each in given)


def lstm_layer(
    x: Array,
    w: Array,
    u: Array,
    b: Array | None = None,
    d: Array | None = None,
    h: Any = None,
    c: Any = None,
    backwards: bool = False,
) -> tuple[Array, Array, Array, Array, Array] | None:
    if native is None or not _are_alike(x, w, u, b, d, h, c):
        return None
    (steps, count, size), width = x.shape, u.shape[1]
    gates = x.reshape(steps * count, size).dot(w.T)
    out, cells = (np.empty((steps, count, width), x.dtype) for _ in range(2))
    u, h, c = (np.ascontiguousarray(each) for each in (u, h, c))
    if not native.lstm(out, cells, gates, u, b, d, h, c, (steps, count, width, backwards)):
        return None
    last = 0 if backwards else -1
    return out, np.array(out[last]), np.array(cells[last]), gates.reshape(steps, count, 4 * width), cells


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
) -> tuple[Array | None, ...] | None:
    steps, count, width = cells.shape
    if native is None or width >= _WIDE or not _are_alike(x, w, u, h, c, out, gates, cells, *g):
        return None
    given = None if g[0] is None else np.ascontiguousarray(g[0])
    for_hidden, for_cell = (np.zeros((count, width), x.dtype) if each is None else np.array(each, order="C") for each in g[1:])
    for_gates, u, c = np.empty(gates.shape, x.dtype), np.ascontiguousarray(u), np.ascontiguousarray(c)
    sizes = (steps, count, width, backwards)
    if not native.lstm_backward(for_gates, for_hidden, for_cell, gates, cells, c, u, given, sizes):
        return None
    lines = for_gates.reshape(steps * count, 4 * width)
    for_u = for_bias = None
    if needs[2]:
        first, later, before = (-1, slice(0, -1), slice(1, None)) if backwards else (0, slice(1, None), slice(0, -1))
        for_u = for_gates[first].T.dot(h)
        if steps > 1:
            for_u += for_gates[later].reshape(-1, 4 * width).T.dot(out[before].reshape(-1, width))
    if needs[3] or needs[4]:
        for_bias = np.ones(len(lines), x.dtype).dot(lines)
    return (
        lines.dot(w).reshape(x.shape) if needs[0] else None,
        lines.T.dot(x.reshape(steps * count, x.shape[2])) if needs[1] else None,
        for_u,
        for_bias if needs[3] else None,
        (for_bias.copy() if needs[3] else for_bias) if needs[4] and for_bias is not None else None,
        for_hidden if needs[5] else None,
        for_cell if needs[6] else None,
    )
