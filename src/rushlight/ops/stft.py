"""Short-time Fourier transforms: the spectra of overlapping pieces of a signal, and the way back.

Compositions, as in PyTorch: the pieces are a strided view, and pieces are put together by the adjoint of ``unfold``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import fourier as k
from ..backend import shape as shapes
from ..base import dtypes
from ..base.arguments import type_name, warn
from ..tensor import Tensor, new_tensor
from .public import ops, public, registry
from .table import op

op("swapped", shapes.transpose, node="TransposeBackward1", kind="linear",
   x=lambda g, xp, axis0, axis1: xp.transpose(g, axis0, axis1))  # fmt: skip

_warned: set[str] = set()


def _warn(text: str) -> None:
    """A warning that comes once in a process, as PyTorch's does."""
    if text not in _warned:
        _warned.add(text)
        warn(text)


def _shown(value: Any) -> str:
    return "None" if value is None else str(int(value))


def _shown_window(window: Any) -> str:
    return "None" if window is None else f"{window.type()}{{{list(window._array.shape)}}}"


def _refuse_number(label: str, value: Any) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"stft(): argument '{label}' must be int, not {type_name(value)}")


@public(out=False)
def stft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of pieces of ``n_fft`` samples, one every ``hop_length``, each times ``window``.

    ``input`` is a signal or a batch of them; the result has frequencies and then pieces as its last dimensions. With
    ``center`` the signal is first padded, so that the pieces' middles start at sample 0. Raises RuntimeError if
    ``return_complex`` is not given for real signals, or sizes do not fit.

    >>> import rushlight as torch
    >>> torch.stft(torch.ones(8), 4, window=torch.ones(4), return_complex=True).abs()[0]
    tensor([4., 4., 4., 4., 4., 4., 4., 4., 4.])
    """
    _refuse_number("n_fft", n_fft)
    if center:
        if align_to_window:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        input = _padded(input, int(n_fft // 2), pad_mode)
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if window is None:
        _warn(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral "
            "leakage.To suppress this warning and use a rectangular window, explicitly set "
            "`window=torch.ones(n_fft, device=<device>)`."
        )
    is_complex = input._array.dtype.kind == "c" or (window is not None and window._array.dtype.kind == "c")
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    if return_complex is not None and not return_complex:
        _warn(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
            "torch.view_as_real on the complex output to recover the old return format."
        )
    shape, dtype = input._array.shape, dtypes.of(input._array.dtype)
    call = (
        f"stft({dtype.type_in_errors}{list(shape)}, n_fft={n_fft}, hop_length={hop}, win_length={length}, "
        f"window={_shown_window(window)}, normalized={int(normalized)}, onesided={_shown(onesided)}, "
        f"return_complex={_shown(return_complex)}, align_to_window={_shown(align_to_window)}) : expected "
    )
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(call + "a tensor of floating point or complex values")
    if len(shape) not in (1, 2):
        raise RuntimeError(call + "a 1D or 2D tensor")
    batched = len(shape) == 2
    if not batched:
        input = ops.expand_dims(input, 0)
    if align_to_window:
        missing = (n_fft - length) // 2
        input = ops.constant_pad(input, (missing, missing), 0)
    samples = input._array.shape[1]
    _check_pieces(call, samples, n_fft, hop, length, window)
    _refuse_halves(dtype)
    if length < n_fft:
        window = _centred(input, window, length, n_fft)
    count = 1 + (samples - n_fft) // hop
    step, along = (stride // input._array.itemsize for stride in input._array.strides)
    input = input.as_strided((input._array.shape[0], count, n_fft), (step, hop * along, along))
    if window is not None:
        input = input * window
    complex_pieces = input._array.dtype.kind == "c"
    if onesided is None:
        onesided = not complex_pieces
    norm = k.ROOT if normalized else k.NONE
    if complex_pieces:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        out = ops.fft_c2c(input, (2,), norm, True)
    else:
        out = ops.fft_r2c(input, (2,), norm, bool(onesided))
    out = ops.swapped(out, 1, 2)
    if not batched:
        out = ops.squeeze_row(out, (0,))
    return registry["torch"]["view_as_real"](out) if return_complex is not None and not return_complex else out


def _padded(signal: Tensor, width: int, mode: str) -> Tensor:
    """A signal, or a batch of them, with so many samples more at either end."""
    missing = 3 - signal._array.ndim  # dimensions, for padding as of images
    wide: Tensor = registry["torch.nn.functional"]["pad"](
        signal.view((1,) * missing + signal._array.shape), (width, width), mode
    )
    return wide.view(wide._array.shape[missing:]) if missing >= 0 else wide


def _check_pieces(call: str, samples: int, n_fft: int, hop: int, width: int, window: Tensor | None) -> None:
    """PyTorch's errors, which begin with the ``call``, where pieces do not fit into so many samples, or the window into a piece."""
    if not 0 < n_fft <= samples:
        raise RuntimeError(call + f"0 < n_fft < {samples}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(call + f"hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(call + f"0 < win_length <= n_fft, but got win_length={width}")
    if window is not None and window._array.shape != (width,):
        raise RuntimeError(
            call
            + f"a 1D window tensor of size equal to win_length={width}, but got window with size {list(window._array.shape)}"
        )


def _centred(input: Any, window: Any, length: int, n_fft: int) -> Any:
    """A window (ones if there is none) among zeros."""
    dtype = input._array.dtype if window is None else window._array.dtype
    wide = new_tensor(np.zeros(n_fft, dtype))
    middle = wide.narrow(0, (n_fft - length) // 2, length)
    if window is None:
        middle.fill_(1)
    else:
        middle.copy_(window)
    return wide


def _check_spectra(
    call: str, input: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None, onesided: bool | None
) -> bool:
    """Whether spectra are of half the frequencies; PyTorch's errors, which begin with the ``call``, where sizes do not fit."""
    shape = input._array.shape
    if len(shape) < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-len(shape) - 1}, {len(shape)}], but got -3)")
    bins = shape[-2]
    if not input._array.size:
        raise RuntimeError(call + " : input tensor cannot be empty.")
    if len(shape) not in (2, 3):
        raise RuntimeError(call + f" : expected a tensor with 3 or 4 dimensions, but got {len(shape) + 1}")
    if onesided is None:
        onesided = bins != n_fft
    place = " : expected the frequency dimension (3rd to the last) of the input tensor to match "
    if onesided and n_fft // 2 + 1 != bins:
        raise RuntimeError(call + place + f"n_fft / 2 + 1 when onesided=True, but got {bins}")
    if not onesided and n_fft != bins:
        raise RuntimeError(call + place + f"n_fft when onesided=False, but got {bins}")
    if not 0 < hop <= width:
        raise RuntimeError(call + " : expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(call + " : expected 0 < win_length <= n_fft")
    if window is not None and window._array.shape != (width,):
        raise RuntimeError(call + " : Invalid window shape. window has to be 1D and length of `win_length`")
    return onesided


def _refuse_halves(dtype: dtypes.dtype) -> None:
    if dtype.numpy.itemsize < 4:
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {dtype.scalar_name}")


def _check_overlap(weights: Tensor, call: str) -> None:
    """RuntimeError where the windows' sum of squares is zero: nothing can be told of the signal there."""
    if (np.abs(weights._array) < 1e-11).any():
        raise RuntimeError(f"{call} window overlap add min: 1")


@public(out=False)
def istft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal, or batch of signals, whose :func:`stft` this is; least squares where pieces do not agree.

    Give the window that was used. Raises RuntimeError if the windows' sum of squares is zero somewhere, or if sizes do
    not fit.

    >>> import rushlight as torch
    >>> x, window = torch.arange(8.0), torch.hann_window(4)
    >>> torch.istft(torch.stft(x, 4, window=window, return_complex=True), 4, window=window).round()
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if window is None:
        _warn(
            "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft "
            "to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
            "`window=torch.ones(n_fft, device=<device>)`."
        )
    shape = input._array.shape
    kind = dtypes.of(input._array.dtype)
    call = (
        f"istft(CPU{kind.scalar_name}Type{list(shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width}, "
        f"window={_shown_window(window)}, center={int(center)}, normalized={int(normalized)}, "
        f"onesided={_shown(onesided)}, length={'None' if length is None else length}, "
        f"return_complex={int(return_complex)})"
    )
    if not kind.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    pairs = registry["torch"]["view_as_real"](input.resolve_conj())
    onesided = _check_spectra(call, input, n_fft, hop, width, window, onesided)
    count = shape[-1]
    expected = n_fft + hop * (count - 1)
    if window is None:
        window = new_tensor(np.ones(width, pairs._array.dtype))
    if width != n_fft:
        left = (n_fft - width) // 2
        window = ops.constant_pad(window, (left, n_fft - width - left), 0)
    single = len(shape) == 2
    if single:
        pairs = pairs.unsqueeze(0)
    spectra = registry["torch"]["view_as_complex"](pairs.transpose(1, 2))
    norm = k.ROOT if normalized else k.COUNT
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        pieces = ops.fft_c2c(spectra, (2,), norm, False)
    else:
        if window._array.dtype.kind == "c":
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        if not onesided:
            spectra = ops.slice(spectra, 2, 0, n_fft // 2 + 1, 1)
        pieces = ops.fft_c2r(spectra, (2,), norm, n_fft)
    signal = pieces * window.view(1, 1, n_fft)
    signal = ops.fold_windows(signal, (signal._array.shape[0], expected), 1, n_fft, hop)
    weights = (window**2).expand(1, count, n_fft)
    weights = ops.fold_windows(weights, (1, expected), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = expected - (n_fft // 2 if center else 0) if length is None else start + length
    stop = max(min(end, expected), min(start, expected))
    signal = ops.slice(signal, 1, min(start, expected), stop, 1)
    weights = ops.slice(weights, 1, min(start, expected), stop, 1)
    _check_overlap(weights, call)
    signal = signal / weights
    if single:
        signal = signal.squeeze(0)
    if end > expected:
        _warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        signal = ops.constant_pad(signal, (0, end - expected), 0)
    return signal
