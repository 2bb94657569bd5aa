"""Ops that take parts of a tensor, as views: one index, a slice, windows, a diagonal, all pieces along a dimension.

The rule of each puts the cotangent of a part back among zeros (``embed_slice``), whose own rule takes the part again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..backend import shape as k
from ..tensor import Tensor, new_tensor
from .integer_arguments import whole_number, whole_numbers
from .operands import no_such_form, of_several, refuse_scalar
from .parameters import is_index
from .public import axis_of, ops, public
from .table import arrays, op, table

op("select", k.select, kind="linear", view=True,
   x=lambda g, xp, x_shape, axis, index: xp.embed_select(g, x_shape, axis, index))  # fmt: skip
op("embed_select", k.embed_select, node="SelectBackwardBackward0", kind="linear",
   g=lambda g, xp, axis, index: xp.select(g, axis, index))  # fmt: skip
op("slice", k.slice_, kind="linear", view=True,
   x=lambda g, xp, x_shape, axis, start, stop, step: xp.embed_slice(g, x_shape, axis, start, stop, step))  # fmt: skip
op("embed_slice", k.embed_slice, node="SliceBackwardBackward0", kind="linear",
   g=lambda g, xp, axis, start, stop, step: xp.slice(g, axis, start, stop, step))  # fmt: skip
op("diagonal", k.diagonal, kind="linear", view=True,
   x=lambda g, xp, x_shape, offset, axis1, axis2: xp.embed_diagonal(g, x_shape, offset, axis1, axis2))  # fmt: skip
op("embed_diagonal", k.embed_diagonal, node="DiagonalBackwardBackward0", kind="linear",
   g=lambda g, xp, offset, axis1, axis2: xp.diagonal(g, offset, axis1, axis2))  # fmt: skip
op("unfold", k.unfold, kind="linear", view=True,
   x=lambda g, xp, x_shape, axis, size, step: xp.fold_windows(g, x_shape, axis, size, step))  # fmt: skip
op("fold_windows", k.fold_windows, node="UnfoldBackwardBackward0", kind="linear",
   g=lambda g, xp, axis, size, step: xp.unfold(g, axis, size, step))  # fmt: skip
op("unbind", k.unbind, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, axis: xp.stack(
       filled(g, xp, itertools.repeat(without(x_shape, axis)), x_dtype), axis))  # fmt: skip
op("split", k.split, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, sizes, axis: xp.concat(
       filled(g, xp, (with_size(x_shape, axis, size) for size in sizes), x_dtype), axis))  # fmt: skip
op("split_with_sizes", k.split, outputs="*", kind="linear", view=True, x=table["split"].rules["x"])


def without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def with_size(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def filled(g: Any, xp: Any, shapes: Iterable[tuple[int, ...]], dtype: Any) -> list[Any]:
    """A list of cotangents, with zeros of its shape where none arrived."""
    for part in g:
        if part is None:
            break
    else:
        return g
    zeros = np.zeros if xp is arrays else lambda shape, dtype: new_tensor(np.zeros(shape, dtype))
    return [zeros(shape, dtype) if part is None else part for part, shape in zip(g, shapes, strict=False)]


@public()
def select(input: Any, dim: Any, index: int) -> Tensor:
    """The slice at ``index`` of dimension ``dim``, which disappears."""
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if index.__class__ is not int:
        index = whole_number("select", "index", 3, index)
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._array.shape)} at dimension {axis}"
        )
    return ops.select(input, axis, index if index >= 0 else index + size)


@public()
def unbind(input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """All slices along ``dim``, as views."""
    if of_several(input):
        refuse_scalar(input, IndexError())
    axis = axis_of(dim, input._array.ndim)  # of a number PyTorch asks first whether the dimension may be one
    return ops.unbind(input, axis_of(axis if input._array.ndim else dim, input._array.ndim, wrap_scalar=False))


@public()
def narrow(input: Any, dim: int, start: Any, length: int) -> Tensor:
    """``length`` entries from ``start`` along ``dim``, as a view."""
    if length.__class__ is not int and not is_index(length):
        raise TypeError  # which is then said in PyTorch's words
    if length < 0 and input._array.ndim:
        raise RuntimeError("narrow(): length must be non-negative.")
    axis, begin = narrowed_from(input, dim, start, length)
    return ops.slice(input, axis, begin, begin + length, 1)


def narrowed_from(input: Any, dim: int, start: Any, length: int) -> tuple[int, int]:
    """The axis and the beginning, both not negative; PyTorch's errors where ``length`` entries are not there."""
    if not input._array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
    elif start.__class__ is not int and not is_index(start):
        raise TypeError  # which is then said in PyTorch's words
    begin = int(start)
    if not -size <= begin <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
    begin += size if begin < 0 else 0
    if begin + length > size or begin + length < 0:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return axis, begin


def _split_equal(input: Any, split_size: int, dim: int) -> Any:
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if split_size == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    if not size:
        return ops.split(input, (0,), axis)
    full, rest = divmod(size, split_size)
    return ops.split(input, (split_size,) * full + ((rest,) if rest else ()), axis)


