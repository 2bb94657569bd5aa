"""Ops that read and write by an index of the tensor's own shape: gather, and scatter in its kinds."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..backend import index as k
from ..backend.checked_convert import checked_number
from ..backend.flat_indices import check_along
from ..tensor import Tensor, new_tensor
from .operands import sizes_in_front
from .public import axis_of, ops, public, warn
from .rule_functions import underivable
from .table import op

op("gather", k.gather, inputs="index", kind="linear",
   # As in PyTorch the input is kept, although its shape would do: that it was changed since is an error there.
   x=lambda g, xp, x, index, axis: xp.gather_adjoint(g, index, tuple(x.shape), axis))  # fmt: skip
op("gather_adjoint", k.gather_adjoint, inputs="index", node="GatherBackwardBackward0", kind="linear",
   g=lambda g, xp, index, axis: xp.gather(g, index, axis))  # fmt: skip
op("scatter", k.scatter, inputs="index", kind="linear",
   x=lambda g, xp, index, axis, src_shape: xp.scatter(g, xp.full_like_shape(g, index.shape), index, axis),
   src=lambda g, xp, index, axis, src_shape: _padded(xp.gather(g, index, axis), xp, src_shape))  # fmt: skip
op("scatter_value", lambda x, index, axis, value: k.scatter(x, np.full(index.shape, value, x.dtype), index, axis),
   inputs="index", node="ScatterBackward1",
   x=lambda g, xp, index, axis: xp.scatter(g, xp.full_like_shape(g, index.shape), index, axis))  # fmt: skip
op("scatter_add", k.scatter_add, inputs="index", kind="linear", x=lambda g: g,
   src=lambda g, xp, index, axis, src_shape: _padded(xp.gather(g, index, axis), xp, src_shape))  # fmt: skip
op("scatter_reduce", k.scatter_reduce, inputs="index",
   x=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_x(
       g, xp, x, src, index, axis, reduce, include_self, out),
   src=lambda g, xp, x, src, index, axis, reduce, include_self, out: scatter_reduce_src(
       g, xp, x, src, index, axis, reduce, include_self, out))  # fmt: skip
op(
    "scatter_reducing",
    lambda x, src, index, axis, reduce, called: k.scatter_reduce(x, src, index, axis, reduce, True),
    inputs="index",
    node="NotImplemented",
    x=lambda g, called: underivable(called),
    src=lambda g, called: underivable(called),
)


op("delayed_error", lambda x, message: np.positive(x), node="Error", x=lambda g, message: _fail(message))


def _fail(message: str) -> NoReturn:
    raise RuntimeError(message)


def _padded(g: Any, xp: Any, shape: tuple[int, ...]) -> Any:
    """Zeros behind what was gathered, where src was larger than the index."""
    if 0 in g.shape:
        return xp.full_like_shape(g, shape)
    if len(g.shape) < len(shape):
        g = xp.view(g, (1,))
    for axis, size in enumerate(shape):
        if g.shape[axis] != size:
            g = xp.embed_slice(g, (*g.shape[:axis], size, *g.shape[axis + 1 :]), axis, 0, g.shape[axis], 1)
    return g


def _ones_at(g: Any, xp: Any, x: Any, index: Any, axis: int, include_self: bool) -> Any:
    """How many values met at each place."""
    one = xp.full_like_shape(x, tuple(index.shape)) + 1
    base = xp.full_like_shape(x, tuple(x.shape))
    if include_self:
        return xp.scatter_add(base + 1, one, index, axis)
    count = xp.scatter_add(base, one, index, axis)
    return count + (count == 0)


_OLDER = ("max", "min")


def underivable_reduction(reduce: str) -> RuntimeError:
    """PyTorch computes by the older names of amax and amin, and has no derivative by them."""
    return RuntimeError(f"Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got {reduce}.")


def scatter_reduce_x(
    g: Any, xp: Any, x: Any, src: Any, index: Any, axis: int, reduce: str, include_self: bool, out: Any
) -> Any:
    if reduce in _OLDER:
        raise underivable_reduction(reduce)
    if reduce in ("amax", "amin"):
        equal_x, equal_src = x == out, src_equal(xp, src, out, index, axis)
        ties = _ties(g, xp, equal_x, equal_src, index, axis)
        grad = g / ties * equal_x
    elif reduce == "prod":
        masked = xp.where(x == 0, x * 0 + 1, x)
        grad = g * xp.scatter_reduce(masked, src, index, axis, "prod", True) / masked
    elif reduce == "mean":
        grad = g / _ones_at(g, xp, x, index, axis, include_self)
    else:
        grad = g
    if include_self:
        return grad
    return xp.scatter(grad, xp.full_like_shape(g, tuple(index.shape)), index, axis)


def _ties(g: Any, xp: Any, equal_x: Any, equal_src: Any, index: Any, axis: int) -> Any:
    """How many values share a place. As in PyTorch, x is one of them whether it was included or not, and nan is none."""
    own = xp.full_like_shape(g, tuple(g.shape)) + equal_x
    return xp.scatter_add(own, xp.full_like_shape(g, tuple(index.shape)) + equal_src, index, axis)


def src_equal(xp: Any, src: Any, out: Any, index: Any, axis: int) -> Any:
    """Where a value of src is the one that was kept."""
    return xp.gather(out, index, axis) == _cut(xp, src, tuple(index.shape))


def _cut(xp: Any, src: Any, shape: tuple[int, ...]) -> Any:
    for axis, size in enumerate(shape[: len(src.shape)]):
        if src.shape[axis] != size:
            src = xp.slice(src, axis, 0, size, 1)
    return src


def scatter_reduce_src(
    g: Any, xp: Any, x: Any, src: Any, index: Any, axis: int, reduce: str, include_self: bool, out: Any, by_index: bool = False
) -> Any:
    part = _cut(xp, src, tuple(index.shape))
    if reduce in _OLDER:
        raise underivable_reduction(reduce)
    if reduce in ("amax", "amin"):
        equal_x, equal_src = x == out, src_equal(xp, src, out, index, axis)
        ties = _ties(g, xp, equal_x, equal_src, index, axis)
        grad = xp.gather(g / ties, index, axis) * equal_src
    elif reduce == "prod":
        zero = part == 0
        zeros = xp.gather(xp.scatter_add(x * 0, zero + 0 * part, index, axis), index, axis)
        masked = xp.where(zero, part * 0 + 1, part)
        start = x if include_self else x * 0 + 1
        without = xp.scatter_reduce(start, masked, index, axis, "prod", True)
        single = xp.where((zeros == 1) & zero, xp.gather(without, index, axis), part * 0)
        plain = xp.gather(out, index, axis) / masked
        grad = xp.gather(g, index, axis) * xp.where(zero, single, plain)
        if bool((zeros > 1).any()):
            name, values = ("index_reduce", "source") if by_index else ("scatter_reduce", "src")
            grad = xp.delayed_error(
                grad,
                f"{name}(): Double backward is unsupported for {values} when >1 zeros in {values} are scattered to the same "
                "position in self",
            )
    elif reduce == "mean":
        grad = xp.gather(g / _ones_at(g, xp, x, index, axis, include_self), index, axis)
    else:
        grad = xp.gather(g, index, axis)
    return _padded(grad, xp, tuple(src.shape))


def _check_index(name: str, index: Tensor) -> None:
    if index._array.dtype.kind != "i" or index._array.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _check_scatter(input: Tensor, index: Tensor, axis: int, src: Tensor | None = None) -> None:
    """What is asked of an index but for its numbers; errors name ``scatter`` in all its kinds."""
    if index._array.size:
        _check_index("scatter", index)
    x, i = input._array, index._array
    lead = sizes_in_front([input, index] if src is None else [input, index, src])
    if src is not None and src._array.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if i.size == 0 or 0 in lead:
        return
    if max(i.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    sizes, own = lead + (i.shape or (1,)), lead + (x.shape or (1,))
    axis += len(lead)
    too_large = any(size > have and place != axis for place, (size, have) in enumerate(zip(sizes, own, strict=True)))
    if src is not None:
        given = lead + (src._array.shape or (1,))
        for place, size in enumerate(() if too_large else sizes):
            have = given[place] if place < len(given) else 1
            if place >= len(given) and (
                lead or src._array.ndim
            ):  # PyTorch asks src for its size before it knows how many it has
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [-{len(given)}, {len(given) - 1}], but got {place})"
                )
            if size > have:
                too_large = True
                break
        if len(given) != len(sizes):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if too_large:
        shown = [list(sizes), list(own)] if lead else [list(i.shape), list(x.shape)]
        expected = f"Expected index {shown[0]} to be no larger than self {shown[1]} apart from dimension {axis}"
        if src is not None:
            expected += f" and to be no larger size than src {list(given) if lead else list(src._array.shape)}"
        raise RuntimeError(expected)


def _check_places(input: Tensor, index: Tensor, axis: int, src: object = None) -> None:
    if index._array.size:
        lead = sizes_in_front([one for one in (input, index, src) if isinstance(one, Tensor)])
        check_along(index._array, input._array.shape[axis] if input._array.ndim else 1, axis + len(lead))


@public()
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Tensor:
    """For each place of ``index`` the element of ``input`` that it names along ``dim``.

    >>> import rushlight as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    axis = axis_of(dim, input._array.ndim)
    x, i = input._array, index._array
    if i.size:
        _check_index("gather", index)
        if i.ndim != x.ndim and (i.ndim or 1) != (x.ndim or 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        have = x.shape or i.shape
        for place, size in enumerate(i.shape):
            if size > have[place] and place != axis:
                raise RuntimeError(
                    f"Size does not match at dimension {place} expected index {list(i.shape)} to be no larger than self "
                    f"{list(x.shape)} apart from dimension {axis}"
                )
        if not x.ndim:  # the kernel looks at others
            check_along(i, 1, axis)
    return ops.gather(input, index, axis)


def _scatter_(
    input: Tensor, dim: int, index: Tensor, src: object = None, *, value: object = None, reduce: str | None = None
) -> Tensor:
    """What scatter_ puts into a tensor: where it reduces it has no derivative, and says whose."""
    return _scattered(input, dim, index, src, value, reduce, "scatter_")


@public(inplace=_scatter_)
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
    """A copy with elements of ``src`` (or one value) put where ``index`` says along ``dim``."""
    return _scattered(input, dim, index, src, value, reduce, "scatter")


def _scattered(input: Tensor, dim: int, index: Tensor, src: object, value: object, reduce: str | None, called: str) -> Tensor:
    axis = axis_of(dim, input._array.ndim)
    number = None if isinstance(src, Tensor) else value if src is None else src
    _check_scatter(input, index, axis, src if isinstance(src, Tensor) else None)
    if reduce is not None:
        if isinstance(src, Tensor):
            warn(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
                "release. Use torch.scatter_reduce instead for more reduction options.",
                once=True,
            )
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
    _check_places(input, index, axis, src)
    if not isinstance(src, Tensor):
        number = checked_number(number, input._array) if index._array.size else 0
    if reduce is not None:
        if not isinstance(src, Tensor):
            src = new_tensor(np.full(index._array.shape, number, input._array.dtype))
        return ops.scatter_reducing(input, src, index, axis, "sum" if reduce == "add" else "prod", called)
    return ops.scatter(input, src, index, axis) if isinstance(src, Tensor) else ops.scatter_value(input, index, axis, number)


@public(inplace=True)
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Tensor:
    """A copy with elements of ``src`` added where ``index`` says along ``dim``."""
    axis = axis_of(dim, input._array.ndim)
    _check_scatter(input, index, axis, src)
    _check_places(input, index, axis, src)
    return ops.scatter_add(input, src, index, axis)


@public(inplace=True)
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """A copy in which elements of ``src`` meet by sum, prod, mean, amax or amin where ``index`` says."""
    axis = axis_of(dim, input._array.ndim)
    _check_scatter(input, index, axis, src)
    if reduce not in ("sum", "prod", "mean", "amax", "amin", *_OLDER):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if index._array.size and reduce not in ("sum", "prod"):
        kind = input._array.dtype.kind
        if kind == "b" if reduce == "mean" else kind == "c":
            raise NotImplementedError(
                f"\"scatter_gather_tensor_cpu_reduce_{'a' * (reduce in _OLDER)}{reduce}\" not implemented for '{input.dtype.scalar_name}'"
            )
    _check_places(input, index, axis, src)
    return ops.scatter_reduce(input, src, index, axis, reduce, include_self)
