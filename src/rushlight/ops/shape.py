"""Ops that change shape: views, which share memory with their input, and rearrangements, which copy.

Every view op is linear, and its rule is the op's adjoint: a slice's cotangent is put back among zeros (``embed_slice``),
whose own rule is the slice again.
"""

from __future__ import annotations

import math
from typing import Any

from ..autograd import views
from ..autograd.graph import Node, leaf_edge, orders
from ..backend import numpy as backend
from ..backend import shape as k
from . import dispatch
from .public import alias, axes_of, axis_of, ops, public
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
   x=lambda g, xp, x_shape, x_dtype, axis: xp.stack(filled(g, xp, _without(x_shape, axis), x_dtype), axis))  # fmt: skip
op("split", k.split, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, sizes, axis: xp.concat(
       [filled([part], xp, _with(x_shape, axis, size), x_dtype)[0] for part, size in zip(g, sizes, strict=True)], axis))  # fmt: skip
op("split_with_sizes", k.split, outputs="*", kind="linear", view=True,
   x=lambda g, xp, x_shape, x_dtype, sizes, axis: xp.concat(
       [filled([part], xp, _with(x_shape, axis, size), x_dtype)[0] for part, size in zip(g, sizes, strict=True)], axis))  # fmt: skip

# Copies.

op("clone", k.clone, kind="linear", x=lambda g: g)
op("contiguous", k.contiguous, node="CloneBackward0", kind="linear", x=lambda g: g)
op("unsafe_view", k.reshape, kind="linear", x=lambda g, x_shape: g.reshape(x_shape))
op("astype", k.astype, node="ToCopyBackward0", kind="linear", x=lambda g, xp, x_dtype: xp.astype(g, x_dtype))
op("flip", k.flip, kind="linear", x=lambda g, xp, axes: xp.flip(g, axes))
op("roll", k.roll, kind="linear", x=lambda g, xp, shifts, axes: xp.roll(g, tuple(-shift for shift in shifts), axes))
op("tril", k.tril, kind="linear", x=lambda g, xp, offset: xp.tril(g, offset))
op("triu", k.triu, kind="linear", x=lambda g, xp, offset: xp.triu(g, offset))
op("repeat", k.repeat, kind="linear", x=lambda g, xp, counts, x_shape: xp.unrepeat(g, counts, x_shape))
op("unrepeat", k.unrepeat, node="SumBackward1", kind="linear", g=lambda g, xp, counts: xp.repeat(g, counts))
op("concat", k.concat, inputs="*xs", node="CatBackward0", kind="linear",
   xs=lambda g, xp, xs_shape, axis: _pieces(g, xp, [shape[axis] for shape in xs_shape], axis))  # fmt: skip
op("stack", k.stack, inputs="*xs", kind="linear", xs=lambda g, xp, xs_shape, axis: xp.unbind(g, axis))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _with(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def filled(g: Any, xp: Any, shape: tuple[int, ...], dtype: Any) -> list[Any]:
    """A list of cotangents with zeros where none arrived."""
    from .table import arrays

    zeros = None
    result = []
    for part in g:
        if part is None:
            if zeros is None:
                import numpy as np

                zeros = np.zeros(shape, dtype)
                if xp is not arrays:
                    zeros = dispatch.new_tensor(zeros)
            part = zeros
        result.append(part)
    return result


def _pieces(g: Any, xp: Any, sizes: list[int], axis: int) -> list[Any]:
    parts, start = [], 0
    for size in sizes:
        parts.append(xp.slice(g, axis, start, start + size, 1))
        start += size
    return parts


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
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can "
                "be any value and is ambiguous"
            ) if numel == 0 else RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        if numel % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(numel // known if size == -1 else size for size in shape)
    if known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape


@public(function=False)
def view(self: Any, *shape: Any, dtype: Any = None) -> Any:
    """The same memory under another shape (one size may be -1); RuntimeError where strides do not allow it."""
    from ..dtypes import dtype as dtype_class

    if dtype is None and len(shape) == 1 and isinstance(shape[0], dtype_class):
        dtype = shape[0]
    if dtype is not None:
        return _view_dtype(self, dtype)
    return ops.view(self, _inferred(sizes_of(shape), self._array.size))


def _view_dtype(self: Any, dtype: Any) -> Any:
    result = dispatch.new_tensor(self._array.view(dtype.numpy))
    views.mark_view(result, self)
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
    wanted = _inferred(sizes_of(shape), array.size)
    try:
        return ops.view(input, wanted)
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
    return ops.transpose(input, axis_of(dim0, ndim), axis_of(dim1, ndim)) if ndim else ops.alias(input)


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


@public()
def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension."""
    return ops.stack(list(tensors), axis_of(dim, tensors[0]._array.ndim + 1))


__all__ = ["alias", "axes_of"]
