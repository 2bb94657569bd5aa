"""The operators of torchaudio's C++ library: filters that feed back. Those of its aligner and of the transducer's loss are not here."""

from __future__ import annotations

from rushlight.tensor import Tensor

from . import library

library.define("_torchaudio::is_align_available", "() -> bool")
library.impl("_torchaudio::is_align_available", "cpu", lambda: False)
library.define("_torchaudio::cuda_version", "() -> int?")
library.impl("_torchaudio::cuda_version", "cpu", lambda: None)
library.define(
    "torchaudio::_lfilter_core_loop",
    "(Tensor input_signal_windows, Tensor a_coeff_flipped, Tensor(a!) padded_output_waveform) -> Tensor(a!)",
)
library.define(
    "torchaudio::_overdrive_core_loop",
    "(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, Tensor(c!) output_waveform) "
    "-> (Tensor(a!), Tensor(b!), Tensor(c!))",
)


def _filtered(windows: Tensor, backward: Tensor, padded: Tensor) -> Tensor:
    """Each sample less what its channel's coefficients make of the samples before it; (batch, channels, time)."""
    x, weights, out = windows._array, backward._array, padded._array
    order = weights.shape[1]
    for at in range(x.shape[2]):
        out[:, :, at + order - 1] = x[:, :, at] - (out[:, :, at : at + order] * weights).sum(2)
    return padded


def _overdriven(waveform: Tensor, temp: Tensor, last_in: Tensor, last_out: Tensor, out: Tensor) -> tuple[Tensor, ...]:
    """Differences of a distorted wave that fade slowly, beside the wave."""
    for at in range(waveform.shape[-1]):
        last_out._array[...] = temp._array[:, at] - last_in._array + 0.995 * last_out._array
        last_in._array[...] = temp._array[:, at]
        out._array[:, at] = waveform._array[:, at] * 0.5 + last_out._array * 0.75
    return last_in, last_out, out


library.impl("torchaudio::_lfilter_core_loop", "cpu", _filtered)
library.impl("torchaudio::_overdrive_core_loop", "cpu", _overdriven)
