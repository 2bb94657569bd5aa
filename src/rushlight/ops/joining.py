"""Ops that join tensors: cat, stack and their like. All are linear; each rule takes the gradient apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend import shape as k
from ..backend.notes import with_notes
from ..base.arguments import type_name
from ..tensor import Methods, Tensor, new_tensor
from . import promotion
from .integer_arguments import whole_number
from .operands import check_tensors, of_several, refuse_scalar, sizes_in_front
from .public import alias, axis_of, ops, public
from .shape import reshape
from .table import op, table

op("concat", k.concat, inputs="*xs", node="CatBackward0", kind="linear",
   xs=lambda g, xp, xs_shape, axis: _pieces(g, xp, xs_shape, axis))  # fmt: skip
op("stack", k.stack, inputs="*xs", kind="linear",
   xs=lambda g, xp, xs_shape, axis: [xp.select(g, axis, index) for index in range(len(xs_shape))])  # fmt: skip
op("block_diag", k.block_diag, inputs="*xs", kind="linear", xs=lambda g, xp, xs_shape: _blocks(g, xp, xs_shape))
# The same for inputs of several dtypes, whose gradients the engine casts back.
op("concat_mixed", lambda xs, axis, dtype: k.concat(k.cast(xs, dtype), axis), inputs="*xs", node="CatBackward0",
   kind="linear", xs=table["concat"].rules["xs"])  # fmt: skip
op("stack_mixed", lambda xs, axis, dtype: k.stack(k.cast(xs, dtype), axis), inputs="*xs", node="StackBackward0",
   kind="linear", xs=table["stack"].rules["xs"])  # fmt: skip
op("block_diag_mixed", lambda xs, dtype: k.block_diag(k.cast(xs, dtype)), inputs="*xs", node="BlockDiagBackward0",
   kind="linear", xs=table["block_diag"].rules["xs"])  # fmt: skip


def _pieces(g: Any, xp: Any, shapes: list[tuple[int, ...]], axis: int) -> list[Any]:
    parts, start = [], 0
    for shape in shapes:
        if shape == (0,):
            parts.append(xp.full_like_shape(g, (0,)))
            continue
        parts.append(xp.slice(g, axis, start, start + shape[axis], 1))
        start += shape[axis]
    return parts


def _blocks(g: Any, xp: Any, shapes: list[tuple[int, ...]]) -> list[Any]:
    parts, row, column = [], 0, 0
    for shape in shapes:
        rows, columns = ((1,) * (2 - len(shape)) + shape)[-2:]
        part = xp.slice(xp.slice(g, 0, row, row + rows, 1), 1, column, column + columns, 1)
        parts.append(part.reshape(shape))
        row, column = row + rows, column + columns
    return parts


def _shape_of_all(tensors: Any) -> Any:
    """The shape of every one of a list of tensors that are alike in shape and dtype; None where they are not."""
    shape = dtype = None
    if isinstance(tensors, (tuple, list)):
        for tensor in tensors:
            if tensor.__class__ is not Tensor:
                return None
            array = tensor._array
            if dtype is None:
                shape, dtype = array.shape, array.dtype
            elif array.dtype is not dtype or array.shape != shape:
                return None
    return shape


def _list_of(tensors: Any, name: str, position: int = 1) -> Sequence[Any]:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position {position}) must be tuple of Tensors, not {type_name(tensors)}"
        )
    plain = Tensor
    for index, item in enumerate(tensors):
        if item.__class__ is not plain and not isinstance(item, plain):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type(item).__name__}")
    return tensors


def _joined(name: str, tensors: Sequence[Any], *params: Any) -> Any:
    """The op of that name, or the one for several dtypes."""
    first = tensors[0]._array.dtype
    for tensor in tensors:
        if tensor._array.dtype is not first:
            return getattr(ops, name + "_mixed")(tensors, *params, promotion.common_dtype(tensors).numpy)
    return getattr(ops, name)(tensors, *params)


@public(method=False)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along an existing dimension; they agree in all others.

    >>> import rushlight as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    shape = _shape_of_all(tensors)
    if shape and shape != (0,):  # nothing is joined along any dimension
        return ops.concat(tensors, axis_of(dim, len(shape)))
    tensors = _list_of(tensors, "cat")
    if not tensors:
        whole_number("cat", "dim", 2, dim)
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    if all(map(_is_of_nothing, tensors)):
        return _joined("concat", tensors, axis_of(dim, 1))
    if of_several(tensors[0]):
        refuse_scalar(tensors[0], IndexError())
    shapes = [tensor._array.shape for tensor in tensors]
    try:
        return _joined("concat", tensors, _axis_of_all(shapes, dim))
    except RuntimeError:
        front = sizes_in_front(tensors)
        if front:  # PyTorch joins the batches, and counts their dimensions
            _axis_of_all([(*front, *shape) for shape in shapes], dim + len(front) if dim >= 0 else dim)
        raise


def _is_of_nothing(tensor: Tensor) -> bool:
    """Whether a number is an example of a batch of none: to PyTorch, a vector without elements."""
    return of_several(tensor) and not tensor._array.ndim and not tensor.level.size


def _axis_of_all(shapes: list[tuple[int, ...]], dim: Any) -> int:
    """The axis along which tensors of these shapes are joined; PyTorch's errors for such as do not fit together."""
    first = shapes[0]
    if first and shapes.count(first) == len(shapes):
        return 0 if first == (0,) else axis_of(dim, len(first))  # nothing is joined along any dimension
    for shape in shapes:
        if shape != (0,):
            first = shape
            break
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    axis = axis_of(dim, len(first))
    before, after = first[:axis], first[axis + 1 :]
    for position, shape in enumerate(shapes):
        if shape == (0,):
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        if shape[:axis] == before and shape[axis + 1 :] == after:
            continue
        for place, (have, size) in enumerate(zip(first, shape, strict=True)):
            if place != axis and have != size:
                raise with_notes(
                    RuntimeError(
                        f"Sizes of tensors must match except in dimension {axis}. Expected size {have} but got size {size} for "
                        f"tensor number {position} in the list."
                    ),
                    f"The shapes are {[list(one) for one in shapes]}.",
                )
    return axis


