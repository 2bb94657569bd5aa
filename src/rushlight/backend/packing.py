"""The places of a grid (steps, sequences) at which there is something, one after another, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def pack(padded: Array, is_there: Array) -> Array:
    return padded[is_there]


def pad(packed: Array, is_there: Array, value: float) -> Array:
    out = np.full(is_there.shape + packed.shape[1:], value, packed.dtype)
    out[is_there] = packed
    return out
