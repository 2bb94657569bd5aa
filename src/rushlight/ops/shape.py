"""Ops that give a tensor another shape: views where the strides allow them, else copies.

Every view op is linear, and its rule is the op's adjoint. Transpositions stand in ``transposes.py``, parts of tensors in
``slicing.py``, strides laid by hand in ``strides.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd.mirrors import is_conjugate
from ..autograd.rule_errors import broadcast_error
from ..backend import shape as k
from ..backend.creation import order_of
from ..base import dtypes
from ..base.arguments import type_name
from ..base.size import Size
from ..tensor import Methods, Tensor
from .operands import refuse_left_open
from .plain_cases import Case, one_axis, plain_cases
from .public import axes_of, axis_of, ops, public
from .signatures import Unsaid
from .sizes import one_list, sizes_for, sizes_of
from .table import arrays, op

op("view", k.view, kind="linear", view=True, x=lambda g, x_shape: g.reshape(x_shape))
op("alias", lambda x: x.view(), kind="linear", view=True, x=lambda g: g)


class Aliased(Methods):
    def _alias(self) -> Tensor:
        """The same memory and history as a tensor of its own."""
        return ops.alias(self)


op("expand", k.expand, kind="linear", view=True, x=lambda g: g)
op("squeeze_all", lambda x: x.squeeze(), node="SqueezeBackward0", kind="linear", view=True,
   x=lambda g, xp, x_shape: _unsqueezed(g, xp, x_shape, [axis for axis, size in enumerate(x_shape) if size == 1]))  # fmt: skip
op("squeeze", k.squeeze, node="SqueezeBackward1", kind="linear", view=True,
   x=lambda g, xp, x_shape, axes: _unsqueezed(g, xp, x_shape, axes))  # fmt: skip
op("squeeze_row", k.squeeze, node="SqueezeBackward4", kind="linear",
   x=lambda g, xp, x_shape, axes: _unsqueezed(g, xp, x_shape, axes))  # fmt: skip
op("reshape_alias", k.view, kind="linear", view=True, x=lambda g, x_shape: g.reshape(x_shape))
op("squeeze_several", k.squeeze, node="SqueezeBackward2", kind="linear", view=True,
   x=lambda g, xp, x_shape, axes: _unsqueezed(g, xp, x_shape, axes))  # fmt: skip
op("expand_dims", k.expand_dims, node="UnsqueezeBackward0", kind="linear", view=True,
   x=lambda g, xp, x_shape, axis: g.reshape(x_shape) if xp is arrays else xp.squeeze(g, (axis,)))  # fmt: skip


def _unsqueezed(g: Any, xp: Any, shape: Any, axes: Any) -> Any:
    if xp is arrays:
        return g.reshape(shape)
    for axis in sorted(axes):
        g = xp.expand_dims(g, axis)
    return g


# What views turn into where memory does not allow one.

op("clone", k.clone, kind="linear", x=lambda g: g)
op("contiguous", k.contiguous, node="CloneBackward0", kind="linear", x=lambda g: g)
op("laid_out", k.laid_out, node="CloneBackward0", kind="linear", x=lambda g: g)
op("unsafe_view", k.reshape, kind="linear", x=lambda g, x_shape: g.reshape(x_shape))
op("astype", k.astype, node="ToCopyBackward0", kind="linear", x=lambda g, xp, x_dtype: xp.astype(g, x_dtype))


@public(function=False)
def view(self: Any, *size: Any, dtype: Any = None) -> Tensor:
    """The same memory under another shape (one size may be -1), or as elements of another dtype.

    RuntimeError where sizes and strides do not allow it.

    >>> import rushlight as torch
    >>> torch.tensor([1.0, 2.0]).view(torch.int32)
    tensor([1065353216, 1073741824], dtype=torch.int32)
    """
    if dtype is None and len(size) == 1 and size[0].__class__ is not int and isinstance(size[0], (dtypes.dtype, type)):
        dtype = size[0]
    if dtype is not None:
        return _view_dtype(self, dtypes.OF_PYTHON.get(dtype, dtype))
    if self._of_batch:
        refuse_left_open(self, sizes_of(size, "view"))
    return ops.view(self, sizes_for(self._array, size, "view", "size"))


_ARE_SIZES = "x_x.flags.c_contiguous and sizes and (sizes[0].__class__ is int or isinstance(sizes[0], tuple))"
_RESHAPED = "x_x.reshape(shape)"
_new_shape = {"shape": 'sizes_for(x_x, sizes, "view", "size")'}
plain_cases("view", Case("view", "self *sizes", _ARE_SIZES, _RESHAPED, _new_shape, {"sizes_for": sizes_for}))


def _view_dtype(self: Any, dtype: dtypes.dtype) -> Any:
    array = self._array
    if is_conjugate(self):
        raise RuntimeError(
            "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype."
        )
    if dtype.itemsize != array.itemsize:
        _check_sizes(array, dtype, self.storage_offset())
    result = self.detach()
    result._array = k.reinterpret(array, dtype.numpy)
    return result


def _check_sizes(array: Any, dtype: dtypes.dtype, offset: int) -> None:
    """The errors for memory that cannot be seen as elements of another size."""
    ending = f" to view {dtypes.of(array.dtype).scalar_name} as {dtype.scalar_name} (different element sizes)"
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0{ending}")
    steps = k.steps(array)
    ratio = dtype.itemsize // array.itemsize or 1
    first = [("size(-1)", array.shape[-1]), ("storage_offset()", offset)]
    others = [(f"stride({axis})", step) for axis, step in enumerate(steps[:-1])]
    for measures, step in ((first, 1), (others, steps[-1])):
        if step != 1:
            raise RuntimeError(f"self.stride(-1) must be 1{ending}, but got {step}")
        for name, value in measures:
            if value % ratio:
                raise RuntimeError(f"self.{name} must be divisible by {ratio}{ending}, but got {value}")


@public(function=False)
def reshape(input: Any, *shape: Any) -> Tensor:
    """Another shape: a view where strides allow it, else a copy. One size may be -1.

    >>> import rushlight as torch
    >>> torch.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if input._of_batch:
        refuse_left_open(input, sizes_of(shape, "reshape"))
    return _reshaped(input, sizes_for(input._array, shape, "reshape", "shape"))


