"""Compiled sums of products of a few arrays: steps of chains.py in one sweep, to the last bit what NumPy's give one by one;
numbers between those of two arrays, numbers at equal distances, and all products of two vectors' numbers.

They take many numbers of float32 or float64, in arrays of one shape that lie in order.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from . import chains, native
from .half_precision import Array, DType

_FEW = 1 << 12  # numbers: of fewer NumPy's steps take no longer

# Registers: the arrays, a number, and then what is computed.
_STEPS: dict[str, tuple[tuple[str, int, int, int], ...]] = {
    "addcmul": (("multiply", 1, 3, 4), ("multiply", 4, 2, 4), ("add", 0, 4, 4)),
    "addcmul_1": (("multiply", 1, 2, 4), ("add", 0, 4, 4)),
    "addcdiv": (("multiply", 1, 3, 4), ("divide", 4, 2, 4), ("add", 0, 4, 4)),
    "lerp_near": (("subtract", 1, 0, 3), ("multiply", 2, 3, 3), ("add", 0, 3, 3)),
    "lerp_far": (("subtract", 1, 0, 3), ("multiply", 2, 3, 3), ("subtract", 1, 3, 3)),
    "cube": (("multiply", 0, 0, 2), ("multiply", 2, 0, 2)),
}


@functools.lru_cache(256)
def _program(name: str, inputs: int, number: float) -> bytes:
    return chains.program(inputs, [number], _STEPS[name], [inputs + 1])


def _run(name: str, number: float, *arrays: Array) -> Array | None:
    first = arrays[0]
    if not chains.STEPS or first.size < _FEW or first.dtype.char not in "fd":
        return None
    if not all(each.dtype is first.dtype and each.shape == first.shape and each.flags.c_contiguous for each in arrays):
        return None
    out = np.empty(first.shape, first.dtype)
    return out if chains.run(_program(name, len(arrays), number), out, *arrays) else None


def _rounded(number: object, like: Array) -> float:
    return float(np.asarray(number).astype(like.dtype)) if like.dtype.char in "fd" else 0.0


def addcmul(x: Array, u: Array, v: Array, value: float | Array) -> Array | None:
    return _run("addcmul_1" if value == 1 else "addcmul", _rounded(value, x), x, u, v)


def addcdiv(x: Array, u: Array, v: Array, value: float | Array) -> Array | None:
    return _run("addcdiv", _rounded(value, x), x, u, v)


def lerp(start: Array, end: Array, weight: float | Array) -> Array | None:
    if isinstance(weight, np.ndarray):
        return _lerp_of_weights(start, end, weight)
    near = _rounded(weight, start)
    if abs(near) < 0.5:
        return _run("lerp_near", near, start, end)
    return _run("lerp_far", _rounded(1 - start.dtype.type(near), start), start, end)


def _lerp_of_weights(*arrays: Array) -> Array | None:
    first = arrays[0]
    if native is None or first.dtype.char not in "fd":
        return None
    if not all(each.dtype is first.dtype and each.shape == first.shape and each.flags.c_contiguous for each in arrays):
        return None
    out = np.empty(first.shape, first.dtype)
    return out if native.mixed(out, *arrays) else None


_LEAST = 64  # numbers of a range: of fewer NumPy's are as quick


def arange(start: float, step: float, count: int, dtype: DType) -> Array | None:
    if native is None or count < _LEAST or dtype.char not in "fd" or not (math.isfinite(start) and math.isfinite(step)):
        return None
    out = np.empty(count, dtype)
    return out if native.counted(out, start, step) else None


def cube(x: Array) -> Array | None:
    return _run("cube", 0.0, x)


def outer(a: Array, b: Array) -> Array | None:
    if native is None or a.ndim != 1 or b.ndim != 1 or a.size * b.size < _FEW or a.dtype is not b.dtype:
        return None
    out = np.empty((a.size, b.size), a.dtype)
    return out if native.multiply(out, a[:, np.newaxis], b) else None
