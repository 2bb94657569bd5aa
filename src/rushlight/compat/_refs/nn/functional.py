"""torch._refs.nn.functional: the functions of torch.nn.functional."""

import rushlight as torch


def __getattr__(name: str) -> object:
    return getattr(torch.nn.functional, name)