@public("reshape", method=False, out=False)
def reshape_by_list(input: Any, shape: Any) -> Tensor:
    """Another shape: a view where strides allow it, else a copy. One size may be -1.

    >>> import rushlight as torch
    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    return reshape(input, one_list(shape))


_new_shape = {"shape": 'sizes_for(x_x, sizes, "reshape", "shape")'}
_named = {"sizes_for": sizes_for}
plain_cases("reshape", Case("view", "input *sizes", _ARE_SIZES, _RESHAPED, _new_shape, _named), forms="method")
_new_shape = {"shape": 'sizes_for(x_x, (sizes,), "reshape", "shape")'}
_in_rows = "x_x.flags.c_contiguous and isinstance(sizes, tuple)"
plain_cases("reshape", Case("view", "input sizes", _in_rows, _RESHAPED, _new_shape, _named), forms="function")


def _reshaped(input: Any, shape: tuple[int, ...]) -> Any:
    """In another shape of as many elements: a view where strides allow it."""
    array = input._array
    if array.flags.c_contiguous:
        return ops.view(input, shape)
    try:
        if array.__class__ is np.ndarray or input._of_batch:
            array.reshape(shape, copy=False)  # the op's own error would take ten times as long
        return ops.reshape_alias(input, shape)
    except (ValueError, RuntimeError):
        return ops.unsafe_view(ops.contiguous(input), shape)


@public(method="view_as", function=False)
def view_as(self: Any, other: Any) -> Tensor:
    """Viewed in the shape of ``other``."""
    return self.view(other._array.shape)


@public(method="reshape_as", function=False)
def reshape_as(self: Any, other: Any) -> Tensor:
    """Reshaped to the shape of ``other``."""
    return reshape(self, other._array.shape)


@public()
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions ``start_dim`` to ``end_dim`` made one."""
    shape = input._array.shape
    ndim = len(shape)
    start, end = axis_of(start_dim, ndim), axis_of(end_dim, ndim)
    if start == end:
        return input if ndim else reshape(input, 1)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if end - start == ndim - 1:
        return _reshaped(input, (input._array.size,))
    return _reshaped(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


plain_cases(
    "flatten",
    Case("view", "input", "x_x.ndim > 1 and x_x.flags.c_contiguous", _RESHAPED, {"shape": "(x_x.size,)"}),
    Case(
        "view",
        "input start_dim",
        "start_dim.__class__ is int and start_dim == 1 and x_x.ndim > 2 and x_x.size and x_x.flags.c_contiguous",
        _RESHAPED,
        {"shape": "(x_x.shape[0], x_x.size // x_x.shape[0])"},
    ),
)


@public()
def ravel(input: Any) -> Tensor:
    """All elements in one dimension."""
    return reshape(ops.contiguous(input) if not input._array.flags.c_contiguous else input, -1)


@public()
def unflatten(input: Any, dim: int, sizes: Any) -> Tensor:
    """One dimension made several; one of their sizes may be -1."""
    shape = input._array.shape
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"unflatten(): argument 'sizes' (position 3) must be tuple of ints, not {type_name(sizes)}")
    axis = axis_of(dim, len(shape))
    if not shape:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    known = math.prod(size for size in sizes if size != -1)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if sizes.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")
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


