"""The seam to NumPy: what the engine and the compiled ops need to know about arrays.

The kernels of ops stand beside it in this folder by family. Everything here takes and returns plain arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..base.arguments import refuse_too_large
from ..kernels import half_precision, register

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
Kernel = TypeVar("Kernel", bound=Callable[..., np.ndarray[Any, np.dtype[Any]]])

FLOATING = frozenset(np.dtype(name) for name in ("float16", "float32", "float64"))
COMPLEX = frozenset(np.dtype(name) for name in ("complex64", "complex128"))

# Python numbers as 0-dim arrays of a floating dtype: NumPy spends longer converting a number than multiplying by it.
_numbers: dict[np.dtype[Any], dict[float | str, Array]] = {dtype: {} for dtype in FLOATING | COMPLEX if dtype.itemsize > 2}
_INT64, _SINGLE = np.dtype(np.int64), np.dtype(np.float32)
_whole_numbers: dict[int, Array] = {}
_KEPT_NUMBERS = 4096


def address(array: Array) -> int:
    """Where an array's first element lies."""
    return int(array.__array_interface__["data"][0])


def number(value: float, dtype: np.dtype[Any]) -> Array | None:
    """``value`` as a 0-dim array of ``dtype``, or None where that is not the dtype that both meet in (promotion decides)."""
    known = _numbers.get(dtype)
    if known is None:
        return _whole_number(value) if dtype is _INT64 and value.__class__ is int else None
    array = known.get(value)
    if array is None:
        key = value if value != 0 else str(value)  # 0.0 and -0.0 would be one key
        array = known.get(key)
        if array is None:
            refuse_too_large(value)
            array = np.asarray(value).astype(dtype)
            array.flags.writeable = False
            if value == value and len(known) < _KEPT_NUMBERS:  # nan is never found again
                known[key] = array
    return array


def _whole_number(value: Any) -> Array | None:
    """:func:`number` of int64; None for what that does not hold."""
    array = _whole_numbers.get(value)
    if array is None and -(2**63) <= value < 2**63:
        array = np.asarray(value, _INT64)
        array.flags.writeable = False
        if len(_whole_numbers) < _KEPT_NUMBERS:
            _whole_numbers[value] = array
    return array


def everywhere(number: Any, shape: Shape) -> Array:
    """An array of one element seen at every place of ``shape``."""
    array = np.asarray(number)
    return np.ndarray(shape, array.dtype, array, 0, (0,) * len(shape))


def expand(x: Array, shape: Shape) -> Array:
    """``x`` seen as ``shape`` without a copy, as broadcasting sees it (much faster than np.broadcast_to)."""
    if x.__class__ is not np.ndarray:
        x = np.asarray(x)
    have = x.shape
    if have == shape:
        return x
    lead = len(shape) - len(have)
    first = (0,) * lead if 1 not in shape[:lead] else _leading_steps(x, shape[:lead])
    strides = first + (x.strides if shape[lead:] == have else _stretching_steps(x, shape))
    if x.flags.c_contiguous and 0 not in shape:  # nothing beyond the array is seen, so it may be a view itself
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return strided(x, shape, strides)


def _stretching_steps(array: Array, shape: Shape) -> tuple[int, ...]:
    """Strides of an array's own dimensions: 0 where they stretch."""
    have = array.shape
    strides = []
    for size, wanted, stride in zip(have, shape[len(shape) - len(have) :], array.strides, strict=True):
        if size == wanted:
            strides.append(stride)
        elif size == 1:
            strides.append(0)
        else:
            raise ValueError(f"cannot broadcast {have} to {shape}")
    return tuple(strides)


def _leading_steps(array: Array, lead: Shape) -> tuple[int, ...]:
    """Strides of new dimensions in front: 0 where they stretch, over the whole of what follows where they have size 1."""
    if not array.ndim:
        return (0,) * len(lead)
    step = array.shape[0] * array.strides[0]
    strides = []
    for size in reversed(lead):
        strides.append(step if size == 1 else 0)
        step = strides[-1] * size
    return tuple(strides[::-1])


