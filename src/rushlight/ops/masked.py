"""torch.masked: reductions and normalizations of the elements that a mask lets through.

What is masked out is replaced by the value that does not change the result (0 for a sum, -inf for a maximum), and the
plain function does the rest. A mask is True where elements count, and broadcasts to its input.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.type_limits import iinfo
from ..tensor import Tensor, new_tensor
from .public import module, public

_torch, _functional, _linalg = module("torch"), module("torch.nn.functional"), module("torch.linalg")
_published = public(space="torch.masked", method=False, out=False)


def _axes(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions from 0 in ascending order; all of them for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    ndim = max(ndim, 1)
    axes: list[int] = []
    for one in (dim,) if isinstance(dim, int) else dim:
        axis = one + ndim if one < 0 else +one  # of a bool a number
        if axis in axes:
            raise RuntimeError(f"dim={one} appears multiple times in the list of dims")
        if not 0 <= axis < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {one})")
        axes.append(axis)
    return tuple(sorted(axes))


def _first_axis(dim: Any, ndim: int) -> int:
    axes = _axes(dim, ndim)
    if not axes:
        raise IndexError("tuple index out of range")
    return axes[0]


def _mask_for(input: Any, mask: Any) -> Any:
    """The mask in the shape of its input."""
    if len(mask.shape) > input._array.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask._array.shape != input._array.shape:
        mask = _torch["broadcast_to"](mask, input._array.shape)
    return mask.to(dtypes.bool_)


def _masked(input: Any, mask: Any, identity: Any) -> Any:
    """The input with ``identity(its dtype)`` where the mask is False."""
    dtype = dtypes.of(input._array.dtype)
    if mask is None:
        return input
    where = _mask_for(input, mask)
    fill = new_tensor(np.asarray(identity(dtype)).astype(dtype.numpy))
    if hasattr(input, "_masked_mask"):  # a tensor that carries a mask has a node of its own for this
        return input._filled(where, fill)
    return _torch["where"](where, input, fill)


def _lowest(name: str, highest: bool = False, complex_too: bool = False) -> Any:
    """What does not change a maximum (or, if ``highest``, a minimum)."""

    def identity(dtype: Any) -> Any:
        if dtype.is_floating_point or (complex_too and dtype.is_complex):
            return math.inf if highest else -math.inf
        if dtype is dtypes.bool_:
            raise NotImplementedError(f"identity of {name} on torch.bool input")
        limits = iinfo(dtype)
        return limits.max if highest else limits.min

    return identity


def _zero(dtype: Any) -> int:
    return 0


def _one(dtype: Any) -> int:
    return 1


@_published
def _input_mask(input: Any, *args: Any, mask: Any = None, **kwargs: Any) -> Any:
    """The mask in the shape of its input. ValueError without one."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    return _mask_for(input, mask)


@_published
def _output_mask(op: Callable[..., object], input: Tensor, *args: object, **kwargs: Any) -> Tensor:
    """The mask of what a function of ``torch.masked`` gives: where it finds something that the mask of its input lets through.

    >>> import rushlight as torch
    >>> torch.masked._output_mask(torch.masked.sum, torch.ones(2, 2), dim=1, mask=torch.tensor([[True, False], [False, False]]))
    tensor([ True, False])
    """
    mask, name = _input_mask(input, mask=kwargs.get("mask")), op.__name__
    if name in _SHAPE_KEPT:
        return mask
    rest = args[1:] if name == "norm" else args
    dim = rest[0] if rest else kwargs.get("dim")
    return any_of(mask, dim, kwargs.get("keepdim", False))


_SHAPE_KEPT = frozenset("cumprod cumsum log_softmax normalize softmax softmin".split())


def any_of(mask: Tensor, dim: object, keepdim: bool) -> Tensor:
    """Where a reduction over ``dim`` finds something that its mask lets through."""
    return _torch["any"](mask, _axes(dim, mask._array.ndim), keepdim) if mask._array.ndim else mask


@_published
def _canonical_dim(dim: object, ndim: int) -> tuple[int, ...]:
    """The dimensions that ``dim`` means, from 0 and in ascending order; all of them for None and ().

    >>> import rushlight as torch
    >>> torch.masked._canonical_dim((2, -3), 3)
    (0, 2)
    """
    return _axes(dim, ndim)


