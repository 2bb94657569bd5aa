"""torch._refs.fft: the functions of torch.fft."""

import rushlight as torch


def __getattr__(name: str) -> object:
    return getattr(torch.fft, name)
