"""torch.masked: reductions and normalizations of what a mask lets through.

All are compositions: what the mask stops is replaced by the number that changes nothing, then comes the ordinary op.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from . import dispatch
from .public import axes_of, module, ops, public

SPACE = "torch.masked"
torch = module("torch")


def _publish(function: Callable[..., Any]) -> Callable[..., Any]:
    return public(space=SPACE, out=False)(function)


def _identity(name: str, input: Any) -> Any:
    """The number that the op is not changed by."""
    dtype = input.dtype
    if name in ("sum", "cumsum", "norm", "mean"):
        return 0
    if name in ("prod", "cumprod"):
        return 1
    if name in ("median",):
        return math.nan
    least = name in ("amax", "argmax", "logaddexp", "logsumexp", "softmax", "log_softmax")
    if dtype.is_floating_point or dtype.is_complex:
        return -math.inf if least else math.inf
    if dtype is dtypes.bool_:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    info = dtypes.iinfo(dtype)
    return info.min if least else info.max


def _seen(input: Any, mask: Any) -> Any:
    """The mask as bool in the shape of the input."""
    if mask._array.ndim > input._array.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask._array.shape != input._array.shape:
        mask = mask.expand(input._array.shape)
    return mask if mask._array.dtype.kind == "b" else ops.astype(mask, np.dtype(bool))


def _filled(input: Any, mask: Any, name: str, identity: Any = None) -> Any:
    if mask is None:
        return input
    value = _identity(name, input) if identity is None else identity
    dtype = input._array.dtype if not isinstance(value, float) or input._array.dtype.kind in "fcV" else np.dtype(np.float32)
    return torch["where"](_seen(input, mask), input, dispatch.new_tensor(np.asarray(value).astype(dtype)))


def _axes(dim: Any, input: Any) -> tuple[int, ...]:
    """All dimensions for None and for an empty list; 0-dim tensors have one."""
    ndim = input._array.ndim
    if isinstance(dim, (tuple, list)) and len({one % max(ndim, 1) for one in dim}) != len(dim):
        doubled = next(one for place, one in enumerate(dim) if one in dim[:place])
        raise RuntimeError(f"dim={doubled} appears multiple times in the list of dims")
    return axes_of(dim, ndim)


def _whole(dtype: Any, input: Any) -> Any:
    """The dtype of sums and products: int64 for integers."""
    if dtype is not None:
        return dtype
    return dtypes.int64 if input._array.dtype.kind in "biu" else input.dtype


def _to(input: Any, dtype: Any) -> Any:
    return input if dtype is None or input.dtype is dtype else ops.astype(input, dtype.numpy)


@_publish
def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of what the mask lets through.

    >>> import rushlight as torch
    >>> torch.masked.sum(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    values, dtype = _filled(input, mask, "sum"), _whole(dtype, input)
    return ops.sum(values, _axes(dim, input), bool(keepdim), dtype.numpy if dtype is not input.dtype else None)


@_publish
def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of what the mask lets through."""
    values, dtype = _filled(input, mask, "prod"), _whole(dtype, input)
    if not input._array.ndim:
        return torch["prod"](values, dtype=dtype)
    for axis in sorted(_axes(dim, input), reverse=True):
        values = torch["prod"](values, axis, bool(keepdim))
    return _to(values, dtype)


