"""torch.fft: Fourier transforms, served from the op table, and the frequencies that go with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.backend.fourier import frequencies
from rushlight.base import dtypes
from rushlight.base.errstate import silent
from rushlight.base.missing_names import lazy_names
from rushlight.ops.public import public
from rushlight.tensor import Tensor
from rushlight.tensors.arguments import options, type_name
from rushlight.tensors.creation.allocation import finished, into

__getattr__, __dir__ = lazy_names(__name__)
__all__ = (
    "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift Tensor"
).split()


def _frequencies(name: str, n: Any, d: Any, out: Any, half: bool, *given: Any) -> Any:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{name}(): argument 'n' (position 1) must be int, not {type_name(n)}")
    if not isinstance(d, (int, float, np.floating, np.integer)):
        raise TypeError(f"{name}(): argument 'd' (position 2) must be float, not {type_name(d)}")
    dtype, layout, device, requires_grad = given
    count = int(n.__index__())
    kind = options(name, out.dtype if out is not None and dtype is None else dtype, layout, device, requires_grad)
    chosen = dtypes.of(kind)
    if chosen.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{chosen.scalar_name}'")
    if not chosen.is_floating_point:
        raise RuntimeError(f"{name[4:]} requires a floating point or complex dtype")
    number = int(count / 2) + 1 if half else count
    if number < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {number}: [{number}]")
    with silent():
        step = float(np.float64(1.0) / np.float64(count * d))
    values = frequencies(number, number if half else (count + 1) // 2, step, kind)
    return finished(values, requires_grad) if out is None else into(out, name, values, dtype)


@public(space="torch.fft", out=False)
def fftfreq(
    n: Any, d: Any = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies that the entries of :func:`fft` of ``n`` samples, ``d`` apart, stand for.

    >>> import rushlight as torch
    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies("fft_fftfreq", n, d, out, False, dtype, layout, device, requires_grad)


@public(space="torch.fft", out=False)
def rfftfreq(
    n: Any, d: Any = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The frequencies of the entries of :func:`rfft`: those of :func:`fftfreq` that are not negative."""
    return _frequencies("fft_rfftfreq", n, d, out, True, dtype, layout, device, requires_grad)
