"""Small words that rules use, for arrays and Tensors alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from numpy import asarray, float32, float64, ndarray
from numpy import dtype as numpy_dtype

from .table import arrays, tensors

Read = TypeVar("Read")
REAL = frozenset("efdEbBhHiIlLqQ?")  # type characters of NumPy's dtypes that are not complex
_SINGLE = numpy_dtype(float32)
_REAL_NUMBERS = frozenset((float32, float64, float, int))


def word(name: str, over_arrays: Callable[..., Any], over_tensors: Callable[..., Any]) -> None:
    """Gives rules a word beside the ops: ``xp.<name>``."""
    setattr(arrays, name, over_arrays)
    setattr(tensors, name, over_tensors)


def conj(value: Any) -> Any:
    """The complex conjugate of an array, a Tensor or a number; real values as they are."""
    kind = value.__class__
    if kind is ndarray:
        dtype = value.dtype
        return value if dtype is _SINGLE or dtype.char in REAL else value.conj()
    if kind in _REAL_NUMBERS:
        return value
    if isinstance(value, (float, int, complex)):
        return value.conjugate()
    return value.conj() if getattr(value, "_array", value).dtype.kind == "c" else value


def by_number(g: Read, number: complex) -> Read:
    """``g`` times a number, which an array of two-byte numbers meets in single precision."""
    if isinstance(g, ndarray) and g.itemsize == 2:
        return arrays.times(g, number)
    return g * number  # type: ignore


def number_over(number: complex, x: Read) -> Read:
    """A number over ``x``, in whose dtype an array of two-byte numbers meets it."""
    return (asarray(number).astype(x.dtype) if isinstance(x, ndarray) and x.itemsize == 2 else number) / x  # type: ignore


def underivable(name: str) -> NoReturn:
    """The rule of what has no derivative although its results are recorded."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def refusal(name: str) -> Callable[[object], NoReturn]:
    """The rule for an input of which PyTorch has no derivative: an error, also where no gradient arrives."""

    def rule(g: object) -> NoReturn:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    rule.refuses = True  # type: ignore[attr-defined]
    return rule


def expand(g: Any, axis: int | tuple[int, ...] | None, keepdims: bool, ndim: int) -> Any:
    """Puts reduced axes back with size 1, so that ``g`` broadcasts against what was reduced."""
    if keepdims or (axis is None and not ndim):
        return g
    axes = range(ndim) if axis is None else ((axis,) if isinstance(axis, int) else axis)
    dims = sorted(one % ndim for one in axes) if ndim else ()
    if g.__class__ is not ndarray and axis is not None and hasattr(g, "unsqueeze"):  # a Tensor, as PyTorch's graphs have it
        for one in dims:
            g = g.unsqueeze(one)
        return g
    shape = list(g.shape)
    for one in dims:
        shape.insert(one, 1)
    return g.reshape(tuple(shape))


def all_numbers(tensor: Any) -> Any:
    """The array behind a tensor: of all examples, where it is one of a batch."""
    while tensor._of_batch:
        tensor = tensor.whole
    return tensor._array


def checked(check: Callable[..., None], tensor: object, name: str) -> None:
    """Has ``check`` refuse what does not fit, by all numbers of a tensor."""
    check(all_numbers(tensor), name)


def is_complex(value: Any) -> bool:
    """Whether an array or a Tensor is complex."""
    return bool(getattr(value, "_array", value).dtype.kind == "c")


def in_rows(strides: tuple[int, ...]) -> bool:
    """Whether what lay so in memory lay row after row, whatever gaps there were."""
    return len(strides) < 2 or list(strides) == sorted(strides, reverse=True)


def in_columns(strides: tuple[int, ...], g: Any, rows: int) -> bool:
    """Whether a factor lies column after column in memory, as the transpose of a layer's weight does: by a product of transposes its
    gradient lies so too, as in PyTorch."""
    return strides[0] == g.itemsize and strides[1] == rows * strides[0]
