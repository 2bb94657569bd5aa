"""Ops that turn, repeat and pick elements into new memory. All are linear; each rule is the op's adjoint."""

from __future__ import annotations

from operator import index as whole
from typing import Any

import numpy as np

from ..backend import shape as k
from ..backend.memory_formats import keeping
from ..tensor import Tensor, new_tensor
from .operands import of_several, refuse_history, refuse_scalar
from .public import axes_of, axis_of, module, ops, public
from .shape import reshape
from .sizes import sizes_of
from .slicing import narrowed_from
from .table import op, table

op("flip", k.flip, kind="linear", x=lambda g, xp, axes: xp.flip(g, axes))
_rolled = keeping(k.roll)


def _roll(x: Any, shifts: tuple[int, ...], axes: tuple[int, ...] | None) -> Any:
    """In order in memory where a dimension goes round by nothing, or all elements do; else as ``x`` is."""
    moves = axes is not None and all(shift % max(x.shape[axis], 1) for shift, axis in zip(shifts, axes, strict=True))
    return (_rolled if moves else k.roll)(x, shifts, axes)


op("roll", _roll, kind="linear", x=lambda g, xp, shifts, axes: xp.roll(g, tuple(-shift for shift in shifts), axes))
op("tril", k.tril, kind="linear", x=lambda g, xp, offset: xp.tril(g, offset))
op("triu", k.triu, kind="linear", x=lambda g, xp, offset: xp.triu(g, offset))
op("repeat", k.repeat, kind="linear", x=lambda g, xp, counts, x_shape: xp.unrepeat(g, counts, x_shape))
op("unrepeat", k.unrepeat, node="SumBackward1", kind="linear", g=lambda g, xp, counts: xp.repeat(g, counts))
op("rot90", k.rot90, kind="linear", x=lambda g, xp, times, axes: xp.rot90(g, -times, axes))
op("diag_embed", k.diag_embed, kind="linear",
   x=lambda g, xp, offset, axis1, axis2: xp.diagonal(g, offset, axis1, axis2))  # fmt: skip
op("diagonal_copy", lambda x, offset, axis1, axis2: x.diagonal(offset, axis1, axis2).copy(), node="DiagonalBackward0_copy",
   kind="linear", x=lambda g, xp, x_shape, offset, axis1, axis2: xp.embed_diagonal(g, x_shape, offset, axis1, axis2))  # fmt: skip
# Parts of the same memory that are not views as far as the graph is concerned.
op("unsafe_split", k.split, outputs="*", kind="linear", x=table["split"].rules["x"])
op("narrow_copy", lambda x, axis, start, stop: k.slice_(x, axis, start, stop, 1).copy(), kind="linear",
   x=lambda g, xp, x_shape, axis, start, stop: xp.embed_slice(g, x_shape, axis, start, stop, 1))  # fmt: skip
op("select_scatter", k.select_scatter, kind="linear",
   x=lambda g, xp, axis, index: xp.select_scatter(g, xp.zeros_as(xp.select(g, axis, index)), axis, index),
   value=lambda g, xp, axis, index: xp.select(g, axis, index))  # fmt: skip
op("slice_scatter", k.slice_scatter, kind="linear",
   x=lambda g, xp, axis, start, stop, step: xp.slice_scatter(
       g, xp.zeros_as(xp.slice(g, axis, start, stop, step)), axis, start, stop, step),
   value=lambda g, xp, axis, start, stop, step: xp.slice(g, axis, start, stop, step))  # fmt: skip
op("diagonal_scatter", k.diagonal_scatter, kind="linear",
   x=lambda g, xp, offset, axis1, axis2: xp.diagonal_scatter(
       g, xp.zeros_as(xp.diagonal(g, offset, axis1, axis2)), offset, axis1, axis2),
   value=lambda g, xp, offset, axis1, axis2: xp.diagonal(g, offset, axis1, axis2))  # fmt: skip
op("zeros_as", lambda x: np.zeros(x.shape, x.dtype), inputs="x")


# Repeating and turning.


