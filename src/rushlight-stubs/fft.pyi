# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor as _Tensor
from rushlight import dtype
from rushlight import layout
from rushlight._inner import device
from typing import Any
from rushlight import Tensor as Tensor

def fft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The discrete Fourier transform along ``dim``, which is first cut or filled with zeros to ``n`` entries."""
    ...
def fft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`fftn` over two dimensions."""
    ...
def fftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: dtype | None = None, layout: layout | None = None, device: device | str | int | None = None, requires_grad: bool = False) -> _Tensor:
    """The frequencies that the entries of :func:`fft` of ``n`` samples, ``d`` apart, stand for."""
    ...
def fftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The Fourier transform over several dimensions (all of them), cut or filled with zeros to the sizes ``s``."""
    ...
def fftshift(input: _Tensor, dim: Any = None) -> _Tensor:
    """A spectrum reordered so that frequency zero is in the middle."""
    ...
def hfft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The transform of a signal whose second half is the mirror image of the first, conjugated: real numbers."""
    ...
def hfft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`hfftn` over two dimensions."""
    ...
def hfftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The transform of signals that are Hermitian in the last dimension: real numbers."""
    ...
def ifft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`fft`: divided by n unless ``norm`` says otherwise."""
    ...
def ifft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`ifftn` over two dimensions."""
    ...
def ifftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`fftn`."""
    ...
def ifftshift(input: _Tensor, dim: Any = None) -> _Tensor:
    """What :func:`fftshift` did, undone."""
    ...
def ihfft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`hfft`."""
    ...
def ihfft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`ihfftn` over two dimensions."""
    ...
def ihfftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`hfftn`."""
    ...
def irfft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`rfft`, with ``n`` real results (an even number if not given)."""
    ...
def irfft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`irfftn` over two dimensions."""
    ...
def irfftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The inverse of :func:`rfftn`; give ``s`` if the last size was odd."""
    ...
def rfft(input: _Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The first half of the transform of real numbers; the rest is its mirror image, conjugated."""
    ...
def rfft2(input: _Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> _Tensor:
    """:func:`rfftn` over two dimensions."""
    ...
def rfftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: dtype | None = None, layout: layout | None = None, device: device | str | int | None = None, requires_grad: bool = False) -> _Tensor:
    """The frequencies of the entries of :func:`rfft`: those of :func:`fftfreq` that are not negative."""
    ...
def rfftn(input: _Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> _Tensor:
    """The transform of real numbers over several dimensions; of the last only the first half."""
    ...