@public(out=False, method=False)
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of equal size (the last may be smaller), or of the given sizes, along ``dim``."""
    if not isinstance(tensor, Tensor):
        return tensor.split(split_size_or_sections, dim)
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    whole_numbers("split_with_sizes", "split_sizes", 2, split_size_or_sections)
    refuse_scalar(tensor, RuntimeError("split expects at least a 1-dimensional tensor"))
    return _split_equal(tensor, int(split_size_or_sections), dim)


@public("split", out=False, function=False)
def _split_by_method(self: Any, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of equal size (the last may be smaller), or of the given sizes, along ``dim``."""
    return split(self, split_size, dim)


@public()
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the given sizes along ``dim``."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    sizes = whole_numbers("split_with_sizes", "split_sizes", 2, split_sizes, single=False)
    if any(one < 0 for one in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {axis}), but got "
            f"split_sizes={list(sizes)}"
        )
    return ops.split_with_sizes(input, sizes, axis)


def _check_count(count: int) -> None:
    """PyTorch's errors where there is no memory for so many parts."""
    try:
        np.empty(count, np.int64)  # as many bytes as PyTorch takes for them, which are not touched
    except ValueError:
        raise RuntimeError("cannot create std::vector larger than max_size()") from None
    except MemoryError:
        raise RuntimeError("std::bad_alloc") from None


@public()
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most ``chunks`` views of equal size (the last may be smaller) along ``dim``."""
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks.__class__ is not int:
        chunks = whole_number("chunk", "chunks", 1, chunks)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if chunks > 0x7FFFFFFFFFFFFFFF:
        raise ValueError("Overflow when unpacking long long")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    each = -(-size // chunks)
    if not each:
        _check_count(chunks)
        return ops.split_with_sizes(input, (0,) * chunks, axis)
    return _split_equal(input, each, axis)


@public()
def tensor_split(
    input: Any, tensor_indices_or_sections: Any = None, dim: int = 0, *, indices: object = None, sections: object = None
) -> tuple[Tensor, ...]:
    """Views between the given indices, or a number of views of as equal a size as can be.

    >>> import rushlight as torch
    >>> torch.tensor_split(torch.arange(5), sections=2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    given = [one for one in (tensor_indices_or_sections, indices, sections) if one is not None]
    if len(given) != 1:
        raise no_such_form("tensor_split", (input, *given))
    indices_or_sections: Any = given[0]
    if not input._array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        array = indices_or_sections._array
        if array.dtype != np.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{indices_or_sections.dtype.scalar_name}"
            )
        if array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got "
                f"a tensor with {array.ndim} dims"
            )
        indices_or_sections = array.tolist()
    bounds: Iterable[int]
    if isinstance(indices_or_sections, (tuple, list)):
        inner = [int(index) for index in indices_or_sections]
        bounds = [0, *inner, size]
    elif not hasattr(indices_or_sections, "__index__"):
        raise TypeError  # which is then said in PyTorch's words
    else:
        sections = int(indices_or_sections)
        if not -(2**63) <= sections < 2**63:
            raise ValueError("Overflow when unpacking long long")
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        _check_count(sections)
        each, larger = divmod(size, sections)
        bounds = (index * each + min(index, larger) for index in range(sections + 1))
    parts = []
    for start, stop in itertools.pairwise(bounds):
        first, last, _ = slice(start, stop).indices(size)
        parts.append(ops.slice(input, axis, first, max(first, last), 1))
    return tuple(parts)


def _axis_split(name: str, least: int, axis_for: Any) -> None:
    def splits(input: Any, sections: Any = None, *, indices: object = None) -> Any:
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {ndim} dimensions!"
            )
        axis = axis_for(ndim)
        if (sections is None) is (indices is None) or isinstance(sections, str):
            raise TypeError  # which is then said in PyTorch's words
        sections = indices if sections is None else sections
        if isinstance(sections, Tensor) and not sections._array.ndim:
            sections = sections.item()
        elif isinstance(sections, np.ndarray):  # an index by itself, and no number of sections
            sections = tuple(np.ravel(sections).tolist())
        if isinstance(sections, int) and (sections == 0 or input._array.shape[axis] % sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {axis}, but the size of the dimension "
                f"{input._array.shape[axis]} is not divisible by the split_size {sections}!"
            )
        return tensor_split(input, sections, axis)

    splits.__name__ = name
    splits.__doc__ = f"Views of equal size, or between indices, as {name} names the dimension."
    public()(splits)


_axis_split("hsplit", 1, lambda ndim: 0 if ndim == 1 else 1)
_axis_split("vsplit", 2, lambda ndim: 0)
_axis_split("dsplit", 3, lambda ndim: 2)


@public()
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as a view whose last dimension it is."""
    ndim = input._array.ndim
    axis1, axis2 = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if axis1 == axis2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return ops.diagonal(input, offset, axis1, axis2)


@public(function=False)
def unfold(self: Any, dimension: int, size: int, step: int) -> Tensor:
    """All windows of ``size`` along a dimension, ``step`` apart, as a view with a new last dimension."""
    array = self._array
    axis = axis_of(dimension, array.ndim)
    length = array.shape[axis] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return ops.unfold(self, axis, size, step)
