"""Ops that change shape: views, which share memory with their input, and rearrangements, which copy.

Every view op is linear, and its rule is the op's adjoint: a slice's cotangent is put back among zeros (``embed_slice``),
whose own rule is the slice again.
"""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from typing import Any

from ..autograd import views
from ..autograd.graph import Node, leaf_edge, orders
from ..backend import numpy as backend
from ..backend import shape as k
from . import dispatch
from .public import alias, axes_of, axis_of, methods, ops, public
from .table import op, table

# Views.

op("view", k.view, kind="linear", view=True, x=lambda g, x_shape: g.reshape(x_shape))
op("alias", lambda x: x.view(), kind="linear", view=True, x=lambda g: g)
op("expand", k.expand, kind="linear", view=True, x=lambda g: g)
op(
    "permute_dims", k.permute_dims, kind="linear", view=True, node="PermuteBackward0",
    x=lambda g, xp, axes: xp.permute_dims(g, tuple(sorted(range(len(axes)), key=axes.__getitem__))),
)  # fmt: skip
op(
    "transpose", k.transpose, kind="linear", view=True,
    x=lambda g, xp, axis0, axis1: xp.transpose(g, axis0, axis1),
)  # fmt: skip
op("t", k.t, kind="linear", view=True, x=lambda g, xp: xp.t(g))
op("squeeze_all", lambda x: x.squeeze(), node="SqueezeBackward0", kind="linear", view=True,
   x=lambda g, x_shape: g.reshape(x_shape))  # fmt: skip
op("squeeze", k.squeeze, node="SqueezeBackward1", kind="linear", view=True, x=lambda g, x_shape: g.reshape(x_shape))
op("squeeze_row", k.squeeze, node="SqueezeBackward4", kind="linear", x=lambda g, x_shape: g.reshape(x_shape))
op("reshape_alias", k.view, kind="linear", view=True, x=lambda g, x_shape: g.reshape(x_shape))
op("squeeze_several", k.squeeze, node="SqueezeBackward2", kind="linear", view=True,
   x=lambda g, x_shape: g.reshape(x_shape))  # fmt: skip
