"""Functions of the Python Array API that make one number of several: sums, extremes, running sums and the like."""

from __future__ import annotations

import builtins
from collections.abc import Callable

import rushlight as torch
from rushlight import Tensor, dtype

from .dtypes import isdtype

Axes = int | tuple[int, ...]


def axes_of(x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    """The axes to reduce, counted from the front."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int) else axis
    if builtins.any(not -x.ndim <= one < x.ndim for one in axes):
        raise IndexError(f"axis {axis} is out of bounds for an array of {x.ndim} dimensions")
    return tuple(one % x.ndim for one in axes)


def sums_in(x: Tensor, chosen: dtype | None) -> dtype:
    """The dtype of sums: integers and truths are summed in 64 bits unless another is chosen."""
    if chosen is not None:
        return chosen
    if x.dtype == torch.bool:
        return torch.int64
    if isdtype(x.dtype, "unsigned integer"):
        return torch.uint64
    return torch.int64 if isdtype(x.dtype, "signed integer") else x.dtype


def _wide(x: Tensor, chosen: dtype | None) -> Tensor:
    """``x`` as its sums are computed; PyTorch computes none in uint64, whose bits are those of int64."""
    wanted = sums_in(x, chosen)
    return x.to(torch.int64 if wanted == torch.uint64 else wanted)


def sum(x: Tensor, /, *, axis: Axes | None = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Sums along axes; integers are summed in 64 bits."""
    axes = axes_of(x, axis)
    wide = _wide(x, dtype)
    return (torch.sum(wide, axes, keepdims, dtype=wide.dtype) if axes else wide.clone()).to(sums_in(x, dtype))


def prod(x: Tensor, /, *, axis: Axes | None = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Products along axes; integers are multiplied in 64 bits."""
    out = _wide(x, dtype).clone()
    for one in sorted(axes_of(x, axis), reverse=True):
        out = torch.prod(out, one, keepdims, dtype=out.dtype)
    return out.to(sums_in(x, dtype))


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Means along axes."""
    axes = axes_of(x, axis)
    return torch.mean(x, axes, keepdims) if axes else x.clone()


def var(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variances along axes: squares of what is off the mean, divided by their number less ``correction``."""
    axes = axes_of(x, axis)
    return torch.var(
        x if axes else x[..., None], axes or (-1,), correction=correction, keepdim=keepdims and builtins.bool(axes)
    )


def std(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Roots of variances."""
    return torch.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _extreme(
    x: Tensor, axis: Axes | None, keepdims: bool, reduced: Callable[[Tensor, tuple[int, ...], bool], Tensor]
) -> Tensor:
    axes = axes_of(x, axis)
    return reduced(x, axes, keepdims) if axes else x.clone()


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest along axes."""
    return _extreme(x, axis, keepdims, torch.amax)


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest along axes."""
    return _extreme(x, axis, keepdims, torch.amin)


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether everything along axes is true."""
    return _extreme(x.to(torch.bool), axis, keepdims, torch.all)


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether something along axes is true."""
    return _extreme(x.to(torch.bool), axis, keepdims, torch.any)


def count_nonzero(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """How many along axes are not zero."""
    return sum(torch.ne(x, 0).to(torch.int64), axis=axis, keepdims=keepdims)


def _place(x: Tensor, axis: int | None, keepdims: bool, found: Callable[[Tensor, int, bool], Tensor]) -> Tensor:
    if axis is not None:
        return found(x, axis, keepdims)
    place = found(x.flatten(), 0, False)
    return place.reshape((1,) * x.ndim) if keepdims else place


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest is along an axis, or among all."""
    return _place(x, axis, keepdims, torch.argmax)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest is along an axis, or among all."""
    return _place(x, axis, keepdims, torch.argmin)


def _running(
    x: Tensor,
    axis: int | None,
    dtype: dtype | None,
    begin: int | None,
    running: Callable[[Tensor, int], Tensor],
) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis must be given for an array that has not one dimension")
        axis = 0
    out = running(_wide(x, dtype), axis)
    if begin is not None:
        shape = list(x.shape)
        shape[axis] = 1
        out = torch.cat([torch.full(shape, begin, dtype=out.dtype), out], axis)
    return out.to(sums_in(x, dtype))


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Running sums along an axis, behind a 0 where the initial one is included.

    >>> import rushlight as torch
    >>> from rushlight.array_api import cumulative_sum
    >>> cumulative_sum(torch.tensor([1.0, 2.0, 4.0]), include_initial=True)
    tensor([0., 1., 3., 7.])
    """
    return _running(x, axis, dtype, 0 if include_initial else None, torch.cumsum)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Running products along an axis, behind a 1 where the initial one is included."""
    return _running(x, axis, dtype, 1 if include_initial else None, torch.cumprod)


def diff(x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """What each element is more than the one before it, ``n`` times over."""
    return torch.diff(x, n, axis, prepend, append)
