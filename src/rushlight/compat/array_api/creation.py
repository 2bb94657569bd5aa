"""Functions of the Python Array API that make tensors."""

from __future__ import annotations

from typing import Any, Literal

import rushlight as torch
from rushlight import Tensor, device, dtype

Shape = int | tuple[int, ...]


def asarray(obj: Any, /, *, dtype: dtype | None = None, device: device | None = None, copy: bool | None = None) -> Tensor:
    """A tensor of numbers, nested sequences, arrays or a tensor; shares memory unless ``copy`` says otherwise."""
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: dtype | None = None, device: device | None = None
) -> Tensor:
    """Numbers from ``start`` to before ``stop``; none where the step leads away from it."""
    start, stop = (0, start) if stop is None else (start, stop)
    if (stop - start) * step < 0:
        whole = all(isinstance(one, int) for one in (start, stop, step))
        return torch.empty(0, dtype=dtype or (torch.int64 if whole else None), device=device)
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor that is not set."""
    return torch.empty(shape, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor that is not set, in the shape of another."""
    return torch.empty_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: dtype | None = None, device: device | None = None
) -> Tensor:
    """Ones on the ``k``-th diagonal, zeros elsewhere.

    >>> from rushlight.array_api import eye
    >>> eye(2, 3, k=1)
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    columns = torch.arange(n_rows if n_cols is None else n_cols, device=device)
    ones = torch.eq(columns, torch.arange(n_rows, device=device)[:, None] + k)
    return ones.to(torch.get_default_dtype() if dtype is None else dtype)


def from_dlpack(x: Any, /, *, device: device | None = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares another library's memory."""
    return torch.from_dlpack(x, device=device, copy=copy)


def full(shape: Shape, fill_value: complex, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of one number."""
    return torch.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: complex, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of one number, in the shape of another."""
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: dtype | None = None,
    device: device | None = None,
    endpoint: bool = True,
) -> Tensor:
    """``num`` numbers with equal gaps; without ``endpoint`` the last of one more is left out."""
    numbers = torch.linspace(start, stop, num if endpoint else num + 1, dtype=dtype, device=device)
    return numbers if endpoint else numbers[:-1]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid, from those along its axes."""
    return tuple(torch.meshgrid(*arrays, indexing=indexing)) if arrays else ()


def ones(shape: Shape, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of ones."""
    return torch.ones(shape, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of ones, in the shape of another."""
    return torch.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """What is on and below the ``k``-th diagonal, zeros elsewhere."""
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """What is on and above the ``k``-th diagonal, zeros elsewhere."""
    return torch.triu(x, k)


def zeros(shape: Shape, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of zeros."""
    return torch.zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """A tensor of zeros, in the shape of another."""
    return torch.zeros_like(x, dtype=dtype, device=device)
