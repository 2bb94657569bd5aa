"""Fourier transforms of the Python Array API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import rushlight as torch
from rushlight import Tensor, device, dtype

Norm = Literal["backward", "ortho", "forward"]
Axes = int | Sequence[int] | None


def _along_one(name: str) -> Callable[..., Tensor]:
    function: Callable[..., Tensor] = getattr(torch.fft, name)

    def call(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
        return function(x, n, axis, norm)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f":func:`torch.fft.{name}` along an axis."
    return call


def _along_several(name: str) -> Callable[..., Tensor]:
    function: Callable[..., Tensor] = getattr(torch.fft, name)

    def call(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
    ) -> Tensor:
        return function(x, s, axes, norm)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f":func:`torch.fft.{name}` along axes."
    return call


fft, ifft, rfft, irfft, hfft, ihfft = map(_along_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_along_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """The frequencies of a transform of ``n`` samples, ``d`` apart."""
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: device | None = None) -> Tensor:
    """The frequencies of a transform of ``n`` real samples, ``d`` apart."""
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    """The frequency 0 moved to the middle."""
    return torch.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    """The frequency 0 moved back to the front."""
    return torch.fft.ifftshift(x, axes)
