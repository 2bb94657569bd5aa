"""Functions of the Python Array API that search, sort, pick and compare as sets."""

from __future__ import annotations

from typing import Literal, NamedTuple

import rushlight as torch
from rushlight import Tensor

from .dtypes import Number, together


class UniqueAll(NamedTuple):
    """What :func:`unique_all` gives."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What :func:`unique_counts` gives."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What :func:`unique_inverse` gives."""

    values: Tensor
    inverse_indices: Tensor


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The places of the elements in order."""
    return torch.argsort(x, stable=stable, dim=axis, descending=descending)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order."""
    return torch.sort(x, stable=stable, dim=axis, descending=descending).values


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The places of what is not zero, axis by axis."""
    if not x.ndim:
        raise ValueError("nonzero() is of no use for an array of no dimensions")
    return tuple(torch.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor | Number, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where in a sorted line numbers belong."""
    line, numbers = together(x1, x2)
    return torch.searchsorted(line, numbers, side=side, sorter=sorter)


def _from_front(indices: Tensor, size: int) -> Tensor:
    places = indices.to(torch.int64)
    return torch.where(places < 0, places + size, places)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The parts along an axis that a line of indices names."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis must be given for an array that has not one dimension")
        axis = 0
    return torch.index_select(x, axis, _from_front(indices, x.shape[axis]))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """For each line along an axis the elements that the same line of the indices names."""
    return torch.take_along_dim(x, _from_front(indices, x.shape[axis]), axis)


def isin(x1: Tensor | Number, x2: Tensor | Number, /, *, invert: bool = False) -> Tensor:
    """For each element of ``x1`` whether it is among those of ``x2``."""
    return torch.isin(*together(x1, x2), invert=invert)


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different values, where each is first, which each element is, and how many there are of each.

    >>> import rushlight as torch
    >>> from rushlight.array_api import unique_all
    >>> unique_all(torch.tensor([7, 3, 7])).indices
    tensor([1, 0])
    """
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    places, last = torch.arange(inverse.numel()), torch.full((len(values),), inverse.numel())
    return UniqueAll(values, last.scatter_reduce(0, inverse.flatten(), places, "amin"), inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The different values, and how many there are of each."""
    return UniqueCounts(*torch.unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The different values, and which of them each element is."""
    return UniqueInverse(*torch.unique(x, return_inverse=True))


def unique_values(x: Tensor, /) -> Tensor:
    """The different values."""
    return torch.unique(x)
