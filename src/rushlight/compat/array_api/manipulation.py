"""Functions of the Python Array API that change shapes."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight as torch
from rushlight import Tensor

from .dtypes import together

Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Tensors stretched to the shape in which they meet."""
    return tuple(torch.broadcast_tensors(*arrays)) if arrays else ()


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which shapes meet."""
    return tuple(torch.broadcast_shapes(*shapes))


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """A tensor stretched to a shape."""
    return torch.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Tensors one behind the other; flattened first without an axis."""
    parts = together(*arrays)
    return torch.cat([one.flatten() for one in parts]) if axis is None else torch.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: Axes) -> Tensor:
    """A tensor with an axis of size 1 more, or several."""
    axes = (axis,) if isinstance(axis, int) else axis
    rank = x.ndim + len(axes)
    if any(not -rank <= one < rank for one in axes):
        raise IndexError(f"axis {axis} is out of bounds for an array of {rank} dimensions")
    for one in sorted(one % rank for one in axes):
        x = torch.unsqueeze(x, one)
    return x


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """The elements in reverse along some axes, or all."""
    return torch.flip(x, tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Axes moved to other places."""
    return torch.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The axes in another order."""
    return torch.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element again and again, next to itself."""
    return torch.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape. ValueError where they cannot be had without a copy and none is allowed."""
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError as error:
            raise ValueError("this reshape needs a copy, and copy=False allows none") from error
    return torch.reshape(x.clone() if copy else x, shape)


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """The elements moved along axes; what leaves at an end comes in at the other."""
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """A tensor without some of its axes, which must be of size 1."""
    axes = (axis,) if isinstance(axis, int) else axis
    if any(x.shape[one] != 1 for one in axes):
        raise ValueError(f"cannot squeeze axes {axes} of an array of shape {tuple(x.shape)}: they are not all of size 1")
    return torch.squeeze(x, axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Tensors along a new axis."""
    return torch.stack(together(*arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The whole again and again."""
    return torch.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts along an axis."""
    return tuple(torch.unbind(x, axis))
