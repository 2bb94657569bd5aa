"""Window functions for signals: hann_window and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import creation as backend
from ...base import dtypes
from ...base.device import sparse_coo, strided
from ...ops.publishing import published
from ...tensor import Tensor
from ..arguments import integer, options
from .allocation import finished


def _window(
    name: str, window_length: Any, periodic: Any, given: tuple[Any, ...], kernel: Callable[..., Any], *parameters: float
) -> Tensor:
    """``kernel([0, 1, 2, ..., last], last, *parameters)``; a periodic window is one longer, less its last value."""
    dtype, layout, device, requires_grad, pin_memory = given
    length = integer(name, "window_length", 1, window_length)
    if layout is not None and layout is not strided:
        kind = "Sparse" if layout is sparse_coo else "".join(part.capitalize() for part in layout.name.split("_"))
        chosen = dtypes.get_default_dtype() if dtype is None else dtype
        raise RuntimeError(
            f"{name} is not implemented for sparse types, got: TensorOptions(dtype={chosen.c_name}, device=cpu, layout={kind}, "
            "requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    numpy_type = options(name, dtype, layout, device, requires_grad, pin_memory)
    chosen = dtypes.of(numpy_type)
    if not (chosen.is_floating_point or chosen.is_complex):
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={chosen.c_name}, device=cpu, "
            "layout=Strided "
            "(default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        return finished(np.ones(length, numpy_type), requires_grad)
    if chosen.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{chosen.scalar_name}'")
    last = length if periodic else length - 1
    wide = np.dtype(np.float64 if chosen is dtypes.float64 else np.float32)
    values = kernel(np.arange(last + 1, dtype=wide), last, *parameters)[:length]
    return finished(values.astype(numpy_type), requires_grad)


@published
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
    given = dtype, layout, device, requires_grad, pin_memory
    return _window("hann_window", window_length, periodic, given, backend.cosine_window, 0.5, 0.5)


@published
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
    given = dtype, layout, device, requires_grad, pin_memory
    return _window("hamming_window", window_length, periodic, given, backend.cosine_window, alpha, beta)


@published
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
    given = dtype, layout, device, requires_grad, pin_memory
    return _window("blackman_window", window_length, periodic, given, backend.blackman_window)


@published
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
    given = dtype, layout, device, requires_grad, pin_memory
    return _window("bartlett_window", window_length, periodic, given, backend.bartlett_window)


@published
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
    given = dtype, layout, device, requires_grad, pin_memory
    return _window("kaiser_window", window_length, periodic, given, backend.kaiser_window, beta)
