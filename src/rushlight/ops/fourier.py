"""torch.fft: discrete Fourier transforms of one, two and any number of dimensions.

Three ops do all of it: complex to complex, real to complex and complex to real. They are linear, and each is, but for
what stands once in half a spectrum and twice in the whole, the other's adjoint.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..backend import fourier as k
from ..base import dtypes
from ..base.arguments import type_name
from ..tensor import Tensor
from .complex_numbers import conj
from .public import axis_of, ops, public, registry
from .table import op

op("fft_c2c", k.c2c, node="FftC2CBackward0", kind="linear",
   x=lambda g, xp, axes, norm, forward: xp.fft_c2c(g, axes, norm, not forward))  # fmt: skip
op("fft_r2c", k.r2c, node="FftR2CBackward0", kind="linear",
   # Of x the shape would do, but as in PyTorch a write into it is an error.
   x=lambda g, xp, x, axes, norm, onesided: xp.fft_c2r(
       xp.scale_part(g, axes[-1], 1, (x.shape[axes[-1]] - 1) // 2, 0.5), axes, norm, x.shape[axes[-1]])
       if onesided else xp.real(xp.fft_c2c(g, axes, norm, False)))  # fmt: skip
op("fft_c2r", k.c2r, node="FftC2RBackward0", kind="linear",
   x=lambda g, xp, axes, norm, size: xp.scale_part(
       xp.fft_r2c(g, axes, norm, True), axes[-1], 1, (size - 1) // 2, 2.0))  # fmt: skip
op("scale_part", k.scale_part, kind="linear",
   x=lambda g, xp, axis, start, count, factor: xp.scale_part(g, axis, start, count, factor))  # fmt: skip


# Arguments.


def _real_or_complex(input: Any) -> Any:
    """The tensor, of a dtype that can be transformed: integers become floating."""
    dtype = dtypes.of(input._array.dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        return ops.astype(input, dtypes.get_default_dtype().numpy)
    if dtype.numpy.itemsize < 4:
        raise RuntimeError(f"Unsupported dtype {dtype.scalar_name}")
    return input


def _complex(input: Any) -> Any:
    input = _real_or_complex(input)
    dtype = input._array.dtype
    return input if dtype.kind == "c" else ops.astype(input, np.result_type(dtype, np.complex64))


def _tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _int(name: str, label: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{label}' must be int, not {type_name(value)}")
    return int(value.__index__())


def _norm(name: str, norm: Any, forward: bool) -> int:
    """What to divide by, for a norm mode and a direction."""
    if norm is None or norm == "backward":
        return k.NONE if forward else k.COUNT
    if not isinstance(norm, str):
        raise TypeError(f"{name}(): argument 'norm' must be str, not {type_name(norm)}")
    if norm == "forward":
        return k.COUNT if forward else k.NONE
    if norm == "ortho":
        return k.ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _check_count(count: int) -> None:
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")


def _resized(input: Any, axes: tuple[int, ...], sizes: list[int]) -> Any:
    """The axes cut, or continued with zeros, to the sizes."""
    ndim = input._array.ndim
    padding = [0] * (2 * ndim)
    for axis, size in zip(axes, sizes, strict=True):
        have = input._array.shape[axis]
        if size < have:
            input = ops.slice(input, axis, 0, size, 1)
        elif size > have:
            padding[2 * (ndim - 1 - axis) + 1] = size - have
    return ops.constant_pad(input, tuple(padding), 0) if any(padding) else input


def _axes_and_sizes(name: str, input: Any, s: Any, dim: Any) -> tuple[tuple[int, ...], list[int]]:
    """The axes to transform and the size of each."""
    shape = input._array.shape
    axes: tuple[int, ...] = tuple(range(len(shape)))
    if dim is not None:
        listed = dim if isinstance(dim, (tuple, list)) else (_several(name, "dim", dim),)
        axes = tuple(axis_of(one, len(shape), wrap_scalar=False) for one in listed)
        if len(set(axes)) != len(axes):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        sizes = [shape[axis] for axis in axes]
    else:
        listed = s if isinstance(s, (tuple, list)) else (_several(name, "s", s),)
        if dim is not None and len(listed) != len(axes):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(listed) > len(shape):
            raise RuntimeError(f"Got shape with {len(listed)} values but input tensor only has {len(shape)} dimensions.")
        axes = axes[len(axes) - len(listed) :]
        sizes = [shape[axis] if size == -1 else operator.index(size) for axis, size in zip(axes, listed, strict=True)]
    for size in sizes:
        _check_count(size)
    return axes, sizes


def _several(name: str, label: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}(): argument '{label}' must be tuple of ints, not {type_name(value)}")
    return int(value.__index__())


def _half_spectrum(what: str, name: str, input: Any, s: Any, dim: Any) -> tuple[Any, tuple[int, ...], int]:
    """The input of a transform to real numbers, cut to size, the axes, and the last axis's real size."""
    axes, sizes = _axes_and_sizes(name, input, s, dim)
    if not axes:
        raise RuntimeError(f"{what} must transform at least one axis")
    given = None if s is None else (s[-1] if isinstance(s, (tuple, list)) else s)
    last = 2 * (input._array.shape[axes[-1]] - 1) if given is None or given == -1 else int(given)
    _check_count(last)
    sizes[-1] = last // 2 + 1
    return _resized(input, axes, sizes), axes, last


