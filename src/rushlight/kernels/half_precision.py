"""Numbers of two bytes, float16 and bfloat16, to and from float32, compiled: of many that lie in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import chains, native

Array = np.ndarray[Any, np.dtype[Any]]
DType = np.dtype[Any]

_FEW = 1 << 8
_SINGLE, _BITS = np.dtype(np.float32), np.dtype(np.uint16)


def converted(x: Array, dtype: DType) -> Array | None:
    if native is None or x.size < _FEW or not x.flags.c_contiguous:
        return None
    if dtype is _SINGLE:
        loop = native.single_of_half if x.dtype.char == "e" else native.single_of_brain if x.dtype.name == "bfloat16" else None
        out = np.empty(x.shape, dtype)
        return out if loop and loop(out, x.view(_BITS)) else None
    if x.dtype is _SINGLE:
        loop = native.half_of_single if dtype.char == "e" else native.brain_of_single if dtype.name == "bfloat16" else None
        out = np.empty(x.shape, _BITS)
        return out.view(dtype) if loop and loop(out, x) else None
    return None


def is_half(x: Array) -> bool:
    return x.dtype.itemsize == 2 and x.dtype.kind in "fV"


def bits(x: Array) -> Array:
    """Numbers of two bytes as whole ones, which Python's buffers know."""
    return x.view(_BITS)


def _single(x: object, dtype: DType) -> object:
    if not isinstance(x, np.ndarray) or x.dtype is not dtype:
        return x
    return _cast(x, _SINGLE)


def _cast(x: Array, dtype: DType) -> Array:
    out = converted(x, dtype)
    return x.astype(dtype) if out is None else out


def kept(values: Array, dtype: DType) -> Array:
    """What a result of ``dtype`` keeps of a step in single precision: if it is of two bytes, rounded to these."""
    return _cast(_cast(values, dtype), _SINGLE) if dtype.itemsize == 2 and dtype.kind in "fV" else values


def by_single(kernel: Callable[..., Array | None], *args: object) -> Array | None:
    """What a kernel gives of numbers of two bytes by way of single precision, rounded once; None for others, and where one is not taken."""
    first = args[0]
    if not isinstance(first, np.ndarray) or not is_half(first) or first.size < _FEW or not first.flags.c_contiguous:
        return None
    out = kernel(*(_single(each, first.dtype) for each in args))
    return None if out is None else converted(out, first.dtype)


def _function(ufunc: np.ufunc, kinds: str) -> Callable[[Array], Array | None]:
    """A function of NumPy's by way of single precision, for numbers of some of ``kinds``: of float16 ("f") and bfloat16 ("V")."""
    return lambda x: by_single(lambda wide: ufunc(wide, wide), x) if x.dtype.kind in kinds else None


sqrt, exp, log = _function(np.sqrt, "fV"), _function(np.exp, "V"), _function(np.log, "V")


def _arithmetic(step: str) -> Callable[[Array, Array], Array | None]:
    """A step of chains.py alone, of two arrays that meet by broadcasting, rounded once."""
    program = chains.program(2, [], [(step, 0, 1, 2)], [2]) if step in chains.STEPS else b""

    def kernel(a: Array, b: Array) -> Array | None:
        if not program or a.dtype is not b.dtype or not is_half(a) or max(a.size, b.size) < _FEW:
            return None
        shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
        out = np.empty(shape, a.dtype)
        if a.dtype.char == "e":
            return out if chains.run(program, out, a, b) else None
        return out if chains.run(program, bits(out), bits(a), bits(b)) else None

    return kernel


add, subtract, multiply, divide = map(_arithmetic, ("add", "subtract", "multiply", "divide"))