@public()
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """The tensor repeated so many times along each dimension."""
    counts = sizes_of(repeats, "repeat", "repeats")
    shape = input._array.shape
    if len(counts) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(count < 0 for count in counts):
        whole = [size * count for size, count in zip((1,) * (len(counts) - len(shape)) + shape, counts, strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(whole)}: {whole}")
    return ops.repeat(input, counts)


module("torch").pop("repeat")


@public()
def tile(input: Tensor, *dims: Any) -> Tensor:
    """Repeated along each dimension; missing counts in front are 1."""
    counts = sizes_of(dims, "tile", "dims")
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


@public(name="repeat_interleave")
def repeat_each(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or slice along ``dim``) repeated, all alike or by ``repeats``."""
    if repeats is None:
        if input._array.dtype not in (np.int64, np.int32):
            raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{input.dtype.scalar_name}'")
        if input._array.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        return _places_repeated(input, input._array.size, input._array.dtype, output_size)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        if dim is None:
            input, dim = _in_one_row(input), 0
        axis = axis_of(dim, input._array.ndim)
        shape = input._array.shape
        if not shape:
            raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
        if output_size is not None and output_size != shape[axis] * repeats:
            raise RuntimeError(
                f"repeat_interleave: Invalid output_size, expected {shape[axis] * repeats} but got {output_size}"
            )
        wide = input.unsqueeze(axis + 1).expand((*shape[: axis + 1], repeats, *shape[axis + 1 :]))
        return ops.contiguous(wide).view((*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))
    if repeats._array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if repeats._array.dtype.kind not in "iu":
        raise RuntimeError("repeats has to be Long or Int tensor")
    if dim is None:
        input, dim = _in_one_row(input), 0
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    if repeats._array.size not in (1, input._array.shape[axis]):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {repeats._array.size} and "
            f"input.size({axis}) = {input._array.shape[axis]}"
        )
    return ops.index_select(input, _places_repeated(repeats, input._array.shape[axis], np.dtype(np.int64), output_size), axis)


def _in_one_row(input: Tensor) -> Any:
    return input if input._array.ndim == 1 else reshape(input, -1)


def _places_repeated(repeats: Tensor, size: int, dtype: np.dtype[Any], output_size: int | None) -> Tensor:
    """The places from 0 to ``size``, each as often as ``repeats`` says."""
    counts = np.broadcast_to(repeats._array.reshape(-1), (size,))
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError("allocated size does not match required size")
    if counts.sum(dtype=np.float64) >= 2**60:  # whose sum NumPy does not look at, but writes beyond its memory
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{sum(counts.tolist())}]")
    return new_tensor(np.repeat(np.arange(size, dtype=dtype), counts))


@public(name="flip")
def flipped(input: Tensor, *args: Any, dims: Any = None) -> Tensor:
    """The order of the elements reversed along the given dimensions (a copy)."""
    dims = args or dims
    if dims is None:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    if of_several(input) and dims:
        refuse_scalar(input, IndexError())
    return ops.flip(input, axes_of(dims, input._array.ndim) if dims else ())


@public()
def fliplr(input: Tensor) -> Tensor:
    """Reversed along the second dimension."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return ops.flip(input, (1,))


@public()
def flipud(input: Tensor) -> Tensor:
    """Reversed along the first dimension."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return ops.flip(input, (0,))


@public(name="roll")
def rolled(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Elements shifted along dimensions, those that leave at one end coming in at the other."""
    shifts = tuple(map(whole, shifts)) if isinstance(shifts, (tuple, list)) else (whole(shifts),)
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else () if dims is None else (dims,)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return ops.roll(input, shifts, None)
    if len(dims) != len(shifts):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input._array.size:
        return ops.roll(input, shifts, None)
    if of_several(input):
        refuse_scalar(input, IndexError())
    return ops.roll(input, shifts, tuple(axis_of(one, input._array.ndim, wrap_scalar=False) for one in dims))


@public(name="rot90")
def rotated(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """A plane of two dimensions turned by ``k`` right angles."""
    ndim = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        refuse_scalar(input, RuntimeError("expected total dims >= 2, but got total dims = 0"))
        if of_several(input):
            axis_of(dims[1], ndim)
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    plane = tuple(axis_of(one, ndim) for one in dims)
    if plane[0] == plane[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return ops.rot90(input, whole(k), plane)


# Triangles and diagonals.


def _refuse_triangle(name: str, input: Tensor) -> None:
    """The error for what is no matrix: for batches PyTorch counts the dimension of the batch."""
    if not of_several(input):
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    if not input._array.ndim:
        raise RuntimeError(f"{name}: The input tensor must have at least 2 dimensions.")


@public(name="tril", inplace=True)
def lower(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements on and below a diagonal, the others zero."""
    if input._array.ndim < 2:
        _refuse_triangle("tril", input)
    return ops.tril(input, whole(diagonal))


@public(name="triu", inplace=True)
def upper(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements on and above a diagonal, the others zero."""
    if input._array.ndim < 2:
        _refuse_triangle("triu", input)
    return ops.triu(input, whole(diagonal))


@public()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as a diagonal matrix, or the diagonal of a matrix (a copy)."""
    ndim, diagonal = input._array.ndim, whole(diagonal)
    if ndim == 1:
        return diag_embedded(input, diagonal)
    if ndim == 2:
        return ops.diagonal_copy(input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")


@public(name="diag_embed")
def diag_embedded(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension put on the diagonal of two new ones."""
    ndim = input._array.ndim + 1
    axis1, axis2 = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if axis1 == axis2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return ops.diag_embed(input, offset, axis1, axis2)


@public()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements on the diagonal of a matrix."""
    return diag_embedded(reshape(input, -1), offset)


# Copies of parts, and parts put back.


@public(name="narrow_copy")
def narrowed_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A copy of :func:`narrow`."""
    if 0 < input._array.ndim <= dim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  "
            "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    axis, start = narrowed_from(input, dim, start, length)
    if length < 0:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({input._array.shape[axis]}).")
    return ops.narrow_copy(input, axis, start, start + length)


@public(name="select_scatter")
def select_scattered(input: Tensor, src: Any, dim: int, index: int) -> Tensor:
    """A copy with ``src`` in place of one slice."""
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._array.shape)} at dimension {axis}"
        )
    wanted = input._array.shape[:axis] + input._array.shape[axis + 1 :]
    if src._array.shape != wanted:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(wanted)}"
        )
    refuse_history(input.dtype, src)
    return ops.select_scatter(input, src, axis, index % size)