def strided(array: Array, shape: Shape, strides: tuple[int, ...], offset: int = 0) -> Array:
    """A view of ``array``'s memory, ``strides`` and ``offset`` in bytes from its first element."""
    if array.base is None and array.flags.c_contiguous and 0 not in shape:
        return np.ndarray(shape, array.dtype, array, offset, strides)
    interface = _Interface(array, shape, strides, offset)
    try:
        view = np.asarray(interface)
    except TypeError:  # the letter of complex32 is not one that NumPy knows
        interface.__array_interface__.update(typestr=f"|V{array.itemsize}", descr=[("", f"|V{array.itemsize}")])
        view = np.asarray(interface)
    return view if view.dtype == array.dtype else view.view(array.dtype)


def like_first(arrays: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    """An array for the result of an elementwise op, in the order in which the first of the operands lies.

    Where an operand leaves the order of two dimensions open (it is stretched along one of them, or their strides are equal),
    the next one decides; NumPy instead prefers C order as soon as any operand has it.
    """
    slowest_first, axes = _layout(tuple([(array.shape, array.strides) for array in arrays]))
    return np.empty(slowest_first, dtype).transpose(axes)


@functools.lru_cache(1024)
def _layout(operands: tuple[tuple[Shape, tuple[int, ...]], ...]) -> tuple[Shape, tuple[int, ...]]:
    """The shape in memory of a result of operands with these shapes and strides, and where there its dimensions are."""
    shape = np.broadcast_shapes(*(have for have, _ in operands))
    return in_memory(shape, [steps_within(shape, have, strides) for have, strides in operands])


def steps_within(shape: Shape, have: Shape, strides: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array in a shape that it broadcasts to: 0 where it stretches."""
    lead = len(shape) - len(have)
    fit = zip(have, shape[lead:], strides, strict=True)
    return (0,) * lead + tuple([step if size == wanted else 0 for size, wanted, step in fit])


def ordered(shape: Shape, steps: Sequence[tuple[int, ...]], dtype: np.dtype[Any]) -> Array:
    """An unset array whose dimensions lie in the order that the operands' strides say, the first of them first."""
    slowest_first, axes = in_memory(shape, steps)
    return np.empty(slowest_first, dtype).transpose(axes)


def in_memory(shape: Shape, steps: Sequence[tuple[int, ...]]) -> tuple[Shape, tuple[int, ...]]:
    """The shape in memory of :func:`ordered`, and where there its dimensions are."""
    # Where none says, the later dimension stays the faster one; what is so left open need not be transitive, and a sort by
    # insertion makes of it what PyTorch makes of it.
    ndim = len(shape)
    faster_first = list(range(ndim - 1, -1, -1))
    for place in range(1, ndim):
        this = place
        for before in range(place - 1, -1, -1):
            order = _slower(faster_first[before], faster_first[this], steps, shape)
            if order > 0:
                faster_first[before], faster_first[this] = faster_first[this], faster_first[before]
                this = before
            elif order < 0:
                break
    slowest_first = faster_first[::-1]
    return tuple([shape[axis] for axis in slowest_first]), tuple([slowest_first.index(axis) for axis in range(ndim)])


def empty_like(array: Array, dtype: np.dtype[Any]) -> Array:
    """An unset array of the shape of ``array`` whose dimensions lie in memory in the same order, without gaps."""
    if array.flags.c_contiguous:
        return np.empty(array.shape, dtype)
    if _told(array.strides):
        return np.empty_like(array, dtype, "K")
    return ordered(array.shape, [array.strides], dtype)


def _told(strides: tuple[int, ...]) -> bool:
    """Whether strides say in which order dimensions lie: none is stretched, no two are equal."""
    return 0 not in strides and len({*strides}) == len(strides)


def rounded(array: Array, dtype: np.dtype[np.generic]) -> Array:
    """A copy in another dtype: of doubles in float16 by way of single precision, as in PyTorch."""
    return (array.astype(_SINGLE) if dtype.char == "e" and array.dtype.char == "d" else array).astype(dtype)


def copied(array: Array, dtype: np.dtype[Any]) -> Array:
    """A copy, of another dtype maybe, whose dimensions lie in memory in the same order, without gaps."""
    if array.flags.c_contiguous or _told(array.strides):
        return rounded(array, dtype)
    # NumPy lets stretched dimensions change fastest, and the later of equal ones.
    out = empty_like(array, dtype)
    out[...] = array
    return out


def in_rows(array: Array) -> Array:
    """The array itself if it lies row by row, otherwise a copy that does: what NumPy looks up lies as its index does."""
    return array if array.flags.c_contiguous else array.copy("C")


def backwards(axis: int) -> tuple[slice, ...]:
    """The index that turns an axis round, in a third of the time that np.flip takes."""
    return (*(slice(None),) * axis, slice(None, None, -1))


def laid_out(out: Array, inputs: Sequence[Array]) -> Array:
    """The result of an elementwise op on ``inputs``, in the order in which PyTorch lays it out: see :func:`like_first`."""
    laid = like_first(inputs, out.dtype)
    if laid.strides == out.strides or laid.shape != out.shape:
        return out
    laid[...] = out
    return laid


def _slower(one: int, other: int, steps: Sequence[tuple[int, ...]], shape: Shape) -> int:
    """Whether dimension ``one`` has longer steps than ``other``: 1 or -1, and 0 where no operand says."""
    for step in steps:
        a, b = step[one], step[other]
        if a and b:
            if a != b:
                return 1 if a > b else -1
            if shape[one] > shape[other]:
                return 1
    return 0


class _Interface:
    """Memory of another array under a new shape, for np.asarray; keeps that array alive as the view's base."""

    def __init__(self, array: Array, shape: Shape, strides: tuple[int, ...], offset: int) -> None:
        interface = dict(array.__array_interface__)
        address, read_only = interface["data"]
        interface.update(data=(address + offset, read_only), shape=shape, strides=strides)
        self.__array_interface__ = interface
        self.array = array


MANY = 1 << 12  # numbers from which on there is more to do than what a call costs by itself


def in_single(x: Array) -> Array:
    """Half precision computes in single."""
    if x.dtype.itemsize != 2 or x.dtype.kind == "i":
        return x
    return copied(x, _SINGLE) if 0 in x.strides else converted(x, _SINGLE)


def _is_of_another(value: object, dtype: np.dtype[np.generic]) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fcV" and value.dtype != dtype


def rounded_once(kernel: Kernel) -> Kernel:
    """A kernel that computes of half precision in single, and rounds its result."""

    @functools.wraps(kernel)
    def of_any(x: Array, *rest: Any, **named: Any) -> Array:
        if not half_precision.is_half(x) or any(_is_of_another(one, x.dtype) for one in rest):
            return kernel(x, *rest, **named)  # beside what has more digits the result has them too
        wide = [in_single(one) if isinstance(one, np.ndarray) else one for one in (x, *rest)]
        return converted(kernel(*wide, **named), x.dtype)

    return of_any  # type: ignore[return-value]


@register(half_precision.converted)
def converted(x: Array, dtype: half_precision.DType) -> Array:
    """A copy in another dtype, with its dimensions in the same order."""
    return copied(x, dtype)


_PAIR = np.dtype([("real", np.float16), ("imag", np.float16)])


def real_part(x: Array) -> Array:
    """The real parts of complex numbers, in their memory."""
    return x.view(_PAIR)["real"] if is_complex_half(x.dtype) else x.real


def imaginary_part(x: Array) -> Array:
    """The imaginary parts of complex numbers, in their memory."""
    return x.view(_PAIR)["imag"] if is_complex_half(x.dtype) else x.imag


def is_complex_half(dtype: half_precision.DType) -> bool:
    """Whether it is complex32, of which NumPy does not know the parts."""
    return dtype.isbuiltin == 2 and dtype.itemsize == 4


def is_float8(dtype: half_precision.DType) -> bool:
    """Whether it is one of the eight-bit floating types that ml_dtypes gives NumPy."""
    return dtype.itemsize == 1 and dtype.isbuiltin == 2


def within_float8(x: Array, dtype: half_precision.DType) -> Array:
    """Numbers as a float8 type takes them: float8_e4m3fn, which has no infinity, its greatest for those beyond."""
    return np.clip(x.astype(np.float64), -448.0, 448.0) if dtype.name == "float8_e4m3fn" else x


def root(array: Array) -> Array:
    """The array that owns the memory of ``array``."""
    while isinstance(array.base, (np.ndarray, _Interface)):
        array = array.base.array if isinstance(array.base, _Interface) else array.base
    return array
