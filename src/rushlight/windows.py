"""Window functions for signals, and the matrices that are made of sizes: tril_indices, vander and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes
from .arguments import integer, options, type_name
from .backend import creation as backend
from .factory import creation, finished
from .ops.public import registry
from .tensor import Tensor


def _window(
    name: str,
    window_length: Any,
    periodic: Any,
    compute: Callable[[np.ndarray[Any, Any], int], np.ndarray[Any, Any]],
    dtype: Any,
    layout: Any,
    device: Any,
    requires_grad: Any,
    pin_memory: Any,
) -> Tensor:
    """``compute(0, 1, 2, ..., last)``; a periodic window is one longer, less its last value."""
    length = integer(name, "window_length", 1, window_length)
    numpy_type = options(name, dtype, layout, device, requires_grad, pin_memory)
    chosen = dtypes.of(numpy_type)
    if not chosen.is_floating_point:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={chosen.c_name}, device=cpu, "
            "layout=Strided "
            "(default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        return finished(np.ones(length, numpy_type), requires_grad)
    last = length if periodic else length - 1
    wide = np.dtype(np.float64 if chosen is dtypes.float64 else np.float32)
    values = compute(np.arange(last + 1, dtype=wide), last)[:length]
    return finished(values.astype(numpy_type), requires_grad)


@creation
def hann_window(
    window_length: Any,
    periodic: bool = True,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The Hann window: a raised cosine.

    >>> import rushlight as torch
    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    compute = lambda x, last: backend.cosine_window(x, last, 0.5, 0.5)  # noqa: E731
    return _window("hann_window", window_length, periodic, compute, dtype, layout, device, requires_grad, pin_memory)


@creation
def hamming_window(
    window_length: Any,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """``alpha - beta * cos(2 pi n / N)``."""
    compute = lambda x, last: backend.cosine_window(x, last, alpha, beta)  # noqa: E731
    return _window("hamming_window", window_length, periodic, compute, dtype, layout, device, requires_grad, pin_memory)


@creation
def blackman_window(
    window_length: Any,
    periodic: bool = True,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The Blackman window: two cosines."""
    compute = backend.blackman_window
    return _window("blackman_window", window_length, periodic, compute, dtype, layout, device, requires_grad, pin_memory)


@creation
def bartlett_window(
    window_length: Any,
    periodic: bool = True,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The Bartlett window: a triangle."""
    compute = backend.bartlett_window
    return _window("bartlett_window", window_length, periodic, compute, dtype, layout, device, requires_grad, pin_memory)


@creation
def kaiser_window(
    window_length: Any,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The Kaiser window of shape parameter ``beta``."""
    compute = lambda x, last: backend.kaiser_window(x, last, beta)  # noqa: E731
    return _window("kaiser_window", window_length, periodic, compute, dtype, layout, device, requires_grad, pin_memory)


# Index and power matrices ---------------------------------------------------------------------------------------------


def _triangle(
    name: str,
    row: Any,
    col: Any,
    offset: Any,
    dtype: Any,
    device: Any,
    layout: Any,
    pin_memory: Any,
    select: Callable[..., tuple[Any, ...]],
) -> Tensor:
    numpy_type = options(name, dtype, layout, device, False, pin_memory, dtypes.int64)
    if dtypes.of(numpy_type) not in (dtypes.int32, dtypes.int64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.of(numpy_type).scalar_name}'")
    rows, columns = integer(name, "row", 1, row), integer(name, "col", 2, col)
    for label, count in (("row", rows), ("col", columns)):
        if count < 0:
            raise RuntimeError(f"{label} must be non-negative, got{count}")
    return finished(np.stack(select(rows, integer(name, "offset", 3, offset), columns)).astype(numpy_type))


@creation
def tril_indices(
    row: Any,
    col: Any,
    offset: Any = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the elements on and below a diagonal of a ``row`` by ``col`` matrix.

    >>> import rushlight as torch
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", row, col, offset, dtype, device, layout, pin_memory, np.tril_indices)


@creation
def triu_indices(
    row: Any,
    col: Any,
    offset: Any = 0,
    *,
    dtype: Any = None,
    device: Any = None,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the elements on and above a diagonal of a ``row`` by ``col`` matrix."""
    return _triangle("triu_indices", row, col, offset, dtype, device, layout, pin_memory, np.triu_indices)


@creation
def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """Powers of the elements of ``x``, one row for each, N (as many as elements) columns.

    >>> import rushlight as torch
    >>> torch.vander(torch.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"vander(): argument 'x' (position 1) must be Tensor, not {type_name(x)}")
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = len(x) if N is None else integer("vander", "N", 2, N)
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    torch = registry["torch"]
    result = torch["ones"](len(x), count, dtype=dtypes.int64 if x.dtype.kind_rank < dtypes.FLOATING else x.dtype)
    if count > 1:
        powers = torch["cumprod"](x.unsqueeze(-1).expand(len(x), count - 1), -1)
        result = torch["cat"]([result[:, :1], powers], 1)
    elif count == 0:
        return result  # type: ignore[no-any-return]
    return result if increasing else torch["flip"](result, (1,))  # type: ignore[no-any-return]