@public(name="slice_scatter")
def slice_scattered(input: Tensor, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    """A copy with ``src`` in place of a slice."""
    if not input._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    begin, stop, _ = slice(start, end).indices(input._array.shape[axis])
    wanted = k.slice_(input._array, axis, begin, max(begin, stop), step).shape
    if src._array.shape != wanted:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(wanted)}"
        )
    refuse_history(input.dtype, src)
    return ops.slice_scatter(input, src, axis, begin, max(begin, stop), step)


@public(name="diagonal_scatter")
def diagonal_scattered(input: Tensor, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with ``src`` in place of a diagonal."""
    ndim = input._array.ndim
    axis1, axis2 = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if axis1 == axis2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    wanted = np.broadcast_to(0, input._array.shape).diagonal(offset, axis1, axis2).shape
    if src._array.shape != wanted:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(wanted)}"
        )
    refuse_history(input.dtype, src)
    return ops.diagonal_scatter(input, src, offset, axis1, axis2)


@public(name="unsafe_split", out=False)
def unsafe_splits(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`split`, but each part has memory of its own."""
    if not input._array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = axis_of(dim, input._array.ndim, wrap_scalar=False)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    size = input._array.shape[axis]
    if not split_size and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    full, rest = divmod(size, split_size) if size else (0, 0)
    return ops.unsafe_split(input, (split_size,) * full + ((rest,) if rest or not size else ()), axis)


@public(out=False)
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`chunk`, but each part has memory of its own."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    axis = axis_of(dim, input._array.ndim)
    size = input._array.shape[axis]
    if not size:
        return ops.unsafe_split_with_sizes(input, (0,) * chunks, axis)
    return unsafe_splits(input, -(-size // chunks), dim)


@public(function=False)
def sum_to_size(self: Any, *size: Any) -> Tensor:
    """Summed over the dimensions that broadcasting from ``size`` would stretch."""
    wanted = sizes_of(size, "sum_to_size")
    shape = self._array.shape
    lead = len(shape) - len(wanted)
    if lead < 0 or any(length not in (1, have) for length, have in zip(wanted, shape[lead:], strict=True)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(shape)}}}.")
    if not wanted:
        return ops.sum_all(self)
    axes = tuple(range(lead)) + tuple(
        axis + lead for axis, length in enumerate(wanted) if length == 1 and shape[axis + lead] != 1
    )
    if axes:
        self = ops.sum(self, axes, True)
    return self.view(wanted) if lead else self
