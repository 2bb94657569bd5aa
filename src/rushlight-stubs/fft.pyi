# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight import layout
from rushlight._inner import device
from typing import Any

def fft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The discrete Fourier transform along ``dim``, which is first cut or filled with zeros to ``n`` entries."""
    ...
def fft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`fftn` over two dimensions."""
    ...
def fftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: dtype | None = None, layout: layout | None = None, device: device | str | int | None = None, requires_grad: bool = False) -> Tensor:
    """The frequencies that the entries of :func:`fft` of ``n`` samples, ``d`` apart, stand for."""
    ...
def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The Fourier transform over several dimensions (all of them), cut or filled with zeros to the sizes ``s``."""
    ...
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """A spectrum reordered so that frequency zero is in the middle."""
    ...
def hfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The transform of a signal whose second half is the mirror image of the first, conjugated: real numbers."""
    ...
def hfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`hfftn` over two dimensions."""
    ...
def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The transform of signals that are Hermitian in the last dimension: real numbers."""
    ...
def ifft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`fft`: divided by n unless ``norm`` says otherwise."""
    ...
def ifft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`ifftn` over two dimensions."""
    ...
def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`fftn`."""
    ...
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """What :func:`fftshift` did, undone."""
    ...
def ihfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfft`."""
    ...
def ihfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`ihfftn` over two dimensions."""
    ...
def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfftn`."""
    ...
def irfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfft`, with ``n`` real results (an even number if not given)."""
    ...
def irfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`irfftn` over two dimensions."""
    ...
def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfftn`; give ``s`` if the last size was odd."""
    ...
def rfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The first half of the transform of real numbers; the rest is its mirror image, conjugated."""
    ...
def rfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`rfftn` over two dimensions."""
    ...
def rfftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: dtype | None = None, layout: layout | None = None, device: device | str | int | None = None, requires_grad: bool = False) -> Tensor:
    """The frequencies of the entries of :func:`rfft`: those of :func:`fftfreq` that are not negative."""
    ...
def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The transform of real numbers over several dimensions; of the last only the first half."""
    ...