op("expand_dims", k.expand_dims, node="UnsqueezeBackward0", kind="linear", view=True,
   x=lambda g, x_shape: g.reshape(x_shape))  # fmt: skip
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
op(
    "as_strided", lambda x, shape, strides, offset, x_strides, x_offset: k.as_strided(x, shape, strides, offset),
    kind="linear", view=True,
    x=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.as_strided_adjoint(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip
op(
    "as_strided_adjoint", k.as_strided_adjoint, kind="linear",
    g=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.gather_strided(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip
op(
    "gather_strided",
    lambda x, x_shape, x_strides, x_offset, shape, strides, offset: k.as_strided(
        views.like_base(x, tuple(s * x.itemsize for s in x_strides)), shape, strides, offset - x_offset
    ).copy(),
    kind="linear",
    x=lambda g, xp, x_shape, x_strides, x_offset, shape, strides, offset: xp.as_strided_adjoint(
        g, x_shape, x_strides, x_offset, shape, strides, offset),
)  # fmt: skip
op("unbind", k.unbind, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, axis: xp.stack(filled(g, xp, without(x_shape, axis), x_dtype), axis))  # fmt: skip
op("split", k.split, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, sizes, axis: xp.concat(
       [filled([part], xp, with_size(x_shape, axis, size), x_dtype)[0] for part, size in zip(g, sizes, strict=True)], axis))  # fmt: skip
op("split_with_sizes", k.split, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, sizes, axis: xp.concat(
       [filled([part], xp, with_size(x_shape, axis, size), x_dtype)[0] for part, size in zip(g, sizes, strict=True)], axis))  # fmt: skip

# What views turn into where memory does not allow one.

op("clone", k.clone, kind="linear", x=lambda g: g)
op("contiguous", k.contiguous, node="CloneBackward0", kind="linear", x=lambda g: g)
op("unsafe_view", k.reshape, kind="linear", x=lambda g, x_shape: g.reshape(x_shape))
op("astype", k.astype, node="ToCopyBackward0", kind="linear", x=lambda g, xp, x_dtype: xp.astype(g, x_dtype))


def without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def with_size(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def filled(g: Any, xp: Any, shape: tuple[int, ...], dtype: Any) -> list[Any]:
    """A list of cotangents with zeros where none arrived."""
    if all(part is not None for part in g):
        return g  # type: ignore[no-any-return]
    from .table import arrays

    zeros: Any = None
    result = []
    for part in g:
        if part is None:
            if zeros is None:
                import numpy as np

                zeros = np.zeros(shape, dtype) if xp is arrays else dispatch.new_tensor(np.zeros(shape, dtype))
            part = zeros
        result.append(part)
    return result


def _as_strided_node(base: Any, view: Any) -> Node:
    """The node that a view gets after its base was written to: taken from the base by its geometry."""
    whole = backend.root(base._array)
    array, size = view._array, view._array.itemsize
    start = backend.address(whole)
    node = object.__new__(table["as_strided"].node_class)
    node.next = ((base._edge or leaf_edge(base)),)
    base_size = base._array.itemsize
    values = {
        "x_shape": base._array.shape,
        "x_strides": tuple(stride // base_size for stride in base._array.strides),
        "x_offset": (backend.address(base._array) - start) // base_size,
        "shape": array.shape,
        "strides": tuple(stride // size for stride in array.strides),
        "offset": (backend.address(array) - start) // size,
    }
    node.saved = tuple(values[name] for _, name, _ in table["as_strided"].keep)
    node.shape, node.dtype, node.order = array.shape, array.dtype, next(orders)
    return node


views.as_strided_node = _as_strided_node


# The public functions.


def sizes_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one list."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(size) for size in args)


def _inferred(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """A shape with its -1 replaced by what the number of elements leaves."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for size in shape:
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {shape.index(size)} of shape {list(shape)}")
    known = math.prod(size for size in shape if size != -1)
    if -1 in shape:
        if known == 0:
            raise (
                RuntimeError(
                    f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can "
                    "be any value and is ambiguous"
                )
                if numel == 0
                else RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
            )
        if numel % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(numel // known if size == -1 else size for size in shape)
    if known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape


def _sizes_for(array: Any, sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """The new shape that ``sizes`` (one by one or as one list) mean for an array."""
    known = 1
    for size in sizes:
        if size.__class__ is not int or size < 0:
            return _inferred(sizes_of(sizes), array.size)
        known *= size
    return sizes if known == array.size else _inferred(sizes, array.size)


@public(function=False)
def view(self: Any, *shape: Any, dtype: Any = None) -> Any:
    """The same memory under another shape (one size may be -1); RuntimeError where strides do not allow it."""
    from ..dtypes import dtype as dtype_class

    if dtype is None and len(shape) == 1 and isinstance(shape[0], dtype_class):
        dtype = shape[0]
    if dtype is not None:
        return _view_dtype(self, dtype)
    return ops.view(self, _sizes_for(self._array, shape))


def _view_dtype(self: Any, dtype: Any) -> Any:
    result = self.detach()
    result._array = self._array.view(dtype.numpy)
    return result


@public()
def reshape(input: Any, *shape: Any) -> Any:
    """Another shape: a view where strides allow it, else a copy. One size may be -1.

    >>> import rushlight as torch
    >>> torch.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    array = input._array
    wanted = _sizes_for(array, shape)
    if array.flags.c_contiguous:
        return ops.view(input, wanted)
    try:
        return ops.reshape_alias(input, wanted)
    except RuntimeError:
        return ops.unsafe_view(ops.contiguous(input), wanted)


@public(method="view_as", function=False)
def view_as(self: Any, other: Any) -> Any:
    """Viewed in the shape of ``other``."""
    return self.view(other._array.shape)


@public(method="reshape_as", function=False)
def reshape_as(self: Any, other: Any) -> Any:
    """Reshaped to the shape of ``other``."""
    return reshape(self, other._array.shape)


@public()
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions ``start_dim`` to ``end_dim`` made one."""
    shape = input._array.shape
    ndim = len(shape)
    if not ndim:
        return reshape(input, 1)
    start, end = axis_of(start_dim, ndim), axis_of(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@public()
def ravel(input: Any) -> Any:
    """All elements in one dimension."""
    return reshape(ops.contiguous(input) if not input._array.flags.c_contiguous else input, -1)


@public()
def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """One dimension made several; one of their sizes may be -1."""
    shape = input._array.shape
    axis = axis_of(dim, len(shape))
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    known = math.prod(size for size in sizes if size != -1)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if -1 not in sizes and known != shape[axis]:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({shape[axis]}) in the input "
            "tensor"
        )
    if -1 in sizes and (known == 0 or shape[axis] % known):
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({shape[axis]}) in the input "
            "tensor"
        )
    return input.view((*shape[:axis], *(shape[axis] // known if size == -1 else size for size in sizes), *shape[axis + 1 :]))


@public(function=False)
def expand(self: Any, *sizes: Any, implicit: bool = False) -> Any:
    """Dimensions of size 1 (and new ones in front) stretched without a copy; -1 keeps a size."""
    wanted = sizes_of(sizes)
    shape = self._array.shape
    lead = len(wanted) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand({self.dtype.type_in_errors}{{{list(shape)}}}, size={list(wanted)}): the number of sizes provided ({len(wanted)}) must be "
            f"greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    full = list(wanted)
    for axis, size in enumerate(wanted):
        if axis < lead:
            if size < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {axis}"
                )
            continue
        have = shape[axis - lead]
        if size == -1:
            full[axis] = have
        elif have not in (1, size):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({have}) at non-singleton dimension "
                f"{axis}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(shape)}"
            )
    return ops.expand(self, tuple(full))


@public()
def broadcast_to(input: Any, *size: Any) -> Any:
    """``input`` expanded to ``size``."""
    return expand(input, *size)


@public(function=False)
def expand_as(self: Any, other: Any) -> Any:
    """Expanded to the shape of ``other``."""
    return expand(self, other._array.shape)


@public()
def squeeze(input: Any, dim: Any = None) -> Any:
    """Without the dimensions of size 1, or without those of them that are named."""
    if dim is None:
        return ops.squeeze_all(input)
    shape = input._array.shape
    if isinstance(dim, (tuple, list)):
        return ops.squeeze_several(input, tuple(axis for axis in axes_of(dim, len(shape)) if dim and shape[axis] == 1))
    axis = axis_of(dim, len(shape))
    return ops.squeeze(input, (axis,) if shape and shape[axis] == 1 else ())


@public()
def unsqueeze(input: Any, dim: int) -> Any:
    """A new dimension of size 1 at ``dim``."""
    return ops.expand_dims(input, axis_of(dim, input._array.ndim + 1))


@public()
def t(input: Any) -> Any:
    """A matrix transposed; vectors and numbers as they are."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.t(input)


@public()
def adjoint(input: Any) -> Any:
    """The last two dimensions swapped, conjugated if complex."""
    if input._array.ndim < 2:
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor."
        )
    swapped = ops.transpose(input, input._array.ndim - 2, input._array.ndim - 1)
    return swapped.conj() if input._array.dtype.kind == "c" else swapped


def _reversed(self: Any) -> Any:
    ndim = self._array.ndim
    if ndim != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
            "1, -1, -1))` to reverse the dimensions of a tensor.",
            stacklevel=2,
        )
    return ops.permute_dims(self, tuple(range(ndim - 1, -1, -1)))


def _matrix_transpose(self: Any) -> Any:
    ndim = self._array.ndim
    if ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor.")
    return ops.transpose(self, ndim - 2, ndim - 1)


def _matrix_h(self: Any) -> Any:
    ndim = self._array.ndim
    if ndim == 0:
        return ops.alias(self)
    if ndim != 2:
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if ndim > 2 else "")
        )
    return adjoint(self)


def _batch_h(self: Any) -> Any:
    if self._array.ndim < 2:
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {self._array.ndim}-D tensor.")
    return adjoint(self)


methods["T"] = property(_reversed)
methods["mT"] = property(_matrix_transpose)
methods["H"] = property(_matrix_h)
methods["mH"] = property(_batch_h)


@public()
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to new places, the others kept in order."""
    ndim = input._array.ndim
    sources = source if isinstance(source, (tuple, list)) else (source,)
    targets = destination if isinstance(destination, (tuple, list)) else (destination,)
    if len(sources) != len(targets):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(sources)} dims) should contain the same number of dims as destination ({list(targets)} dims)"
        )
    moved = [axis_of(one, ndim) for one in sources]
    places = [axis_of(one, ndim) for one in targets]
    for label, given, found in (("source", sources, moved), ("destination", targets, places)):
        if len(set(found)) != len(found):
            raise RuntimeError(f"movedim: repeated dim in `{label}` ({list(given)})")
    if not ndim:
        return ops.alias(input)
    rest = iter([axis for axis in range(ndim) if axis not in moved])
    order = [moved[places.index(axis)] if axis in places else next(rest) for axis in range(ndim)]
    return ops.permute_dims(input, tuple(order))


alias("moveaxis", "movedim")


@public()
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """``length`` entries from ``start`` along ``dim``, as a view."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    begin = int(start)
    if not -size <= begin <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
    begin += size if begin < 0 else 0
    if begin + length > size:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return ops.slice(input, axis, begin, begin + length, 1)


def _split_equal(input: Any, split_size: int, axis: int) -> Any:
    size = input._array.shape[axis]
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    if not size:
        return ops.split(input, (0,), axis)
    full, rest = divmod(size, split_size)
    return ops.split(input, (split_size,) * full + ((rest,) if rest else ()), axis)


@public(out=False, method=False)
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of equal size (the last may be smaller), or of the given sizes, along ``dim``."""
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    axis = axis_of(dim, tensor._array.ndim, wrap_scalar=False)
    return _split_equal(tensor, int(split_size_or_sections), axis)


@public("split", out=False, function=False)
def _split_by_method(self: Any, split_size: Any, dim: int = 0) -> Any:
    """Views of equal size (the last may be smaller), or of the given sizes, along ``dim``."""
    return split(self, split_size, dim)


@public()
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Views of the given sizes along ``dim``."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    sizes = tuple(int(one) for one in split_sizes)
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


@public()
def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """At most ``chunks`` views of equal size (the last may be smaller) along ``dim``."""
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    each = -(-size // chunks)
    if not each:
        return ops.split_with_sizes(input, (0,) * chunks, axis)
    return _split_equal(input, each, axis)


@public()
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """Views between the given indices, or a number of views of as equal a size as can be."""
    if not input._array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if hasattr(indices_or_sections, "tolist"):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, (tuple, list)):
        inner = [int(index) for index in indices_or_sections]
        bounds = [0, *inner, size]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        each, larger = divmod(size, sections)
        bounds = [index * each + min(index, larger) for index in range(sections + 1)]
    parts = []
    for start, stop in itertools.pairwise(bounds):
        first, last, _ = slice(start, stop).indices(size)
        parts.append(ops.slice(input, axis, first, max(first, last), 1))
    return tuple(parts)


def _axis_split(name: str, least: int, axis_for: Any) -> None:
    def splits(input: Any, indices_or_sections: Any) -> Any:
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension{'s' if least > 1 else ''}, but got a tensor "
                f"with {ndim} dimensions!"
            )
        axis = axis_for(ndim)
        sections = indices_or_sections
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
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as a view whose last dimension it is."""
    ndim = input._array.ndim
    axis1, axis2 = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if axis1 == axis2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return ops.diagonal(input, offset, axis1, axis2)


@public(function=False)
def unfold(self: Any, dimension: int, size: int, step: int) -> Any:
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
    if not array.ndim:
        return ops.view(self, (1,)) if size else ops.slice(ops.view(self, (1,)), 0, 0, 0, 1)
    return ops.unfold(self, axis, size, step)


@public()
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """A view of the storage with given sizes, strides and offset, in elements."""
    array = input._array
    size, stride = tuple(int(n) for n in size), tuple(int(n) for n in stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: " + str(list(stride)))
    start = input.storage_offset()
    offset = start if storage_offset is None else int(storage_offset)
    own = tuple(step // array.itemsize for step in array.strides)
    return ops.as_strided(input, size, stride, offset, own, start)


@public()
def broadcast_tensors(*tensors: Any) -> Any:
    """Tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = common_shape([tensor._array.shape for tensor in tensors])
    return tuple(tensor if tensor._array.shape == shape else expand(tensor, shape) for tensor in tensors)


def common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all broadcast to; PyTorch's error where there is none."""
    import numpy as np

    error = dispatch.broadcast_error(shapes) if shapes else None
    if error is not None:
        raise error
    return np.broadcast_shapes(*shapes)


@public(function=True, method=False)
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that tensors of these shapes broadcast to."""
    from ..size import Size

    sizes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    whole: tuple[int, ...] = ()
    for position, shape in enumerate(sizes):
        for back in range(1, min(len(shape), len(whole)) + 1):
            if shape[-back] != whole[-back] and 1 not in (shape[-back], whole[-back]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[-back]} at -{back}! Mismatching argument at index "
                    f"{position} had {shape}; but expected shape should be broadcastable to {list(whole)}"
                )
        whole = common_shape([whole, shape])
    return Size(whole)


@public()
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """A copy, with history."""
    if memory_format is not None and str(memory_format).endswith("contiguous_format"):
        return ops.contiguous(input)
    return ops.clone(input)


@public(function=False)
def contiguous(self: Any, memory_format: Any = None) -> Any:
    """The tensor itself if its elements lie in order, else a copy in which they do."""
    if self._array.flags.c_contiguous:
        return self
    return ops.contiguous(self)


@public()
def select(input: Any, dim: Any, index: int) -> Any:
    """The slice at ``index`` of dimension ``dim``, which disappears."""
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._array.shape)} at dimension {axis}"
        )
    return ops.select(input, axis, index if index >= 0 else index + size)


@public()
def unbind(input: Any, dim: int = 0) -> Any:
    """All slices along ``dim``, as views."""
    return ops.unbind(input, axis_of(dim, input._array.ndim, wrap_scalar=False))


@public()
def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions swapped."""
    ndim = input._array.ndim
    return ops.transpose(input, axis_of(dim0, ndim), axis_of(dim1, ndim))


@public()
def permute(input: Any, *dims: Any) -> Any:
    """The dimensions in another order."""
    order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    ndim = input._array.ndim
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering "
            f"of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    axes = tuple(axis_of(one, ndim) for one in order)
    if len(set(axes)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return ops.permute_dims(input, axes)


for _new, _old in (("swapaxes", "transpose"), ("swapdims", "transpose")):
    alias(_new, _old)


# Methods that change the shape of the tensor itself.


# PyTorch has derivatives of their own for these, under other numbers.
_INPLACE_NODES = {
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
}


@functools.cache
def _inplace_node(node_class: type[Node]) -> type[Node]:
    return type(_INPLACE_NODES[node_class.__name__], (node_class,), {"__module__": "torch.autograd"})


def _inplace_view(name: str) -> None:
    function = methods[name]

    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        views.check_writable(self)
        if name == "t" and self._array.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D")
        result = function(self, *args, **kwargs)
        node = result.grad_fn
        if node is not None and type(node).__name__ in _INPLACE_NODES:
            node.__class__ = _inplace_node(type(node))  # type: ignore[arg-type]
        views.become(self, result, name + "_")
        return self

    change.__name__ = change.__qualname__ = name + "_"
    change.__doc__ = f"In-place version of :func:`{name}`: the tensor itself changes shape."
    methods[name + "_"] = change


for _name in ("t", "transpose", "squeeze", "unsqueeze", "as_strided", "swapaxes", "swapdims"):
    _inplace_view(_name)
