"""torch._refs.linalg: the functions of torch.linalg."""

import rushlight as torch


def __getattr__(name: str) -> object:
    return getattr(torch.linalg, name)
