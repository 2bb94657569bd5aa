"""Kernels that make arrays: memory layouts, ranges and windows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.strides import reach
from ..base.switches import switches
from ..kernels import mixtures, register
from .arithmetic import fused
from .numpy import Array, Shape, empty_like

unset_told: list[Callable[[Array], None]] = []  # who wants to know of arrays that nobody has set


def unset(array: Array) -> Array:
    """A new array that nobody has set, as it is to be handed on: filled with nan or the largest integer where that is to show."""
    for told in unset_told:
        told(array)
    if switches.deterministic and switches.fill_uninitialized:
        kind = array.dtype.kind
        array.fill(np.iinfo(array.dtype).max if kind in "iu" else True if kind == "b" else np.nan)
    return array


_FORMATS = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}


def in_order(shape: Shape, dtype: np.dtype[Any], order: tuple[int, ...]) -> Array:
    """An unset array of ``shape`` whose axes lie in memory in ``order``, the first one outermost."""
    if 0 in shape and order != tuple(range(len(order))):  # NumPy gives no steps where nothing lies
        steps = {axis: math.prod([shape[inner] for inner in order[place + 1 :]]) for place, axis in enumerate(order)}
        return empty_strided(shape, tuple(steps[axis] for axis in range(len(order))), dtype)
    made = np.empty([shape[axis] for axis in order], dtype)
    return made.transpose(sorted(range(len(order)), key=order.__getitem__))


def empty_in_format(shape: Shape, dtype: np.dtype[Any], name: str, like: Array | None = None) -> Array:
    """An unset array in a memory format: 'channels_last' say, or as ``like`` lies for 'preserve_format'."""
    if name == "preserve_format" and like is not None:
        return empty_like(like, dtype)
    return in_order(shape, dtype, order_of(len(shape), name)) if name in _FORMATS else np.empty(shape, dtype)


def order_of(ndim: int, name: str) -> tuple[int, ...]:
    """The dimensions of a tensor in a memory format, the outermost in memory first."""
    if name == "preserve_format":
        raise RuntimeError("Unsupported memory formatPreserve")
    order = _FORMATS.get(name, tuple(range(ndim)))
    if ndim != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {name} format")
    return order


def empty_strided(shape: Shape, strides: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An unset array with strides counted in elements; they may overlap or leave gaps."""
    whole = np.empty(0 if 0 in shape else 1 + reach(shape, strides), dtype)
    return np.ndarray(shape, dtype, whole, 0, tuple(step * dtype.itemsize for step in strides))


_KEPT = 64
_COUNTS = np.arange(_KEPT, dtype=np.float64)
_LANES = 32  # bytes that PyTorch's kernels take at a time


@register(mixtures.arange)
def arange(start: float, step: float, count: int, dtype: np.dtype[Any]) -> Array:
    """``start + i * step`` in int64 or float64, rounded as PyTorch's vector instructions round."""
    if dtype.kind in "iu":
        return np.asarray(np.arange(count) * int(step) + int(start)).astype(dtype)
    exact = dtype.itemsize < 8 or (float(start).is_integer() and float(step).is_integer())

    def counted(index: Array, first: float | Array) -> Array:
        return np.asarray(index * step + first if exact else fused(index, step, first)).astype(dtype)

    # By blocks: the first number of each is rounded to the dtype, the others count from there; the rest one by one.
    lanes = _LANES // dtype.itemsize
    whole = count // (2 * lanes) * (2 * lanes)
    if not whole:
        return counted(_COUNTS[:count], start)
    firsts = counted(np.arange(0, whole, lanes, dtype=np.float64), start).astype(np.float64)
    values = np.empty(count, dtype)
    values[:whole].reshape(-1, lanes)[...] = counted(_COUNTS[:lanes], firsts[:, None])
    values[whole:] = counted(np.arange(whole, count, dtype=np.float64), start)
    return values


def linspace(start: Any, stop: Any, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` values from ``start`` to ``stop``: the first half counted from the start, the second from the end."""
    if count == 1:
        return np.asarray([start]).astype(dtype)
    if dtype.kind == "c":
        parts = np.dtype(np.float64 if dtype.itemsize == 16 else np.float32)
        values = np.empty(count, dtype)
        values.real = linspace(complex(start).real, complex(stop).real, count, parts)
        values.imag = linspace(complex(start).imag, complex(stop).imag, count, parts)
        return values
    kind = np.dtype(np.float64).type if dtype.kind in "iu" else dtype.type
    first, last = kind(start), kind(stop)
    step = (last - first) / kind(max(count - 1, 1))
    index = np.arange(count, dtype=np.float64)
    half = count // 2
    ends = np.empty(count)
    ends[:half], ends[half:] = first, last
    index[half:] -= count - 1
    if dtype.itemsize == 2 and dtype.kind not in "iu":  # halves are rounded after each step
        return np.asarray(ends.astype(dtype) + step * index.astype(dtype))
    # A product of two float32 is exact in float64.
    step = float(step)
    return (index * step + ends if dtype == np.float32 else fused(index, step, ends)).astype(dtype)


def logspace(start: Any, stop: Any, count: int, base: Any, dtype: np.dtype[Any]) -> Array:
    """``base`` to the powers of linspace."""
    wide = np.dtype(np.complex128 if dtype.kind == "c" else np.float64)
    if dtype.kind == "f" and dtype.itemsize < 8:
        start, stop = float(dtype.type(start)), float(dtype.type(stop))
    powers = linspace(start, stop, count, wide)
    if dtype.kind == "c" or (base < 0):
        return np.power(np.asarray(base).astype(wide), powers).astype(dtype)
    return np.array([math.pow(base, power) for power in powers.tolist()]).astype(dtype)


def steps_between(start: float, stop: float, step: float, whole: bool) -> int:
    """How many values arange gives: exact for integers."""
    if whole:
        return max(0, -((int(start) - int(stop)) // int(step)))
    return max(0, math.ceil((stop - start) / step))


# Windows, from the numbers 0, 1, ..., last in float32 or float64.


def cosine_window(x: Array, last: int, alpha: float, beta: float) -> Array:
    kind = x.dtype.type
    return np.asarray(np.cos(x * kind(2 * math.pi / last)) * kind(-beta) + kind(alpha))


def blackman_window(x: Array, last: int) -> Array:
    kind = x.dtype.type
    angle = x * kind(math.pi / last)
    return np.asarray(np.cos(angle * kind(4)) * kind(0.08) - np.cos(angle * kind(2)) * kind(0.5) + kind(0.42))


def bartlett_window(x: Array, last: int) -> Array:
    kind = x.dtype.type
    rising = x * kind(2 / last)
    middle = (last + 1) // 2 + (last + 1) % 2
    return np.concatenate([rising[:middle], kind(2) - rising[middle:]])


def kaiser_window(x: Array, last: int, beta: float) -> Array:
    half = last / 2
    ratio = (x.astype(np.float64) - half) / half
    return np.asarray(np.i0(beta * np.sqrt(np.maximum(1 - ratio * ratio, 0))) / np.i0(beta)).astype(x.dtype)