_OVERFLOW = "numel: integer multiplication overflow"


@public(function=False)
def expand(self: Any, *size: Any, implicit: bool = False) -> Tensor:
    """Dimensions of size 1 (and new ones in front) stretched without a copy; -1 keeps a size."""
    wanted = sizes_of(size, "expand")
    shape = self._array.shape
    lead = len(wanted) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand({self.dtype.type_in_errors}{{{list(shape)}}}, size={list(wanted)}): the number of sizes provided ({len(wanted)}) must be "
            f"greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    if wanted[lead:] == shape and (not lead or min(wanted) >= 0):
        return _stretched(self, wanted)
    full = list(wanted)
    for axis in range(len(full) - 1, -1, -1):  # the last that does not fit is named
        each = full[axis]
        if axis < lead:
            if each == -1 and shape:
                raise RuntimeError(
                    f"The expanded size of the tensor ({each}) isn't allowed in a leading, non-existing dimension {axis}"
                )
            continue
        have = shape[axis - lead]
        if each == -1:
            full[axis] = have
        elif have not in (1, each):
            raise RuntimeError(
                f"The expanded size of the tensor ({each}) must match the existing size ({have}) at non-singleton dimension "
                f"{axis}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(shape)}"
            )
    if min(full, default=0) < 0:
        raise RuntimeError(_OVERFLOW)
    return _stretched(self, tuple(full))


def _stretched(self: Any, shape: tuple[int, ...]) -> Tensor:
    try:
        return ops.expand(self, shape)
    except ValueError:  # more bytes than there are addresses
        raise RuntimeError(_OVERFLOW) from None


