"""torch._refs._conversions: Tensor's conversions to a dtype (``float``, ``cdouble``), as functions."""

import rushlight as torch


def __getattr__(name: str) -> object:
    return getattr(torch, name) if name in ("complex", "polar") else getattr(torch.Tensor, name)