@_published
def _reduction_identity(op_name: str, input: Any, *args: Any) -> Any:
    """What does not change a reduction's result, as a tensor of no dimensions; None where there is no such number."""
    dtype = dtypes.of(input._array.dtype)
    op_name = op_name.rpartition(".")[2]
    if op_name in ("mean", "var", "std"):
        return None
    if op_name == "median":
        value, kind = math.nan, (dtype if dtype.is_floating_point else dtypes.get_default_dtype())
    elif op_name == "norm" and args and args[0] == -math.inf:
        value, kind = math.inf, dtype
    elif op_name in _IDENTITIES:
        value, kind = _IDENTITIES[op_name](dtype), dtype
    else:
        raise NotImplementedError(f"identity of {op_name} on {dtype} input")
    return new_tensor(np.asarray(value).astype(kind.numpy))


_IDENTITIES = {
    **dict.fromkeys(("sum", "cumsum", "norm"), _zero),
    **dict.fromkeys(("prod", "cumprod"), _one),
    **{name: _lowest(name) for name in ("amax", "argmax", "logaddexp")},
    **{name: _lowest(name, highest=True) for name in ("amin", "argmin")},
    "logsumexp": _lowest("logsumexp", complex_too=True),
}


def _summed_dtype(input: Any, dtype: Any) -> Any:
    """The dtype of sums and products: int64 for integers."""
    if dtype is not None:
        return dtype
    own = dtypes.of(input._array.dtype)
    return own if own.is_floating_point or own.is_complex else dtypes.int64


# Reductions.


@_published
def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of the elements that ``mask`` lets through, 0 where there is none.

    >>> import rushlight as torch
    >>> torch.masked.sum(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=torch.tensor([[True, False], [False, False]]))
    tensor([1., 0.])
    """
    dtype = _summed_dtype(input, dtype)
    kept = _masked(input, mask, _zero)
    return _torch["sum"](kept, _axes(dim, kept._array.ndim), bool(keepdim), dtype=dtype)


@_published
def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of the elements that ``mask`` lets through, 1 where there is none."""
    dtype = _summed_dtype(input, dtype)
    result = _masked(input, mask, _one).to(dtype)
    for axis in reversed(_axes(dim, result._array.ndim)):
        result = _torch["prod"](result, axis, bool(keepdim))
    return result