# One dimension.


def _one(name: str, input: Any, n: Any, dim: Any, norm: Any, forward: bool) -> Any:
    _tensor(name, input)
    input = _real_or_complex(input)
    axis = axis_of(_int(name, "dim", dim), input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis] if n is None else _int(name, "n", n)
    _check_count(size)
    input = _resized(input, (axis,), [size])
    if input._array.dtype.kind == "c":
        return ops.fft_c2c(input, (axis,), _norm(name, norm, forward), forward)
    out = ops.fft_r2c(input, (axis,), _norm(name, norm, forward), False)
    return out if forward else conj(out)


def _to_half(name: str, input: Any, n: Any, dim: Any, norm: Any, forward: bool) -> Any:
    _tensor(name, input)
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"{name[4:]} expects a real input tensor, but got {dtypes.of(input._array.dtype).scalar_name}")
    input = _real_or_complex(input)
    axis = axis_of(_int(name, "dim", dim), input._array.ndim, wrap_scalar=False)
    size = input._array.shape[axis] if n is None else _int(name, "n", n)
    _check_count(size)
    out = ops.fft_r2c(_resized(input, (axis,), [size]), (axis,), _norm(name, norm, forward), True)
    return out if forward else conj(out)


def _from_half(name: str, input: Any, n: Any, dim: Any, norm: Any, forward: bool) -> Any:
    _tensor(name, input)
    input = _complex(input)
    axis = axis_of(_int(name, "dim", dim), input._array.ndim, wrap_scalar=False)
    size = 2 * (input._array.shape[axis] - 1) if n is None else _int(name, "n", n)
    _check_count(size)
    if n is not None:
        input = _resized(input, (axis,), [size // 2 + 1])
    return ops.fft_c2r(conj(input) if forward else input, (axis,), _norm(name, norm, forward), size)


@public(space="torch.fft")
def fft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The discrete Fourier transform along ``dim``, which is first cut or filled with zeros to ``n`` entries.

    ``norm`` is "backward" (no scaling, the default), "forward" (divided by n) or "ortho" (by its root).

    >>> import rushlight as torch
    >>> torch.fft.fft(torch.tensor([1.0, 0.0, -1.0, 0.0]))
    tensor([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j])
    """
    return _one("fft_fft", input, n, dim, norm, True)


@public(space="torch.fft")
def ifft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`fft`: divided by n unless ``norm`` says otherwise."""
    return _one("fft_ifft", input, n, dim, norm, False)


@public(space="torch.fft")
def rfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The first half of the transform of real numbers; the rest is its mirror image, conjugated.

    >>> import rushlight as torch
    >>> torch.fft.rfft(torch.tensor([1.0, 0.0, -1.0, 0.0]))
    tensor([0.+0.j, 2.+0.j, 0.+0.j])
    """
    return _to_half("fft_rfft", input, n, dim, norm, True)


@public(space="torch.fft")
def irfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfft`, with ``n`` real results (an even number if not given)."""
    return _from_half("fft_irfft", input, n, dim, norm, False)


@public(space="torch.fft")
def hfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The transform of a signal whose second half is the mirror image of the first, conjugated: real numbers."""
    return _from_half("fft_hfft", input, n, dim, norm, True)


@public(space="torch.fft")
def ihfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfft`."""
    return _to_half("fft_ihfft", input, n, dim, norm, False)


# Several dimensions.


def _many(name: str, input: Any, s: Any, dim: Any, norm: Any, forward: bool) -> Any:
    _tensor(name, input)
    input = _real_or_complex(input)
    axes, sizes = _axes_and_sizes(name, input, s, dim)
    input = _complex(_resized(input, axes, sizes))
    return ops.fft_c2c(input, axes, _norm(name, norm, forward), forward)


@public(space="torch.fft")
def fftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The Fourier transform over several dimensions (all of them), cut or filled with zeros to the sizes ``s``.

    >>> import rushlight as torch
    >>> torch.fft.fftn(torch.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return _many("fft_fftn", input, s, dim, norm, True)


@public(space="torch.fft")
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`fftn`."""
    return _many("fft_ifftn", input, s, dim, norm, False)


@public(space="torch.fft")
def rfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The transform of real numbers over several dimensions; of the last only the first half."""
    return _rfftn("fft_rfftn", input, s, dim, norm)


def _rfftn(name: str, input: Any, s: Any, dim: Any, norm: Any) -> Any:
    _tensor(name, input)
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {dtypes.of(input._array.dtype).scalar_name}")
    input = _real_or_complex(input)
    axes, sizes = _axes_and_sizes(name, input, s, dim)
    if not axes:
        raise RuntimeError("rfftn must transform at least one axis")
    return ops.fft_r2c(_resized(input, axes, sizes), axes, _norm(name, norm, True), True)


@public(space="torch.fft")
def irfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfftn`; give ``s`` if the last size was odd."""
    return _irfftn("fft_irfftn", input, s, dim, norm)


def _irfftn(name: str, input: Any, s: Any, dim: Any, norm: Any) -> Any:
    _tensor(name, input)
    input, axes, last = _half_spectrum("irfftn", name, _complex(input), s, dim)
    return ops.fft_c2r(input, axes, _norm(name, norm, False), last)


@public(space="torch.fft")
def hfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The transform of signals that are Hermitian in the last dimension: real numbers."""
    return _hfftn("fft_hfftn", input, s, dim, norm)


def _hfftn(name: str, input: Any, s: Any, dim: Any, norm: Any) -> Any:
    _tensor(name, input)
    input, axes, last = _half_spectrum("hfftn", name, _complex(input), s, dim)
    mode = _norm(name, norm, True)
    if len(axes) > 1:
        input = ops.fft_c2c(input, axes[:-1], mode, True)
    return ops.fft_c2r(conj(input), axes[-1:], mode, last)


@public(space="torch.fft")
def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfftn`."""
    return _ihfftn("fft_ihfftn", input, s, dim, norm)


def _ihfftn(name: str, input: Any, s: Any, dim: Any, norm: Any) -> Any:
    _tensor(name, input)
    axes, sizes = _axes_and_sizes(name, input, s, dim)
    if not axes:
        raise RuntimeError("ihfftn must transform at least one axis")
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {dtypes.of(input._array.dtype).scalar_name}")
    input = _real_or_complex(input)
    mode = _norm(name, norm, False)
    half = ops.fft_r2c(_resized(input, axes, sizes), axes[-1:], mode, True)
    if len(axes) == 1:
        return conj(half)
    return ops.fft_c2c(ops.conj_physical(half), axes[:-1], mode, False)


@public(space="torch.fft")
def fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`fftn` over two dimensions."""
    return _many("fft_fft2", input, s, dim, norm, True)


@public(space="torch.fft")
def ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`ifftn` over two dimensions."""
    return _many("fft_ifft2", input, s, dim, norm, False)


@public(space="torch.fft")
def rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`rfftn` over two dimensions."""
    return _rfftn("fft_rfft2", input, s, dim, norm)


@public(space="torch.fft")
def irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`irfftn` over two dimensions."""
    return _irfftn("fft_irfft2", input, s, dim, norm)


@public(space="torch.fft")
def hfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`hfftn` over two dimensions."""
    return _hfftn("fft_hfft2", input, s, dim, norm)


@public(space="torch.fft")
def ihfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """:func:`ihfftn` over two dimensions."""
    return _ihfftn("fft_ihfft2", input, s, dim, norm)


# The order of frequencies.


def _shifted(input: Any, dim: Any, extra: int) -> Any:
    _tensor("fft_ifftshift" if extra else "fft_fftshift", input)
    shape = input._array.shape
    listed = range(len(shape)) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    axes = [axis_of(one, len(shape), wrap_scalar=False) for one in listed]
    return registry["torch"]["roll"](input, [(shape[axis] + extra) // 2 for axis in axes], axes)


@public(space="torch.fft", out=False)
def fftshift(input: Any, dim: Any = None) -> Tensor:
    """A spectrum reordered so that frequency zero is in the middle.

    >>> import rushlight as torch
    >>> torch.fft.fftshift(torch.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _shifted(input, dim, 0)


@public(space="torch.fft", out=False)
def ifftshift(input: Any, dim: Any = None) -> Tensor:
    """What :func:`fftshift` did, undone."""
    return _shifted(input, dim, 1)