@public()
def broadcast_to(input: Any, size: Any) -> Tensor:
    """``input`` expanded to ``size``."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"broadcast_to(): argument 'size' (position 2) must be tuple of ints, not {type(size).__name__}")
    return expand(input, tuple(size))


@public("broadcast_to", function=False)
def broadcast_to_sizes(self: Any, *size: Any) -> Tensor:
    """Expanded to ``size``."""
    return expand(self, *size)


@public(function=False)
def expand_as(self: Any, other: Any) -> Tensor:
    """Expanded to the shape of ``other``."""
    return expand(self, other._array.shape)


_UNSAID = Unsaid()


@public(method=False)
def squeeze(input: Any, dim: Any = _UNSAID) -> Tensor:
    """Without the dimensions of size 1, or without those of them that are named."""
    if dim is _UNSAID:
        return ops.squeeze_all(input)
    if dim is None:
        raise TypeError  # which is then said in PyTorch's words
    shape = input._array.shape
    if isinstance(dim, (tuple, list)):
        return ops.squeeze_several(input, tuple(axis for axis in axes_of(dim, len(shape)) if dim and shape[axis] == 1))
    axis = axis_of(dim, len(shape))
    return ops.squeeze(input, (axis,) if shape and shape[axis] == 1 else ())


@public("squeeze", function=False)
def _squeeze_by_method(input: Tensor, dim: object = _UNSAID, *more: object) -> Tensor:
    """:func:`squeeze`, to which several dimensions may be given one by one."""
    return squeeze(input, (dim, *more) if more else dim)


_is_axis, _axis = one_axis("dim")
plain_cases(
    "squeeze",
    Case("squeeze_all", "input"),
    Case("squeeze", "input dim", _is_axis, settings={"axis": _axis, "axes": "(axis,) if x_x.shape[axis] == 1 else ()"}),
)


@public()
def unsqueeze(input: Any, dim: int) -> Tensor:
    """A new dimension of size 1 at ``dim``."""
    return ops.expand_dims(input, axis_of(dim, input._array.ndim + 1))


_is_axis, _axis = one_axis("dim", "(x_x.ndim + 1)")
plain_cases("unsqueeze", Case("expand_dims", "input dim", _is_axis, settings={"axis": _axis}))


@public(method=False, out=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tensors expanded to their common shape."""
    shape = common_shape([tensor._array.shape for tensor in tensors])
    return tuple(tensor if tensor._array.shape == shape else expand(tensor, shape) for tensor in tensors)


def common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all broadcast to; PyTorch's error where there is none."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    error = broadcast_error(shapes) if shapes else None
    if error is not None:
        raise error
    return np.broadcast_shapes(*shapes)


@public(method=False, out=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to."""

    sizes = []
    for shape in shapes:
        if not isinstance(shape, (int, tuple, list)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
        sizes.append((int(shape),) if isinstance(shape, int) else shape)
    whole = [1] * max(map(len, sizes), default=0)
    for position, shape in enumerate(sizes):
        for back in range(1, len(shape) + 1):
            size = shape[-back]
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size in (1, whole[-back]):
                continue
            if whole[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at -{back}! Mismatching argument at index "
                    f"{position} had {shape}; but expected shape should be broadcastable to {whole}"
                )
            whole[-back] = size
    return Size(whole)


@public()
def clone(input: Any, *, memory_format: Any = None) -> Tensor:
    """A copy, with history, whose dimensions lie in memory as those of ``input`` do or as the memory format says.

    >>> import rushlight as torch
    >>> torch.zeros(1, 2, 3, 4).clone(memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """
    if memory_format is None or memory_format.name == "preserve_format":
        return ops.clone(input)
    if memory_format.name == "contiguous_format":
        return ops.contiguous(input)
    return ops.laid_out(input, order_of(input._array.ndim, memory_format.name))


@public(function=False)
def contiguous(self: Any, *, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in order (in that of the memory format), else a copy in which they do."""
    if memory_format is not None and not hasattr(memory_format, "name"):
        raise TypeError(
            f"contiguous(): argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}"
        )
    name = "contiguous_format" if memory_format is None else memory_format.name
    if self._array.flags.c_contiguous and name in ("contiguous_format", "preserve_format"):
        return self
    if name == "contiguous_format":
        return ops.contiguous(self)
    if name == "preserve_format":
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    if self.is_contiguous(memory_format=memory_format):
        return self
    return ops.laid_out(self, order_of(self._array.ndim, name))