alias("concat", "cat")
alias("concatenate", "cat")


@public(method=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    shape = _shape_of_all(tensors)
    if shape is not None:
        return ops.stack(tensors, axis_of(dim, len(shape) + 1))
    tensors = _list_of(tensors, "stack")
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    axis_of(dim, len(first) + 1)
    for position, tensor in enumerate(tensors):
        if tensor._array.shape != first:
            front = sizes_in_front(tensors)
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {[*front, *first]} at entry 0 and "
                f"{[*front, *tensor._array.shape]} at entry {position}"
            )
    return _joined("stack", tensors, axis_of(dim, len(first) + 1))


def _atleast(name: str, least: int) -> None:
    def atleast(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tuple(tensors[0])
            return tuple(_grown(one, least) for one in tensors)
        grown = tuple(_grown(one, least) for one in tensors)
        return grown[0] if len(tensors) == 1 else grown

    atleast.__name__ = name
    atleast.__doc__ = f"Tensors with at least {least} dimension{'s' if least > 1 else ''}."
    public(method=False, out=False)(atleast)


def _grown(tensor: Any, least: int) -> Any:
    ndim = tensor._array.ndim
    if ndim >= least:
        return tensor
    if ndim == 0:
        return reshape(tensor, (1,) * least)
    if least == 2 or ndim == 1:
        tensor = tensor.unsqueeze(0)
    return tensor.unsqueeze(-1) if least == 3 else tensor


for _least in (1, 2, 3):
    _atleast(f"atleast_{_least}d", _least)


@public(method=False)
def hstack(tensors: Any) -> Tensor:
    """Joined along the second dimension (the first, for vectors)."""
    tensors = [_grown(one, 1) for one in _list_of(tensors, "hstack")]
    if not tensors:
        raise RuntimeError("hstack expects a non-empty TensorList")
    return cat(tensors, 0 if tensors[0]._array.ndim == 1 else 1)


@public(method=False)
def vstack(tensors: Any) -> Tensor:
    """Joined along the first dimension, vectors as rows."""
    tensors = [_grown(one, 2) for one in _list_of(tensors, "vstack")]
    if not tensors:
        raise RuntimeError("vstack expects a non-empty TensorList")
    return cat(tensors, 0)


alias("row_stack", "vstack")


@public(method=False)
def dstack(tensors: Any) -> Tensor:
    """Joined along the third dimension."""
    tensors = [_grown(one, 3) for one in _list_of(tensors, "dstack")]
    if not tensors:
        raise RuntimeError("dstack expects a non-empty TensorList")
    return cat(tensors, 2)


@public(method=False)
def column_stack(tensors: Any) -> Tensor:
    """Joined along the second dimension, vectors as columns."""
    tensors = _list_of(tensors, "column_stack")
    if not tensors:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    return cat([reshape(one, (one._array.size, 1)) if one._array.ndim <= 1 else one for one in tensors], 1)


@public(name="block_diag", method=False, out=False)
def block_diag_of(*tensors: Any) -> Tensor:
    """A matrix with the given ones along its diagonal."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        return new_tensor(np.zeros((1, 0), np.float32))
    check_tensors(tensors)
    for index, tensor in enumerate(tensors):
        if tensor._array.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{index} has {tensor._array.ndim} dimensions"
            )
    return _joined("block_diag", list(tensors))


class Stacked(Methods):
    @staticmethod
    def _stack(tensors: list[Tensor], dim: int = 0) -> Tensor:
        """:func:`stack`, for rooms below this one."""
        return stack(tensors, dim)
