"""Compiled steps of optimizers: all parameters of a block in one sweep. They take float32 and float64 in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import native

Array = np.ndarray[Any, np.dtype[Any]]
Rows = dict[str, Array]


def step(
    optimizer: Any, params: list[Array], grads: list[Array], rows: Rows, scalars: Rows, room: Any, group: Any, t: int
) -> bool | None:
    """True where the optimizer has a loop of native/steps.h, which then has done it."""
    if native is None or not optimizer._loop:
        return None
    numbers, names = optimizer._numbers(t, group)
    if any(name and name not in rows for name in names):
        return None
    states = tuple(rows[name] if name else None for name in names)
    return getattr(native, optimizer._loop)(params, grads, states, numbers) or None
