"""torch._refs.special: the functions of torch.special."""

import rushlight as torch


def __getattr__(name: str) -> object:
    return getattr(torch.special, name)