@_published
def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The largest element that ``mask`` lets through, -inf (or the least integer) where there is none."""
    kept = _masked(input, mask, _lowest("amax"))
    return _torch["amax"](kept, _axes(dim, kept._array.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


@_published
def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The smallest element that ``mask`` lets through, inf (or the largest integer) where there is none."""
    kept = _masked(input, mask, _lowest("amin", highest=True))
    return _torch["amin"](kept, _axes(dim, kept._array.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


@_published
def argmax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the largest element is that ``mask`` lets through, in the dtype of the input."""
    kept = _masked(input, mask, _lowest("argmax"))
    return _torch["argmax"](kept, dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


@_published
def argmin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the smallest element is that ``mask`` lets through, in the dtype of the input."""
    kept = _masked(input, mask, _lowest("argmin", highest=True))
    return _torch["argmin"](kept, dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


@_published
def logsumexp(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of the sum of exponentials of what ``mask`` lets through, -inf where there is nothing."""
    kept = _masked(input, mask, _lowest("logsumexp", complex_too=True))
    result = _torch["logsumexp"](kept, _axes(dim, kept._array.ndim), keepdim)
    return result.to(input.dtype if dtype is None else dtype)


@_published
def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of the elements that ``mask`` lets through, nan where there is none. ValueError for integers.

    >>> import rushlight as torch
    >>> torch.masked.mean(torch.tensor([1.0, 2.0, 6.0]), 0, mask=torch.tensor([False, True, True]))
    tensor(4.)
    """
    which, chosen = ("Input", input.dtype) if dtype is None else ("Optional", dtype)
    if not (chosen.is_floating_point or chosen.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {which} dtype must be either a floating point or complex dtype. "
            f"Got: {chosen}"
        )
    count = _count(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=chosen, mask=mask) / count


def _count(input: Any, dim: Any, keepdim: bool, mask: Any) -> Any:
    """How many elements count, for each result."""
    if mask is not None:
        return _torch["sum"](_mask_for(input, mask), dim, bool(keepdim))
    ones = new_tensor(np.ones(input._array.shape, np.int64))
    return sum(ones, dim, keepdim=keepdim)


def _variance(input: Any, dim: Any, unbiased: Any, correction: Any, keepdim: bool, dtype: Any, mask: Any, root: bool) -> Any:
    assert unbiased is None or correction is None, "Only one of unbiased and correction may be given"
    less = (1 if unbiased else 0) if unbiased is not None else 1 if correction is None else correction
    chosen = input.dtype if dtype is None else dtype
    if not (chosen.is_floating_point or chosen.is_complex):
        chosen = dtypes.float32
    count = _count(input, dim, True, mask)
    total = sum(input, dim, keepdim=True, dtype=dtype, mask=mask)
    centred = input - total / count
    squares = centred * centred.conj()
    total = sum(squares, dim, keepdim=keepdim, dtype=chosen, mask=mask)
    if not keepdim:
        count = count.reshape(total._array.shape)
    if less != 0:
        count = count.to(chosen.to_real()) - less
        count = _torch["maximum"](count, _torch["zeros_like"](count))
    result = (total / count).to(chosen)
    return result.sqrt() if root else result


@_published
def var(
    input: Any, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The variance of the elements that ``mask`` lets through, divided by their number less ``correction``."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask, False)


@_published
def std(
    input: Any, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """The root of :func:`var`."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask, True)


@_published
def norm(input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The vector norm of the elements that ``mask`` lets through."""

    def identity(own: Any) -> float:
        if ord != -math.inf:
            return 0
        assert own.is_floating_point, f"input must be floating point, got {own}"
        return math.inf

    kept = _masked(input, mask, identity)
    return _linalg["vector_norm"](kept, ord, _axes(dim, kept._array.ndim), bool(keepdim), dtype=dtype)


@_published
def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The median (the lower of two) of what ``mask`` lets through; nan, or ValueError for integers, if there is none."""
    floating = input.dtype.is_floating_point
    wide = input if floating else input.to(dtypes.float32)
    kept = _masked(wide, mask, lambda own: math.nan)
    values = _torch["nanmedian"](kept, _first_axis(dim, kept._array.ndim), keepdim)[0]
    if floating:
        return values
    if np.isnan(values._array).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return values.to(input.dtype if dtype is None else dtype)


@_published
def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    """The logarithm of the sum of two exponentials, each left out where its mask is False."""
    identity = _lowest("logaddexp", complex_too=True)
    first, second = _masked(input, input_mask, identity), _masked(other, other_mask, identity)
    return _torch["logaddexp"](first, second).to(input.dtype if dtype is None else dtype)


# What keeps the shape.


@_published
def cumsum(input: Any, dim: Any, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running sums, in which what ``mask`` leaves out counts as 0."""
    return _running("cumsum", input, dim, dtype, mask, _zero)


@_published
def cumprod(input: Any, dim: Any, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running products, in which what ``mask`` leaves out counts as 1."""
    return _running("cumprod", input, dim, dtype, mask, _one)


def _running(name: str, input: Any, dim: Any, dtype: Any, mask: Any, identity: Any) -> Any:
    chosen = input.dtype if dtype is None else dtype
    axis = _first_axis(dim, input._array.ndim)
    kept = _masked(input, mask, identity)
    if chosen is dtypes.bool_:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return _torch[name](kept, axis, dtype=chosen)


def _soft(name: str, input: Any, dim: Any, dtype: Any, mask: Any, identity: Any) -> Any:
    axis = _first_axis(dim, input._array.ndim)
    kept = _masked(input, mask, identity)
    return _functional[name](kept, axis, dtype=input.dtype if dtype is None else dtype)


@_published
def softmax(input: Any, dim: Any, *, dtype: Any = None, mask: Any = None) -> Any:
    """Softmax over what ``mask`` lets through: 0 for the rest, nan where nothing is left.

    >>> import rushlight as torch
    >>> torch.masked.softmax(torch.zeros(3), 0, mask=torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    return _soft("softmax", input, dim, dtype, mask, _lowest("amax"))


@_published
def log_softmax(input: Any, dim: Any, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of :func:`softmax`: -inf for what ``mask`` leaves out."""
    return _soft("log_softmax", input, dim, dtype, mask, _lowest("amax"))


@_published
def softmin(input: Any, dim: Any, *, dtype: Any = None, mask: Any = None) -> Any:
    """:func:`softmax` of the negative."""
    return _soft("softmin", input, dim, dtype, mask, _lowest("amin", highest=True))


@_published
def normalize(input: Any, ord: Any, dim: Any, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    """Divided by the norm of what ``mask`` lets through, or by ``eps`` if that is larger; 0 for the rest."""
    kept = _masked(input, mask, _zero)
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    least = new_tensor(np.asarray(eps).astype(size._array.dtype))
    return kept / _torch["maximum"](size, least)