def _running(name: str, doc: str) -> None:
    def running(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        return torch[name](_filled(input, mask, name), dim, dtype=_whole(dtype, input))

    running.__name__ = running.__qualname__ = name
    running.__doc__ = doc
    _publish(running)


_running("cumsum", "Running sums of what the mask lets through.")
_running("cumprod", "Running products of what the mask lets through.")


def _extreme(name: str, doc: str) -> None:
    def extreme(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
        if input._array.dtype.kind == "c":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        _identity(name, input)
        return _to(torch[name](_filled(input, mask, name), _axes(dim, input), bool(keepdim)), dtype)

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = doc
    _publish(extreme)


_extreme("amax", "The largest of what the mask lets through.")
_extreme("amin", "The smallest of what the mask lets through.")


def _place(name: str, doc: str) -> None:
    def place(input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
        _identity(name, input)
        found = torch[name](_filled(input, mask, name), dim, bool(keepdim))
        return _to(found, input.dtype if dtype is None else dtype)

    place.__name__ = place.__qualname__ = name
    place.__doc__ = doc
    _publish(place)


_place("argmax", "Where the largest of what the mask lets through is, in the dtype of the input.")
_place("argmin", "Where the smallest of what the mask lets through is, in the dtype of the input.")


def _count(input: Any, axes: tuple[int, ...], keepdim: bool, mask: Any) -> Any:
    """How many elements the mask lets through."""
    if mask is None:
        seen = dispatch.new_tensor(np.ones(input._array.shape, np.int64))
    else:
        seen = ops.astype(_seen(input, mask), np.dtype(np.int64))
    return ops.sum(seen, axes, keepdim)


@_publish
def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of what the mask lets through; nan where that is nothing."""
    given = input.dtype if dtype is None else dtype
    if not (given.is_floating_point or given.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {given}"
        )
    axes = _axes(dim, input)
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / _count(input, axes, bool(keepdim), mask)


@_publish
def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The middle one of what the mask lets through (the lower of two)."""
    given = input.dtype if dtype is None else dtype
    values = _to(_filled(input, mask, "median"), dtype)
    if values._array.dtype.kind not in "fV":
        values = ops.astype(values, np.dtype(np.float32))
    found = torch["nanmedian"](values, dim, bool(keepdim)).values
    if not given.is_floating_point and np.isnan(found._array).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return _to(found, given)


@_publish
def norm(input: Any, ord: float = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The norm of what the mask lets through."""
    fill = math.inf if ord == -math.inf else 0
    values = _filled(input, mask, "norm", fill)
    return module("torch.linalg")["vector_norm"](values, ord, _axes(dim, input), bool(keepdim), dtype=dtype)


def _spread(input: Any, dim: Any, unbiased: Any, correction: Any, keepdim: bool, dtype: Any, mask: Any, root: bool) -> Any:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0 if unbiased is False else 1
    if dtype is None:
        dtype = dtypes.get_default_dtype() if input._array.dtype.kind in "biu" else input.dtype
    axes = _axes(dim, input)
    count = _count(input, axes, True, mask)
    center = ops.sum(_filled(input, mask, "sum"), axes, True) / count
    off = input - center
    squares = off * (off.conj() if off.dtype.is_complex else off)
    total = ops.sum(_filled(squares, mask, "sum"), axes, bool(keepdim))
    if not keepdim:
        count = count.reshape(total._array.shape)
    if correction != 0:
        count = torch["clamp"](count - correction, min=0)
    out = _to(total / count, dtype)
    return ops.sqrt(out) if root else out


@_publish
def var(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The variance of what the mask lets through."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, False)


@_publish
def std(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The standard deviation of what the mask lets through."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask, True)


def _normalizer(name: str, doc: str) -> None:
    def normalizer(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        values = _filled(input, mask, name)
        return module("torch.nn.functional")[name](values, dim, dtype=dtype)

    normalizer.__name__ = normalizer.__qualname__ = name
    normalizer.__doc__ = doc
    _publish(normalizer)


_normalizer("softmax", "Softmax among what the mask lets through; zero elsewhere.")
_normalizer("log_softmax", "The logarithm of softmax among what the mask lets through; -inf elsewhere.")
_normalizer("softmin", "Softmax of the negated input among what the mask lets through; zero elsewhere.")


@_publish
def normalize(input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    """What the mask lets through over its norm (at least ``eps``); zero elsewhere."""
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    least = dispatch.new_tensor(np.asarray(eps).astype(size._array.dtype))
    return _filled(input, mask, "norm", 0) / ops.maximum(size, least)


@_publish
def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    """log(exp(input) + exp(other)), where what a mask stops counts as exp(-inf)."""
    a, b = _filled(input, input_mask, "logaddexp"), _filled(other, other_mask, "logaddexp")
    return _to(torch["logaddexp"](a, b), input.dtype if dtype is None else dtype)


@_publish
def logsumexp(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """log(sum(exp(x))) of what the mask lets through."""
    found = torch["logsumexp"](_filled(input, mask, "logsumexp"), _axes(dim, input), bool(keepdim))
    return _to(found, input.dtype if dtype is None else dtype)
