"""The places of a grid (steps, sequences) at which there is something, one after another, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def pack(padded: Array, is_there: Array, batch_first: bool) -> Array:
    steps = padded.swapaxes(0, 1) if batch_first else padded
    return steps[: len(is_there)][is_there]


def pad(packed: Array, shape: tuple[int, ...], is_there: Array, batch_first: bool) -> Array:
    """Zeros where nothing is."""
    out = np.zeros(shape, packed.dtype)
    steps = out.swapaxes(0, 1) if batch_first else out
    steps[: len(is_there)][is_there] = packed
    return out
